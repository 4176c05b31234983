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
}
export const byPerson: ByWhom = { isPerson: true }

/** What a draft that waits says of where it goes, from whom, and how it stands. Its text may change. */
const settled = new Set(
  'to cc bcc subject attachments reply_to_message_id status priority from reply_to provider'.split(
    ' ',
  ),
)

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

export const isInDrafts = (place: NotePath): boolean =>
  place.folders.length > 0 && topOf(place) === 'drafts'

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
  if (isRules(place)) {
    throw denied(
      `only a person may change Rules.md, which decides about mail: ${pathOf(place)}`,
      'Tell the person what you would change.',
    )
  }
}

/** A draft that waits stays where it is. */
export function refuseMove(place: NotePath, file: NoteFile): void {
  if (!isInDrafts(place) || !mayWait(file)) return
  throw denied(
    `only a person may move a draft that waits for approval: ${pathOf(place)}`,
    'Ask the person: agentmail drafts reject puts it away.',
  )
}

/** Of a draft that waits, the text may change, and nothing of where it goes. */
export function refuseChange(
  place: NotePath,
  file: NoteFile | undefined,
  wanted: Record<string, unknown>,
): void {
  if (!file || !isInDrafts(place)) return
  const values = valuesOf(file)
  if (!values) {
    if (!mayWait(file)) return
    throw denied(
      `only a person may mend a draft that may wait for approval: ${pathOf(place)}`,
      'Tell the person what is wrong with it.',
    )
  }
  if (!isWaiting(values)) return
  const names = new Set([...Object.keys(values), ...Object.keys(wanted)])
  const changed = [...names].filter(
    (name) => settled.has(name.toLowerCase()) && !isSame(values, wanted, name),
  )
  if (changed.length === 0) return
  throw denied(
    `only a person may change ${changed.join(', ')} of a draft that waits for approval: ${pathOf(place)}`,
    'Give these as read_note gave them, and change the body alone; or write another draft.',
  )
}

const isSame = (one: Record<string, unknown>, other: Record<string, unknown>, name: string) =>
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
