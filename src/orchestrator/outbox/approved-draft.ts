/** A draft as it lies in Approved/ now: what it asks for, and whether a person stands behind it. */
import type { BigIntStats } from 'node:fs'
import { type Asked, draftOf, hashOf } from '../../email/drafts/draft-note.ts'
import { sha256 } from '../../system/text.ts'
import { nameOf } from '../../vault/note-path.ts'
import { statNote } from '../../vault/note-stat.ts'
import { type Note, readNote, unlessMissing } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Approvals } from '../approval/approvals.ts'
import { type Standing, standingOf } from '../approval/standing.ts'
import { type DraftSend, type DraftSends, sentApprovals } from '../sends.ts'

export interface ApprovedDraft {
  note: Note
  /** Of its file. */
  name: string
  stat: BigIntStats
  asked: Asked
  /** Of what will be sent; empty where it cannot be. */
  hash: string
  standing: Standing
}

/** Read from the file, as approvals are: a server could give it in another form. Nothing where it has gone meanwhile. */
export async function readApproved(
  { vault, approvals, sends }: { vault: Vault; approvals: Approvals; sends: DraftSends },
  path: string,
): Promise<ApprovedDraft | undefined> {
  return unlessMissing(async () => {
    const note = await readNote(vault, path)
    const stat = await statNote(vault, path)
    if (!stat) return undefined
    const asked = draftOf(note)
    const sent = sentApprovals(sends.list())
    const standing = await standingOf(vault, approvals, note, stat, sent)
    const hash =
      standing.is === 'void' ? await hashOf(vault, note).catch(() => '') : standing.sha256
    return { note, name: nameOf(path), stat, asked, hash, standing }
  })
}

/** The same draft has the same key, also for a run that has lost its memory. */
export function keyOf({ name, hash, standing }: ApprovedDraft): string {
  const what = standing.is === 'approved' ? [standing.approval.id] : [name, hash]
  return `draft-${sha256(JSON.stringify(what)).slice(0, 32)}`
}

/** Whether the entry is about a mail that may have left, and this draft may be that mail. */
export const mayBe = ({ name, hash }: ApprovedDraft, entry: DraftSend): boolean =>
  (entry.state === 'sending' || entry.state === 'unknown') &&
  !entry.is_filed &&
  (entry.name === name || entry.sha256 === hash)

/** A person who knew how it stood has approved it again, by command: a note alone may be a stale copy. */
export const isApprovedAnew = ({ standing }: ApprovedDraft, entry: DraftSend): boolean =>
  standing.is === 'approved' &&
  standing.approval.id !== entry.approval_id &&
  entry.ended_at !== undefined &&
  standing.approval.timestamp > entry.ended_at

/** What was sent that this draft repeats: `same` for the very mail, `other` where its note was changed before it could be put away. */
export function repeated(draft: ApprovedDraft, entry: DraftSend): 'same' | 'other' | undefined {
  const { name, hash, asked } = draft
  if (entry.state !== 'sent' || isApprovedAnew(draft, entry)) return undefined
  const answers = asked.kind === 'mail' ? asked.request.reply_to_message_id : undefined
  const isAnswer = answers !== undefined && answers === entry.reply_to_message_id
  if (entry.sha256 === hash && (entry.name === name || isAnswer)) return 'same'
  return entry.name === name && !entry.is_filed ? 'other' : undefined
}

/** As a note says that it is not to be sent any more. */
const ended = new Set<unknown>(['done', 'sent', 'rejected'])
export const hasEnded = ({ note }: ApprovedDraft): boolean => ended.has(note.frontmatter.status)
