/** A person approves a draft: recorded first, then told in the note, then moved; killed in between, the same call completes it. */

import type { Config } from '../../config.ts'
import { type Asked, answeredBy, hashOf, seenOf } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { untilAnswered } from '../../system/retry.ts'
import { byPerson } from '../../vault/decided.ts'
import { moveNote } from '../../vault/move.ts'
import { nameOf } from '../../vault/note-path.ts'
import { statNote } from '../../vault/note-stat.ts'
import { type Note, readNote, writeNote } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { type Approval, fileOf, recipientOf } from './approvals.ts'
import { checkVersion, otherVersion, versionOf } from './changes.ts'
import {
  checkAgent,
  checkReplySubject,
  isOvertaken,
  mostTries,
  oneLine,
  refuseEnded,
  refuseRecipients,
  refuseRejected,
  refuseSent,
  refuseTaken,
  wasRejected,
  withAgent,
} from './checks.ts'
import { toBeGiven } from './giving.ts'
import type { Records } from './records.ts'
import { rejectedBefore } from './reject.ts'
import { approvalFields, newestFor, standingAt } from './standing.ts'

interface Word {
  by: string
  /** Of what the person has seen: nothing else is approved, whatever the note has become. */
  version: string
  /** Who is to be given a mail that is delegated, or that waits. */
  agent?: string | undefined
  /** Says whom mail may go to; without it, whoever sends will say. */
  config?: Config | undefined
}

export interface ApprovedNote {
  path: string
  version: string
  sha256: string
  approved_by: string
  approved_at: string
  /** Whether it was so before. */
  already: boolean
  /** What will be sent. */
  asked: Asked
}

/** @example await approve(records, 'Drafts/hello.md', { by: 'anna', version: '3f0a91c2b4d7e865' }) // { path: 'Approved/hello.md', … } */
export async function approve(records: Records, path: string, word: Word): Promise<ApprovedNote> {
  const by = oneLine('the name of who approves', word.by, 255)
  const who = { ...word, by, version: checkVersion(word.version) }
  const approved = await untilAnswered({ tries: mostTries }, async () =>
    tryToApprove(records, await findNote(records, path), who),
  )
  if (approved) return approved
  throw new AgentMailError('busy', `${path} is being changed all the time`, 'Try again.')
}

/** One that is gone from its place may have been approved before, or rejected. */
async function findNote(records: Records, path: string): Promise<Note> {
  const { vault } = records
  try {
    return await readNote(vault, path)
  } catch (error) {
    if (!AgentMailError.is(error) || error.code !== 'not_found') throw error
    const { is } = await standingAt(records, approvedPath(path))
    if (is === 'approved') return readNote(vault, approvedPath(path))
    const rejected = await rejectedBefore(vault, path)
    throw rejected ? wasRejected(rejected.path) : error
  }
}

const approvedPath = (path: string): string => `Approved/${nameOf(path)}`

/** Nothing where the note was changed meanwhile. */
async function tryToApprove(
  records: Records,
  read: Note,
  { by, agent, version, config }: Word,
): Promise<ApprovedNote | undefined> {
  const { vault, approvals } = records
  const found = agent === undefined ? read : toBeGiven(read)
  refuseRejected(found)
  refuseEnded(found)
  const note = agent === undefined ? found : withAgent(found, agent)
  const asked = checkAgent(note)
  // Read once: what is compared is what is recorded.
  const seen = await seenOf(vault, found)
  const sha256 = agent === undefined ? seen.hash : await hashOf(vault, note)
  const destination = approvedPath(note.path)
  const before = newestFor(await approvals.verdicts(), destination)
  // A command that was killed may have named the agent in the note already.
  const isBegun =
    before?.event === 'approved' && before.sha256 === sha256 && before.seen?.startsWith(version)
  if (!seen.hash.startsWith(version) && !isBegun) {
    throw await otherVersion(vault, found, version, seen)
  }
  if (config) await refuseRecipients(config, vault, asked)
  await checkReplySubject(vault, note)
  await refuseSent(records, note, sha256)
  const isThere = destination === note.path
  if (!isThere) await refuseTaken(vault, note.path, destination)
  // An approval that has come to Approved/ was taken back by whoever moved the note out again.
  const isRecorded =
    before?.event === 'approved' &&
    before.sha256 === sha256 &&
    before.note === destination &&
    (isThere || before.file === undefined)
  const approval = isRecorded
    ? before
    : approvals.approved({
        by,
        note: destination,
        draft: note.path,
        sha256,
        seen: seen.hash,
        to: recipientOf(asked),
        reply_to_message_id: answeredBy(note.frontmatter) ?? null,
      })
  try {
    await place(vault, note, approval)
  } catch (error) {
    if (isOvertaken(error)) return undefined
    throw error
  }
  const stat = await statNote(vault, destination)
  const file = stat && fileOf(stat)
  if (file !== undefined && file !== approval.file) approvals.placed(approval, file)
  const { approved_by, approved_at } = approvalFields(approval)
  return {
    path: destination,
    version: versionOf(sha256),
    sha256,
    approved_by,
    approved_at,
    already: isRecorded && isThere,
    asked,
  }
}

/** Written into the note, which then goes to Approved/ unless it is there. */
async function place(vault: Vault, note: Note, approval: Approval): Promise<void> {
  const frontmatter = { ...withoutTrouble(note.frontmatter), ...approvalFields(approval) }
  const { path, body, etag } = note
  const written = await writeNote(vault, { path, frontmatter, body, if_match: etag }, byPerson)
  if (path === approval.note) return
  await moveNote(
    vault,
    { source: path, destination: approval.note, if_match: written.etag },
    byPerson,
  )
}

/** Why it could not be sent before has been dealt with. */
function withoutTrouble(fields: Record<string, unknown>): Record<string, unknown> {
  if (fields.status !== 'blocked' && fields.status !== 'failed') return fields
  const { reason: _, ...others } = fields
  return { ...others, status: 'pending_approval' }
}
