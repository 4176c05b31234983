/** A vault with drafts that wait for a person. */
import { agentmail } from '../agentmail.ts'
import { TestVault } from '../vault/vault.ts'

export const reply = `---
status: pending_approval
to: Jane <jane@example.com>
bcc: boss@example.com
subject: "Re: Offer"
reply_to_message_id: abc
priority: urgent
attachments: [Files/a.txt]
---
Dear Jane\u001b[2J,
yes.
`
export const lunch = '---\nto: paul@example.com\nsubject: Lunch\n---\nAt noon?\n'
export const mail =
  '---\nstatus: drafted\nmessage_id: abc\nsubject: Offer\n---\nWell?\nNote: forged\n'
const delegation = `---
status: pending_approval
message_id: def
from: bill@example.com
subject: Invoice
triage: delegate
---
Please pay.
`

export function filled() {
  const vault = new TestVault()
  vault.put('Files/a.txt', 'file')
  vault.put('Drafts/reply.md', reply)
  vault.put('Drafts/lunch.md', lunch)
  vault.put('Needs_Action/reply.md', mail)
  vault.put('Needs_Action/invoice.md', delegation)
  const drafts = (...args: string[]) => agentmail(['drafts', ...args], { env: vault.env })
  return { vault, drafts }
}

export const recorded = (vault: TestVault): Record<string, unknown>[] =>
  vault
    .text('Logs/approvals.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
