/** The folders of an account: which is which, and how each is called as a label. */
import type { ListResponse } from 'imapflow'
import { AgentMailError } from '../../errors.ts'
import { foldedLabel } from '../label-names.ts'
import { ImapRefusal } from './error.ts'
import type { ImapSession } from './session.ts'

export interface MailFolder {
  path: string
  /** One of the system's, or its name with a slash between the steps. */
  label: string
  /** What it is for, as the server says or its name does: \Sent, \Junk, … */
  use: string
}

/** What the folders of these labels are for, and how they are called where they have to be made. */
const systemFolders: Readonly<Record<string, { use: string; name: string }>> = {
  SENT: { use: '\\Sent', name: 'Sent' },
  DRAFT: { use: '\\Drafts', name: 'Drafts' },
  SPAM: { use: '\\Junk', name: 'Junk' },
  TRASH: { use: '\\Trash', name: 'Trash' },
}
const labelOfUse = new Map(Object.entries(systemFolders).map(([label, { use }]) => [use, label]))

const archiveUse = '\\Archive'
export const allUse = '\\All'
export const inboxFolder: MailFolder = { path: 'INBOX', label: 'INBOX', use: '\\Inbox' }

/** Those that hold mails and are the account's own; INBOX comes first. */
export async function mailFolders(session: ImapSession): Promise<MailFolder[]> {
  const listed = (await session.folders()).filter(
    ({ path, flags }) =>
      path.toUpperCase() !== 'INBOX' &&
      path.startsWith(session.prefix) &&
      !['\\Noselect', '\\NonExistent'].some((flag) => flags.has(flag)),
  )
  return [inboxFolder, ...listed.map((folder) => mailFolder(session, folder))]
}

function mailFolder(
  session: ImapSession,
  { path, specialUse, delimiter }: ListResponse,
): MailFolder {
  const use = specialUse ?? ''
  const name = path.slice(session.prefix.length)
  const label = labelOfUse.get(use) ?? (delimiter ? name.split(delimiter).join('/') : name)
  return { path, label, use }
}

export const folderLabelled = (folders: MailFolder[], label: string): MailFolder | undefined =>
  folders.find((folder) => foldedLabel(folder.label) === foldedLabel(label))

/** In the order in which a mail is looked for: where most are first, what was thrown away last. */
export function inSearchOrder(folders: MailFolder[]): MailFolder[] {
  const order = ['\\Inbox', allUse, archiveUse, '\\Sent']
  const last = ['\\Junk', '\\Trash']
  const rank = ({ use }: MailFolder) =>
    order.includes(use) ? order.indexOf(use) : order.length + 1 + last.indexOf(use)
  return folders.toSorted((one, other) => rank(one) - rank(other))
}

/** The folder of a label, made where it is missing. */
export async function folderFor(session: ImapSession, label: string): Promise<MailFolder> {
  const found = folderLabelled(await mailFolders(session), label)
  if (found) return found
  const system = systemFolders[label]
  return made(session, label, (system?.name ?? label).split('/'), system?.use ?? '')
}

/** Where mails go that leave the inbox and belong nowhere else. */
export async function archiveFolder(session: ImapSession): Promise<MailFolder> {
  const folders = await mailFolders(session)
  const all = session.isGmail ? folders.find(({ use }) => use === allUse) : undefined
  const own = folders.find(({ use }) => use === archiveUse) ?? folderLabelled(folders, 'Archive')
  return all ?? own ?? made(session, 'Archive', ['Archive'], archiveUse)
}

async function made(
  session: ImapSession,
  label: string,
  steps: string[],
  use: string,
): Promise<MailFolder> {
  const { delimiter, prefix } = session
  if (steps.some((step) => delimiter !== '' && step.includes(delimiter)))
    throw noName(label, `"${delimiter}" in its name`)
  if (delimiter === '' && steps.length > 1) throw noName(label, 'a folder in a folder')
  if (/[*%]/.test(label)) throw noName(label, '* or % in its name') // by which many are asked for
  const path = prefix + steps.join(delimiter)
  try {
    await session.create(path)
  } catch (error) {
    // Not every server says why: somebody may have made it at the same moment.
    const isThere = (await session.folders()).some((folder) => folder.path === path)
    if (!(error instanceof ImapRefusal)) throw error
    if (!isThere && /^(?:CANNOT)?$/.test(error.reason)) throw noName(label, 'such a name')
    if (!isThere) throw error
  }
  return { path, label, use }
}

const noName = (label: string, what: string) =>
  new AgentMailError(
    'invalid_request',
    `the mail server has no folder "${label.slice(0, 60)}", and can make none with ${what}`,
    'Name another label.',
  )
