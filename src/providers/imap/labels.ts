/** Labels on an IMAP server: folders, flags and keywords; a mail is moved by moving it. */
import { AgentMailError } from '../../errors.ts'
import { labelNamed, sortedLabels } from '../label-names.ts'
import { ImapRefusal } from './error.ts'
import {
  allUse,
  archiveFolder,
  folderFor,
  inboxFolder,
  type MailFolder,
  mailFolders,
} from './folders.ts'
import { canKeep, flagOf, isFlagLabel, keywordLabels, labelsOfFlags } from './keywords.ts'
import { copiesIn, goneMeanwhile, type ImapHead, type MailPlaces } from './places.ts'
import type { ImapSession } from './session.ts'

/** Another program may move the mail at the same moment, but hardly ever again and again. */
const tries = 3

/** Puts a mail under a label and takes it out of the inbox. */
export const moveMail = (session: ImapSession, places: MailPlaces, id: string, label: string) =>
  untilThere(session, places, id, async (head) => {
    const name = await labelMeant(session, head, label)
    if (!isFlagLabel(name)) return moveTo(session, id, head, await folderFor(session, name))
    await setFlag(session, id, head, name)
    return moveTo(session, id, head, await archiveFolder(session), { fromInbox: true })
  })

/** Puts a mail under one label more. */
export const labelMail = (session: ImapSession, places: MailPlaces, id: string, label: string) =>
  untilThere(session, places, id, async (head) => {
    const name = await labelMeant(session, head, label)
    // What is spam, or was thrown away, is nowhere else.
    if (/^(?:SPAM|TRASH)$/.test(name))
      return moveTo(session, id, head, await folderFor(session, name))
    if (isFlagLabel(name)) return setFlag(session, id, head, name)
    const { permanentFlags } = await session.open(head.path, true)
    // A folder of Gmail is a label there, a keyword is not.
    const isKept = !session.isGmail && canKeep(permanentFlags, name)
    const places = name !== 'INBOX' && isKept && (await keywordSet(session, id, head, name))
    return places || copyTo(session, id, head, await folderFor(session, name))
  })

/** @param work gives the folders that the mail is in then. */
async function untilThere(
  session: ImapSession,
  places: MailPlaces,
  id: string,
  work: (head: ImapHead) => Promise<MailFolder[]>,
): Promise<string[]> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const folders = await work(await places.find(session, id))
    const labels: string[] = []
    for (const folder of folders) {
      const copies = await copiesIn(session, folder, id)
      for (const copy of copies) places.remember(copy)
      if (copies.length > 0 && folder.use !== allUse) labels.push(folder.label)
      labels.push(...copies.flatMap(({ flags }) => labelsOfFlags(flags)))
    }
    if (labels.length > 0) return sortedLabels([...new Set(labels)])
  }
  throw goneMeanwhile()
}

/** Labels are told from each other without regard to case, and keep the one they were first written in. */
async function labelMeant(session: ImapSession, head: ImapHead, label: string): Promise<string> {
  const folders = await mailFolders(session)
  const { flags } = await session.open(head.path)
  return labelNamed(label, [
    ...folders.map((folder) => folder.label),
    ...keywordLabels(flags).keys(),
  ])
}

const folderOf = async (session: ImapSession, { path }: ImapHead): Promise<MailFolder> =>
  (await mailFolders(session)).find((folder) => folder.path === path) ?? inboxFolder

/** @param fromInbox leaves it where it is, unless that is the inbox. */
async function moveTo(
  session: ImapSession,
  id: string,
  head: ImapHead,
  folder: MailFolder,
  { fromInbox = false } = {},
): Promise<MailFolder[]> {
  const isThere = (await copiesIn(session, folder, id)).length > 0
  const isInbox = folder.path === inboxFolder.path
  const inInbox = isInbox ? [] : await copiesIn(session, inboxFolder, id, true)
  if (inInbox.length === 0) {
    if (isThere) return [folder]
    if (fromInbox) return [await folderOf(session, head)]
    await session.open(head.path, true)
    await session.move([head.uid], folder.path)
    return [folder]
  }
  const [newest, ...others] = inInbox.map(({ uid }) => uid)
  if (newest !== undefined && !isThere) await session.move([newest], folder.path)
  await session.remove(isThere && newest !== undefined ? [newest, ...others] : others)
  return [folder]
}

async function copyTo(
  session: ImapSession,
  id: string,
  head: ImapHead,
  folder: MailFolder,
): Promise<MailFolder[]> {
  const own = await folderOf(session, head)
  if (folder.path === own.path) return [own]
  if ((await copiesIn(session, folder, id)).length === 0) {
    await session.open(head.path)
    await session.copy([head.uid], folder.path)
  }
  return [own, folder]
}

/** Nothing where the folder has as many keywords as it can have. */
const keywordSet = (session: ImapSession, id: string, head: ImapHead, label: string) =>
  setFlag(session, id, head, label).catch((error: unknown) => {
    if (error instanceof ImapRefusal && error.reason === 'LIMIT') return undefined
    throw error
  })

/** On every copy of it in the inbox, and where it was found. */
async function setFlag(
  session: ImapSession,
  id: string,
  head: ImapHead,
  label: string,
): Promise<MailFolder[]> {
  const own = await folderOf(session, head)
  const folders = own.path === inboxFolder.path ? [own] : [inboxFolder, own]
  for (const folder of folders) {
    const uids = (await copiesIn(session, folder, id, true)).map(({ uid }) => uid)
    if (uids.length === 0) continue
    const { permanentFlags } = await session.open(folder.path, true)
    if (label === 'UNREAD') await session.removeFlags(uids, ['\\Seen'])
    else await session.addFlags(uids, [permitted(permanentFlags, flagOf(label), label)])
  }
  return folders
}

/** The library leaves out what a folder does not take, without a word. */
function permitted(flags: ReadonlySet<string> | undefined, flag: string, label: string): string {
  if (!flags || flags.has('\\*')) return flag
  const known = [...flags].find((one) => one.toLowerCase() === flag.toLowerCase())
  if (known !== undefined) return known
  throw new AgentMailError(
    'invalid_request',
    `the mail server cannot mark mails as ${label.toLowerCase()}`,
    'Name another label: it becomes a folder.',
  )
}
