/** The drafts of a vault as a person looks at them: which there are, and all that one of them would send. */

import { has } from '../../email/drafts/draft-fields.ts'
import { draftOf, kindOf, type Seen, seenOf } from '../../email/drafts/draft-note.ts'
import { readAttachment } from '../../email/outgoing/attachments.ts'
import type { AttachmentRequest, MailRequest } from '../../email/outgoing/mail-request.ts'
import { AgentMailError } from '../../errors.ts'
import type { Attachment } from '../../mime/mail.ts'
import { pauses } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'
import { type Note, readNote } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { changedSince } from './changes.ts'
import { checkReplySubject, topOf } from './checks.ts'
import { type DraftHead, draftHead } from './draft-head.ts'
import { type ReceivedMail, shownReceived } from './giving.ts'
import {
  type Answered,
  answeredMail,
  isWaitingMail,
  mailHead,
  notesIn,
  type WaitingMail,
  waitingMails,
} from './received-mail.ts'
import type { Records } from './records.ts'

export interface ShownDraft extends DraftHead {
  /** The whole of what the version is the beginning of. */
  sha256: string | null
  /** The service that it names. */
  provider: string | null
  /** Nothing: the account's own address. */
  from: string | null
  reply_to: string | null
  answers: Answered | null
  /** The agent whose mail it answers, of one that an agent is given. */
  asked_by: string | null
  /** What is not as it was proposed; nothing where nobody but a person wrote it. */
  changed: string[] | null
  attachments: ShownFile[]
  /** What goes out beside the text, or in its place. */
  html: string | null
  postmark: NonNullable<MailRequest['postmark']> | null
  body: string
}

interface ShownFile {
  name: string
  /** Nothing where it cannot be read. */
  size: number | null
  sha256: string | null
  content_type: string | null
  fault: string | null
}

/** Far more than any mail holds. */
const maxFileBytes = 64 << 20

interface Listed {
  /** Urgent ones first, then by path. */
  drafts: DraftHead[]
  /** Mails that wait for a person. */
  mails: WaitingMail[]
  /** Whatever is no draft is told of beside them. */
  faults: { path: string; message: string }[]
}

export async function listDrafts(kept: Records, isAll = false): Promise<Listed> {
  const { vault } = kept
  const sends = await kept.sends()
  const records = { ...kept, sends: async () => sends }
  const listed: Listed = { drafts: [], mails: [], faults: [] }
  const pause = pauses()
  const look = async (path: string, at: (note: Note) => Promise<unknown> | unknown) => {
    await pause()
    try {
      await at(await readNote(vault, path))
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const isGone = error.code === 'not_found'
      if (!isGone && topOf(path) !== 'Done') listed.faults.push({ path, message: error.message })
    }
  }
  for (const path of await paths(vault, isAll)) {
    await look(path, async (note) => {
      if (topOf(path) === 'Needs_Action' && note.frontmatter.status !== 'pending_approval') return
      const { seen } = await sightOf(vault, note)
      listed.drafts.push(await draftHead(records, note, seen))
    })
  }
  for (const path of await waitingMails(vault)) {
    await look(path, (note) => isWaitingMail(note) && listed.mails.push(mailHead(note)))
  }
  const rank = ({ priority }: DraftHead) => (priority === 'urgent' ? 0 : 1)
  listed.drafts.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))
  return listed
}

/** A draft, or a mail that came in. */
export async function showNote(records: Records, path: string): Promise<ShownDraft | ReceivedMail> {
  const note = await readNote(records.vault, path)
  const isReceived = kindOf(note) === undefined && has(note.frontmatter, 'message_id')
  return isReceived ? shownReceived(records.vault, note) : shownDraft(records, note)
}

export async function shownDraft(records: Records, note: Note): Promise<ShownDraft> {
  const { vault } = records
  // Read once: the version is that of what is shown.
  const { seen, fault } = await sightOf(vault, note)
  const head = await draftHead(records, note, seen)
  const asked = seen?.asked ?? draftOf(note)
  const request = asked.kind === 'mail' ? asked.request : undefined
  const { reply_to_message_id: id } = head
  const asItIs = request?.attachments ?? []
  return {
    ...head,
    problem: head.standing === null ? (fault ?? (await problemOf(vault, note))) : head.problem,
    sha256: seen?.hash ?? null,
    provider: asked.kind === 'mail' ? (asked.provider ?? null) : null,
    from: asked.kind === 'mail' ? (asked.request.from ?? null) : asked.from,
    reply_to: request?.reply_to ?? null,
    answers: id === null ? null : await answeredMail(vault, id),
    asked_by: asked.kind === 'delegation' ? mailHead(note).asked_by : null,
    changed: (await changedSince(vault, note, seen)) ?? null,
    attachments:
      seen?.attachments.map(shownFile) ??
      (await Promise.all(asItIs.map((one) => fileOf(vault, one)))),
    html: request?.html !== undefined && request.html !== note.body ? request.html : null,
    postmark: request?.postmark ?? null,
    body: note.body,
  }
}

/** What would be sent, or why nothing can be. */
async function sightOf(vault: Vault, note: Note): Promise<{ seen?: Seen; fault?: string }> {
  try {
    return { seen: await seenOf(vault, note) }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

async function problemOf(vault: Vault, note: Note): Promise<string | null> {
  try {
    await checkReplySubject(vault, note)
    return null
  } catch (error) {
    return faultOf(error)
  }
}

function faultOf(error: unknown): string {
  if (!AgentMailError.is(error)) throw error
  return `it cannot be sent: ${error.message}`
}

/** Attachments that were kept for a draft may be notes, too. */
const isKeptFile = (path: string): boolean => path.startsWith('Drafts/Attachments/')

async function paths(vault: Vault, isAll: boolean): Promise<string[]> {
  return [
    ...(await notesIn(vault, 'Drafts')).filter((path) => !isKeptFile(path)),
    ...(await notesIn(vault, 'Approved')),
    ...(await notesIn(vault, 'Needs_Action', 'triage:delegate')),
    ...(isAll ? await notesIn(vault, 'Done') : []),
  ]
}

async function fileOf(vault: Vault, request: AttachmentRequest): Promise<ShownFile> {
  const asked = 'path' in request ? (request.name ?? request.path) : request.name
  try {
    return shownFile(await readAttachment(request, () => vault, maxFileBytes))
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { name: asked, size: null, sha256: null, content_type: null, fault: error.message }
  }
}

const shownFile = ({ name, content, contentType }: Attachment): ShownFile => ({
  name,
  size: content.length,
  sha256: sha256(content),
  content_type: contentType,
  fault: null,
})
