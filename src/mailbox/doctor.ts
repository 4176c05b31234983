/** Doctor: what is wrong in a post office, each with what to do about it. */
import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs'
import { asStorageError, checkUntracked } from '../system/post-office-folder.ts'
import { nameOfMailboxFile } from './names.ts'
import type { PostOffice } from './post-office.ts'
import type { TmuxView } from './tmux.ts'
import { hasLeft, isGone, namesHeld, oddities } from './whereabouts.ts'

export interface Finding {
  subject: string
  problem: string
  advice: string
}

/** `view`: what tmux tells, or nothing when it cannot be asked. */
export async function examine(office: PostOffice, view: TmuxView | undefined): Promise<Finding[]> {
  const found = async (look: () => Finding[] | Promise<Finding[]>) => {
    try {
      return await look()
    } catch (error) {
      const { message, next = '' } = asStorageError(error)
      return [{ subject: office.dir, problem: message, advice: next }]
    }
  }
  const brought = await found(() => {
    checkUntracked(office.dir)
    return []
  })
  if (brought.length > 0) return brought
  const looks = [
    () => strangers(office),
    () => mailboxFindings(office, view),
    () => recipientFindings(office),
    () => windowFindings(office, view),
  ]
  return (await Promise.all(looks.map(found))).flat()
}

async function windowFindings(office: PostOffice, view: TmuxView | undefined): Promise<Finding[]> {
  const odd = view ? await oddities(view, office.recipients.list(), office) : []
  return odd.map(({ name, ...finding }) => ({ subject: `window ${name}`, ...finding }))
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

function mailboxFindings(office: PostOffice, view: TmuxView | undefined): Finding[] {
  const known = office.recipients.list()
  const { panes } = view ?? { panes: [] }
  const held = namesHeld(panes, known)
  const isHere = (name: string) =>
    held.has(name) || known.some((one) => one.name === name && !isGone(one, panes, held))
  const others = office.mailboxNames().filter((name) => name !== office.person)
  return others.flatMap((name) => {
    const { unread, damaged } = office.mailbox(name).inspect()
    const findings: Finding[] = damaged.map(({ number, offset, reason }) => ({
      subject: `mailbox ${name}`,
      problem: `line ${number} (byte ${offset}) is ${reason}`,
      advice: 'It is kept and passed over. Mend or delete the line when no agent is running.',
    }))
    const isNobodys = view ? !isHere(name) : known.some((one) => one.name === name && hasLeft(one))
    if (isNobodys) {
      findings.push({
        subject: `mailbox ${name}`,
        problem: `no window has this name; ${unread} unread`,
        advice: 'Take the name to receive the mail (agentmail name <name>), or delete the file.',
      })
    }
    return findings
  })
}
