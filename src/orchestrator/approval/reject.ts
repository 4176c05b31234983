/** A person rejects a draft: recorded first, then told in the note and in that of the mail, then out of the way. */

import { type Asked, answeredBy, kindOf, notADraft, seenOf } from '../../email/drafts/draft-note.ts'
import { proposalsOf } from '../../email/drafts/proposals.ts'
import { AgentMailError } from '../../errors.ts'
import { untilAnswered } from '../../system/retry.ts'
import { byPerson } from '../../vault/decided.ts'
import { moveNote } from '../../vault/move.ts'
import { nameOf, numbered } from '../../vault/note-path.ts'
import { type Note, notFound, readNote, writeNote } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { Approvals } from './approvals.ts'
import { notAsSeen } from './changes.ts'
import { isOvertaken, mostTries, oneLine, refuseEnded, topOf } from './checks.ts'
import { noteAt, notesOfMail } from './received-mail.ts'
import { type Records, refuseToReject } from './records.ts'
import { newestFor } from './standing.ts'

interface Why {
  by: string
  reason?: string | undefined
  /** Of what the person has seen, null where it could not be sent: then nothing else is rejected. */
  sha256?: string | null | undefined
}

export interface RejectedNote {
  path: string
  status: 'rejected' | 'needs_info'
  reason: string
  /** The note of the mail that waits for a person again, if there is one. */
  mail: string | null
}

/** Where a rejected note goes, and what it is then: a mail that was to be delegated still waits for somebody. */
const ends = {
  mail: { folder: 'Done', status: 'rejected', from: ['Drafts', 'Approved'] },
  delegation: { folder: 'Needs_Action', status: 'needs_info', from: ['Needs_Action', 'Approved'] },
} as const satisfies Record<Asked['kind'], object>

export async function reject(records: Records, path: string, why: Why): Promise<RejectedNote> {
  const { vault } = records
  const by = oneLine('the name of who rejects', why.by, 255)
  const reason = oneLine('the reason', why.reason ?? 'no reason was given', 1000)
  const rejected = await untilAnswered({ tries: mostTries }, async () => {
    const note = await noteAt(vault, path)
    if (!note) {
      const before = await rejectedBefore(vault, path)
      if (before) return before
      throw notFound(path)
    }
    try {
      return await tryToReject(records, note, { ...why, by, reason })
    } catch (error) {
      if (isOvertaken(error)) return undefined
      throw error
    }
  })
  if (rejected) return rejected
  throw new AgentMailError('busy', `${path} is being changed all the time`, 'Try again.')
}

/** One that is gone from its place because it was rejected, perhaps by a command that was killed before it could say so. */
export async function rejectedBefore(
  vault: Vault,
  path: string,
): Promise<RejectedNote | undefined> {
  const verdict = newestFor(await new Approvals(vault).verdicts(), path)
  for (const { folder, status } of Object.values(ends)) {
    for (let count = 1; verdict?.event === 'rejected'; count++) {
      const note = await noteAt(vault, placeIn(folder, path, count))
      if (!note) break
      const { frontmatter } = note
      const { reason } = verdict
      if (frontmatter.status === status && frontmatter.reason === reason) {
        return { path: note.path, status, reason, mail: await waitingMail(vault, note) }
      }
    }
  }
  return undefined
}

const placeIn = (folder: string, path: string, count: number): string =>
  `${folder}/${numbered(nameOf(path), count)}`

async function tryToReject(
  records: Records,
  note: Note,
  { by, reason, sha256: wanted }: Why & { reason: string },
): Promise<RejectedNote> {
  const { vault } = records
  const kind = kindOf(note)
  if (!kind) throw notADraft(note)
  const { folder, status, from } = ends[kind]
  refuseEnded(note)
  if (!from.some((one) => one === topOf(note.path))) throw elsewhere(note.path, from)
  const seen = (await ifAny(() => seenOf(vault, note))) ?? undefined
  const sha256 = seen?.hash ?? null
  if (wanted !== undefined && wanted !== sha256) throw await notAsSeen(vault, note, seen)
  await refuseToReject(records, nameOf(note.path))
  await record(vault, note, { by, reason, sha256 })
  // From here on it is not begun to be sent; it may have been a moment ago.
  await refuseToReject(records, nameOf(note.path))
  const { path, body, etag } = note
  const frontmatter = { ...note.frontmatter, status, reason }
  await writeNote(vault, { path, frontmatter, body, if_match: etag }, byPerson)
  const answered = await answeredIfAny(note)
  if (kind === 'mail' && answered !== null) await tellMail(vault, answered, reason)
  const destination = topOf(path) === folder ? path : await putAway(vault, path, folder)
  await proposalsOf(vault).close(path)
  return {
    path: destination,
    status,
    reason,
    mail: await waitingMail(vault, { ...note, path: destination }),
  }
}

async function record(
  vault: Vault,
  note: Note,
  { by, reason, sha256 }: { by: string; reason: string; sha256: string | null },
): Promise<void> {
  const approvals = new Approvals(vault)
  const before = newestFor(await approvals.verdicts(), note.path)
  if (before?.event === 'rejected' && before.sha256 === sha256 && before.reason === reason) return
  approvals.rejected({
    by,
    note: note.path,
    reason,
    sha256,
    reply_to_message_id: await answeredIfAny(note),
  })
}

/** What could not be sent can be rejected all the same. */
async function ifAny<T>(work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (AgentMailError.is(error)) return null
    throw error
  }
}

const answeredIfAny = async ({ frontmatter }: Note): Promise<string | null> =>
  (await ifAny(() => answeredBy(frontmatter))) ?? null

/** The mail that the draft would have answered waits for a person again. */
async function tellMail(vault: Vault, message_id: string, reason: string): Promise<void> {
  for (const path of await notesOfMail(vault, message_id)) {
    const { frontmatter, body, etag } = await readNote(vault, path)
    if (frontmatter.status !== 'drafted') continue
    const told = { status: 'needs_info', reason: `the draft was rejected: ${reason}` }
    await writeNote(vault, {
      path,
      frontmatter: { ...frontmatter, ...told },
      body,
      if_match: etag,
    })
  }
}

async function waitingMail(vault: Vault, note: Note): Promise<string | null> {
  if (topOf(note.path) === 'Needs_Action') return note.path
  const answered = await answeredIfAny(note)
  for (const path of answered === null ? [] : await notesOfMail(vault, answered)) {
    if ((await noteAt(vault, path))?.frontmatter.status === 'needs_info') return path
  }
  return null
}

async function putAway(vault: Vault, source: string, folder: string): Promise<string> {
  for (let count = 1; ; count++) {
    const destination = placeIn(folder, source, count)
    try {
      await moveNote(vault, { source, destination }, byPerson)
      return destination
    } catch (error) {
      if (!AgentMailError.is(error) || error.code !== 'conflict') throw error
    }
  }
}

const elsewhere = (path: string, from: readonly string[]) =>
  new AgentMailError(
    'invalid_request',
    `${path} is not in ${from.map((one) => `${one}/`).join(' or ')}`,
    'Only what waits there can be rejected.',
  )
