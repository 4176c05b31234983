/** Doctor: what is wrong in a post office, each with what to do about it. */
import type { PostOffice } from './post-office.ts'

export interface Finding {
  subject: string
  problem: string
  advice: string
}

/** `windows`: the names of all tmux windows, or nothing when tmux cannot be asked. */
export function examine(office: PostOffice, windows: Set<string> | undefined): Finding[] {
  const findings: Finding[] = []
  const outside = new Set(
    office.recipients.list().flatMap(({ name, tmux }) => (tmux === false ? [name] : [])),
  )
  for (const name of office.mailboxNames()) {
    const { unread, damaged } = office.mailbox(name).inspect()
    for (const { number, offset, reason } of damaged) {
      findings.push({
        subject: `mailbox ${name}`,
        problem: `line ${number} (byte ${offset}) is ${reason}`,
        advice: 'It is kept and passed over. Mend or delete the line when no agent is running.',
      })
    }
    if (windows && !windows.has(name) && !outside.has(name)) {
      findings.push({
        subject: `mailbox ${name}`,
        problem: `no window has this name; ${unread} unread`,
        advice: 'Rename a window to it to receive the mail, or delete the file.',
      })
    }
  }
  for (const number of office.recipients.damagedLines()) {
    findings.push({
      subject: 'recipients.jsonl',
      problem: `line ${number} is not a recipient`,
      advice: 'It is kept and passed over. Mend or delete the line.',
    })
  }
  return findings
}
