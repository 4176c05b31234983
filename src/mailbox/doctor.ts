/** Doctor: what is wrong in a post office, each with what to do about it. */
import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs'
import { asStorageError, checkUntracked } from '../system/post-office-folder.ts'
import { nameOfMailboxFile } from './names.ts'
import type { PostOffice } from './post-office.ts'

export interface Finding {
  subject: string
  problem: string
  advice: string
}

/** `windows`: the names of all tmux windows, or nothing when tmux cannot be asked. */
export function examine(office: PostOffice, windows: Set<string> | undefined): Finding[] {
  const found = (look: () => Finding[]) => {
    try {
      return look()
    } catch (error) {
      const { message, next = '' } = asStorageError(error)
      return [{ subject: office.dir, problem: message, advice: next }]
    }
  }
  const brought = found(() => {
    checkUntracked(office.dir)
    return []
  })
  if (brought.length > 0) return brought
  return [
    () => strangers(office),
    () => mailboxFindings(office, windows),
    () => recipientFindings(office),
  ].flatMap(found)
}

const recipientFindings = (office: PostOffice): Finding[] =>
  office.recipients.damagedLines().map((number) => ({
    subject: 'recipients.jsonl',
    problem: `line ${number} is not a recipient`,
    advice: 'It is kept and passed over. Mend or delete the line.',
  }))

/** What stands where the post office keeps a folder or a file, and is none. */
function strangers(office: PostOffice): Finding[] {
  const advice = 'Move it away: commands that need its place fail, and mail in it is not read.'
  const blocked = office.folders.find(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false,
  )
  if (blocked) return [{ subject: blocked, problem: 'is not a folder', advice }]
  const special = entriesOf(office.dir).filter((entry) => !entry.isFile() && !entry.isDirectory())
  const odd = entriesOf(office.mailboxesDir).filter((entry) => !isMailbox(entry))
  return [
    ...special.map(({ name }) => ({ subject: name, problem: 'is not a regular file', advice })),
    ...odd.map(({ name }) => ({ subject: `mailboxes/${name}`, problem: 'is no mailbox', advice })),
  ]
}

const entriesOf = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []

/** `.new` is what a rewrite leaves behind when it is killed; the next one clears it away. */
const isMailbox = (entry: Dirent) =>
  entry.isFile() && (entry.name.endsWith('.new') || nameOfMailboxFile(entry.name) !== undefined)

function mailboxFindings(office: PostOffice, windows: Set<string> | undefined): Finding[] {
  const recipients = office.recipients.list()
  const outside = new Set(recipients.filter(({ pane }) => pane === null).map(({ name }) => name))
  return office.mailboxNames().flatMap((name) => {
    const { unread, damaged } = office.mailbox(name).inspect()
    const findings: Finding[] = damaged.map(({ number, offset, reason }) => ({
      subject: `mailbox ${name}`,
      problem: `line ${number} (byte ${offset}) is ${reason}`,
      advice: 'It is kept and passed over. Mend or delete the line when no agent is running.',
    }))
    if (windows && !windows.has(name) && !outside.has(name)) {
      findings.push({
        subject: `mailbox ${name}`,
        problem: `no window has this name; ${unread} unread`,
        advice: 'Rename a window to it to receive the mail, or delete the file.',
      })
    }
    return findings
  })
}
