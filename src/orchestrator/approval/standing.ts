/** Whether a note in Approved/ may be sent: as a person approved it by command, as a person put it there by hand, or not at all. */
import type { BigIntStats } from 'node:fs'
import { type Fields, has } from '../../email/drafts/draft-fields.ts'
import { draftOf, type Seen, seenOf } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { nameOf } from '../../vault/note-path.ts'
import { statNote } from '../../vault/note-stat.ts'
import { type Note, notFound, readNote } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { sentApprovals } from '../sends.ts'
import { type Approval, type Approvals, fileOf, recipientOf, type Verdict } from './approvals.ts'
import { changedSince } from './changes.ts'
import type { Records } from './records.ts'

export type Standing =
  | { is: 'approved'; by: 'command'; approval: Approval; sha256: string }
  | { is: 'by hand'; sha256: string }
  | { is: 'void'; reason: string }

const again =
  'Approve it as it is now with agentmail drafts approve: moved by hand it does not count any more.'

/** @param note in Approved/. @param stat which file it is. @param sent the ids of the approvals whose mails have left. */
export async function standingOf(
  vault: Vault,
  approvals: Approvals,
  note: Note,
  stat: Pick<BigIntStats, 'ino' | 'birthtimeNs'>,
  sent: ReadonlySet<string>,
): Promise<Standing> {
  let seen: Seen
  try {
    seen = await seenOf(vault, note)
  } catch (error) {
    return voidFor(error)
  }
  const { hash: sha256 } = seen
  // What was said about a mail that has left is not about another one of that name.
  const verdicts = (await approvals.verdicts()).filter(
    (one) => !sent.has(one.id) || one.sha256 === sha256,
  )
  // Its own name counts most: of two notes that trade names, each would belong to both approvals.
  const verdict =
    newestFor(verdicts, note.path) ??
    verdicts.findLast((one) => isOfSame(one, note, fileOf(stat), sha256))
  if (verdict) return judged(verdict, verdicts, note, sha256)
  const claimed = ['approved_by', 'approved_at', 'approved_sha256'].find((field) =>
    has(note.frontmatter, field),
  )
  if (claimed) {
    return {
      is: 'void',
      reason: `it has ${claimed}, but was approved elsewhere or by editing. Approve it with agentmail drafts approve.`,
    }
  }
  const gone = await goneApproval(vault, verdicts, note)
  if (!gone) return byHand(vault, note, seen)
  return {
    is: 'void',
    reason: `it may be ${gone.note}, which ${gone.by} approved at ${gone.timestamp} and which is not there any more. Approve it with agentmail drafts approve.`,
  }
}

/** A person may not have seen what was changed since it was proposed. */
async function byHand(vault: Vault, note: Note, seen: Seen): Promise<Standing> {
  const changed = await changedSince(vault, note, seen)
  const strange = changed?.filter((name) =>
    ['kind', 'to', 'cc', 'bcc', 'attachments'].includes(name),
  )
  if (!strange?.length) return { is: 'by hand', sha256: seen.hash }
  return {
    is: 'void',
    reason: `it was changed since it was proposed: ${strange.join(', ')}. Put that back, write the draft anew under another name, or approve it as it is: agentmail drafts approve ${note.path}`,
  }
}

/** A mail to the same people that was approved by command, and whose note has gone unsent: this may be it, renamed and changed. */
async function goneApproval(
  vault: Vault,
  verdicts: readonly Verdict[],
  note: Note,
): Promise<Approval | undefined> {
  const to = recipientOf(draftOf(note))
  for (const one of verdicts) {
    if (one.event !== 'approved' || one.to !== to || newestFor(verdicts, one.note) !== one) continue
    const places = ['Approved', 'Drafts', 'Done'].map((folder) => `${folder}/${nameOf(one.note)}`)
    const found = await Promise.all(places.map((place) => statNote(vault, place)))
    if (found.every((stat) => stat === undefined)) return one
  }
  return undefined
}

/** The same for a note that is yet to be read. */
export async function standingAt(
  { vault, approvals, sends }: Records,
  path: string,
): Promise<Standing> {
  try {
    const stat = await statNote(vault, path)
    if (!stat) throw notFound(path)
    const sent = sentApprovals(await sends())
    return await standingOf(vault, approvals, await readNote(vault, path), stat, sent)
  } catch (error) {
    return voidFor(error)
  }
}

/** The last word about the note of this name, in whatever folder it was. */
export const newestFor = (verdicts: readonly Verdict[], path: string): Verdict | undefined =>
  verdicts.findLast(({ note }) => ownName(note) === ownName(path))

/** Under another name: the same file, the same mail, or another answer. What was rejected says nothing about other notes. */
const isOfSame = (
  verdict: Verdict,
  { frontmatter }: Note,
  file: string | undefined,
  sha256: string,
): boolean =>
  verdict.event === 'approved' &&
  (verdict.sha256 === sha256 ||
    (verdict.file !== undefined && verdict.file === file) ||
    (has(frontmatter, 'reply_to_message_id') &&
      verdict.reply_to_message_id === frontmatter.reply_to_message_id))

function judged(
  verdict: Verdict,
  verdicts: readonly Verdict[],
  { path, frontmatter }: Note,
  sha256: string,
): Standing {
  const { by, timestamp } = verdict
  const refused = (reason: string): Standing => ({ is: 'void', reason })
  if (verdict.event === 'rejected') {
    return refused(
      `it was rejected by ${by} at ${timestamp}. Approve it with agentmail drafts approve if it is to be sent after all.`,
    )
  }
  const approved = `it was approved by ${by} at ${timestamp}`
  if (composed(verdict.note) !== composed(path)) {
    return refused(
      `it was changed, renamed or copied after ${approved} as ${verdict.note}. ${again}`,
    )
  }
  if (verdict.sha256 !== sha256) return refused(`it was changed after ${approved}. ${again}`)
  // Two people may approve the same at once: the note names one, the newest in the record is the other.
  const approval = verdicts.findLast(
    (one) =>
      one.event === 'approved' &&
      one.sha256 === sha256 &&
      one.note === verdict.note &&
      isTold(frontmatter, one),
  )
  if (approval?.event === 'approved') return { is: 'approved', by: 'command', approval, sha256 }
  return refused(`what it says of its approval was changed after ${approved}. ${again}`)
}

/** Nothing is trusted for what these fields say; but a note that tells something else than the record was tampered with. */
const isTold = (fields: Fields, approval: Approval): boolean =>
  Object.entries(approvalFields(approval)).every(
    ([field, value]) => !has(fields, field) || fields[field] === value,
  )

/** What an approval adds to the front matter of its note. */
export const approvalFields = ({ by, timestamp, sha256 }: Approval) => ({
  approved_by: by,
  approved_at: timestamp,
  approved_sha256: sha256,
})

/** A failure of the disk says nothing about the note. */
function voidFor(error: unknown): Standing {
  if (!AgentMailError.is(error) || ['storage', 'database_lost', 'busy'].includes(error.code)) {
    throw error
  }
  const next = error.next ? ` ${error.next}` : ''
  return { is: 'void', reason: `it cannot be sent: ${error.message}.${next}` }
}

const ownName = (path: string): string => composed(nameOf(path))
const composed = (text: string): string => text.normalize('NFC')
