/** A vault with drafts that wait for a person. */
import { agentmail, type Ran } from '../agentmail.ts'
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
  /** As somebody who has looked at it just now. */
  const approve = async (note: string, ...args: string[]) =>
    drafts('approve', note, '--version', await versionOf(drafts, note), ...args)
  return { vault, drafts, approve }
}

/** As it is shown; of what cannot be shown, some version. */
export async function versionOf(
  drafts: (...args: string[]) => Promise<Ran>,
  note: string,
): Promise<string> {
  const { stdout } = await drafts('show', note, '--json')
  return (stdout && JSON.parse(stdout).version) || '0'.repeat(16)
}

export const recorded = (vault: TestVault): Record<string, unknown>[] =>
  vault
    .text('Logs/approvals.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
