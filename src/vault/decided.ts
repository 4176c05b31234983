/** What only a person decides, so that no tool may: what is approved, what the rules are, and where and to whom a draft goes that waits. */
import { isDeepStrictEqual } from 'node:util'
import { AgentMailError } from '../errors.ts'
import type { NoteFile } from './note-file.ts'
import { type NotePath, pathOf } from './note-path.ts'
import { takeApart } from './notes.ts'

/** A note that is to be put into its place, and what it was before. */
export interface Putting {
  path: string
  frontmatter: Record<string, unknown>
  body: string
  /** Where it comes from, of one that is moved. */
  from?: string
  /** As it was, of one that is changed; nothing where it could not be read. */
  old?: { frontmatter: Record<string, unknown>; body: string } | undefined
}

/** Whose wish it is. */
export interface ByWhom {
  isPerson?: boolean
  /** Is told before anything is in its place. */
  before?: (putting: Putting) => Promise<void>
  /** Is told when it is. */
  after?: () => Promise<void>
}
export const byPerson: ByWhom = { isPerson: true }

const words = (text: string): Set<string> => new Set(text.split(' '))

/** What a draft that waits says of where it goes, from whom, how, and how it stands. Its text may change. */
const ofDrafts = words(
  'to cc bcc subject attachments reply_to_message_id status priority from reply_to provider html track_opens track_links tag metadata message_stream template template_model',
)

/** What a mail that waits to be handed over says of itself and of whom it goes to. */
const ofMails = words('message_id from subject date triage status delegate_to')

/** What a mail that came in is known to be, by the ledger: a person is offered to act on it. */
const known = words('answers answers_project')

/** However a file system may let it be spelled: some know no case, some no accents' form, some no invisible signs. */
const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase()

const topOf = ({ folders: [top], name }: NotePath): string => plainName(top ?? name)

const isApproved = (place: NotePath): boolean =>
  place.folders.length > 0 && topOf(place) === 'approved'

/** Also a folder of that name, which would keep the person from having rules. */
const isRules = (place: NotePath): boolean => topOf(place) === 'rules.md'

const isIn = (top: string, { folders }: NotePath): boolean => plainName(folders[0] ?? '') === top

export const isInDrafts = (place: NotePath): boolean => isIn('drafts', place)

/** What is settled of a note there that waits: a draft, or a mail that is to be handed over. */
function settledOf(place: NotePath, file: NoteFile): Set<string> | undefined {
  if (isInDrafts(place)) return mayWait(file) ? ofDrafts : undefined
  const values = isIn('needs_action', place) ? valuesOf(file) : undefined
  return values?.triage === 'delegate' && isWaiting(values) ? ofMails : undefined
}

/** Where the files of drafts are kept as they were when they were proposed. */
const isOfDraft = (place: NotePath): boolean =>
  isInDrafts(place) && plainName(place.folders[1] ?? '') === 'attachments'

/** Whether links in it are left alone: what is approved, the rules, and a draft that waits. */
export const isDecided = (place: NotePath, file: Pick<NoteFile, 'bytes'>): boolean =>
  isApproved(place) || isRules(place) || (isInDrafts(place) && mayWait(file))

/** @param way what is about to happen with the note there. */
export function refuseDecided(place: NotePath, way: 'into' | 'out of' = 'into'): void {
  if (isApproved(place)) {
    throw denied(
      `only a person may ${way === 'into' ? 'put' : 'take'} a note ${way} Approved/: ${pathOf(place)}`,
      way === 'into'
        ? 'Write it to Drafts/ and ask the person to approve it.'
        : 'Ask the person: agentmail drafts reject takes it back.',
    )
  }
  if (isOfDraft(place)) {
    throw denied(
      `only a person may change what goes out with a draft: ${pathOf(place)}`,
      'Keep files of your own elsewhere in the vault.',
    )
  }
  if (isRules(place)) {
    throw denied(
      `only a person may change Rules.md, which decides about mail: ${pathOf(place)}`,
      'Tell the person what you would change.',
    )
  }
}

/** What waits stays where it is, and no note comes to the mails that says whose it is. */
export function refuseMove(place: NotePath, file: NoteFile, to: NotePath): void {
  if (isIn('needs_action', to) && !isIn('needs_action', place)) {
    refuseKnown(to, {}, valuesOf(file) ?? {})
  }
  if (!settledOf(place, file)) return
  throw denied(
    `only a person may move a note that waits for approval: ${pathOf(place)}`,
    'Ask the person: agentmail drafts reject puts it away.',
  )
}

/** Of what waits, the text may change, and nothing of where it goes. */
export function refuseChange(
  place: NotePath,
  file: NoteFile | undefined,
  wanted: Record<string, unknown>,
): void {
  if (isIn('needs_action', place)) refuseKnown(place, (file && valuesOf(file)) ?? {}, wanted)
  const settled = file && settledOf(place, file)
  if (!settled) return
  const values = valuesOf(file)
  if (!values) {
    throw denied(
      `only a person may mend a note that may wait for approval: ${pathOf(place)}`,
      'Tell the person what is wrong with it.',
    )
  }
  const changed = changedOf(settled, values, wanted)
  if (changed.length === 0) return
  throw denied(
    `only a person may change ${changed.join(', ')} of a note that waits for approval: ${pathOf(place)}`,
    'Give these as read_note gave them, and change the body alone; or write another draft in Drafts/.',
  )
}

type Values = Record<string, unknown>

function refuseKnown(place: NotePath, values: Values, wanted: Values): void {
  const changed = changedOf(known, values, wanted)
  if (changed.length === 0) return
  throw denied(
    `only a person may change ${changed.join(', ')} of a mail that came in: ${pathOf(place)}`,
    'Give these as read_note gave them: the ledger says whose mail a mail answers.',
  )
}

function changedOf(some: Set<string>, values: Values, wanted: Values): string[] {
  const names = new Set([...Object.keys(values), ...Object.keys(wanted)])
  return [...names].filter((name) => some.has(name.toLowerCase()) && !isSame(values, wanted, name))
}

const isSame = (one: Values, other: Values, name: string) =>
  Object.hasOwn(one, name) === Object.hasOwn(other, name) &&
  isDeepStrictEqual(one[name], other[name])

const waits = 'pending_approval'

/** In whatever case, and also as one of several: a list of notes finds it by each. */
const isWaiting = (values: Record<string, unknown>): boolean =>
  Object.entries(values)
    .filter(([name]) => name.toLowerCase() === 'status')
    .flatMap(([, value]) => value)
    .some((one) => typeof one === 'string' && one.trim().toLowerCase() === waits)

/** What cannot be read may wait if it says so anywhere. */
function mayWait(file: Pick<NoteFile, 'bytes'>): boolean {
  const values = valuesOf(file)
  if (values) return isWaiting(values)
  return !file.bytes || file.bytes.toString().toLowerCase().includes(waits)
}

function valuesOf({ bytes }: Pick<NoteFile, 'bytes'>): Record<string, unknown> | undefined {
  try {
    return bytes && takeApart(bytes).frontMatter.values
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

const denied = (message: string, next: string) =>
  new AgentMailError('permission_denied', message, next)
