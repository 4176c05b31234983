/** What is checked before a person's word about a draft is recorded. */

import type { Config } from '../../config.ts'
import { textOf } from '../../email/drafts/draft-fields.ts'
import { type Asked, answeredBy, draftOf } from '../../email/drafts/draft-note.ts'
import { checkMail, everybody } from '../../email/outgoing/check-mail.ts'
import { checkRecipients } from '../../email/outgoing/limits.ts'
import { replySubject } from '../../email/outgoing/mail-request.ts'
import { cleanLine } from '../../email/visible-text/clean-text.ts'
import { AgentMailError } from '../../errors.ts'
import { isSameFile } from '../../system/files.ts'
import { statNote } from '../../vault/note-stat.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { fields } from '../inbox/mail-note.ts'
import { mailOf } from './received-mail.ts'
import { type Records, sentBefore } from './records.ts'

/** An editor that saves again and again, or another person who decides at the same moment. */
export const mostTries = 20

/** Texts of a person that stand in a record and in a note, each on one line. */
export function oneLine(what: string, text: string, limit: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (line !== '' && line.length <= limit) return line
  throw new AgentMailError(
    'invalid_request',
    line === '' ? `${what} is empty` : `${what} is longer than ${limit} characters`,
  )
}

const ended: Record<string, string> = {
  done: 'it is done already',
  sent: 'it was sent already',
  unknown: 'it may have been sent already',
}

/** Nothing more can be said about a mail that has left, or may have. */
export function refuseEnded({ path, frontmatter: { status } }: Note): void {
  const how = typeof status === 'string' && Object.hasOwn(ended, status) ? ended[status] : undefined
  if (how === undefined && topOf(path) !== 'Done') return
  throw new AgentMailError(
    'invalid_request',
    `${path}: ${how ?? 'what is in Done/ is done'}`,
    'If it was not sent after all, set its status to pending_approval and move it to Drafts/.',
  )
}

export const topOf = (path: string): string => path.split('/')[0] ?? ''

/** Whether a note was changed or moved by somebody else at this moment, so that all is to be looked at anew. */
export const isOvertaken = (error: unknown): boolean =>
  AgentMailError.is(error) &&
  (error.code === 'not_found' || (error.code === 'conflict' && error.details?.etag !== undefined))

/** The orchestrator would take a new approval for the wish to send the same once more. */
export async function refuseSent({ sends }: Records, note: Note, hash: string): Promise<void> {
  const sentAt = sentBefore(await sends(), note, hash)
  if (sentAt === undefined) return
  throw new AgentMailError(
    'conflict',
    `${note.path}: it was sent already, at ${sentAt}`,
    'To send the same once more, give the note another name and change its text.',
  )
}

export function refuseRejected({ path, frontmatter: { status } }: Note): void {
  if (status === 'rejected') throw wasRejected(path)
}

export const wasRejected = (path: string) =>
  new AgentMailError(
    'invalid_request',
    `${path}: it was rejected`,
    'If it is to be sent after all, set its status to pending_approval and move it to Drafts/.',
  )

export function withAgent(note: Note, agent: string): Note {
  const delegate_to = oneLine('the name of the agent', agent, 255)
  if (draftOf(note).kind === 'delegation') {
    return { ...note, frontmatter: { ...note.frontmatter, delegate_to } }
  }
  throw new AgentMailError(
    'invalid_request',
    `${note.path} is a mail to be sent: no agent is given it`,
    'Leave out --agent.',
  )
}

export function checkAgent(note: Note): Asked {
  const asked = draftOf(note)
  if (asked.kind === 'mail' || asked.agent !== undefined) return asked
  throw new AgentMailError(
    'invalid_request',
    `which agent? ${note.path} does not say who is to be given the mail`,
    'Write agentmail drafts approve <note> --agent <name>.',
  )
}

export async function refuseRecipients(config: Config, vault: Vault, asked: Asked): Promise<void> {
  if (asked.kind === 'delegation') return
  const mail = await checkMail({ ...asked.request, attachments: undefined }, () => vault)
  checkRecipients(
    config,
    everybody(mail).map(({ address }) => address),
  )
}

/** A move that was cut short has left the same file in both places, which is no hindrance. */
export async function refuseTaken(vault: Vault, path: string, destination: string): Promise<void> {
  const [here, there] = [await statNote(vault, path), await statNote(vault, destination)]
  if (!there || !here || isSameFile(here, there)) return
  throw new AgentMailError(
    'conflict',
    `there is another note at ${destination}`,
    'Rename one of the two, then approve it again. Nothing was changed.',
  )
}

/** Where the mail has no note, there is nothing to compare with. */
export async function checkReplySubject(vault: Vault, { frontmatter }: Note): Promise<void> {
  const id = answeredBy(frontmatter)
  const mail = id === undefined ? undefined : await mailOf(vault, id)
  if (!mail) return
  // The note of a mail has its subject cleaned.
  const asked = cleanLine(textOf(frontmatter, 'subject') ?? '')
  const subject = replySubject(asked, cleanLine(fields(mail).subject))
  if (subject === asked) return
  throw new AgentMailError(
    'invalid_request',
    `a reply goes out under the subject of the mail that it answers: "${subject}"`,
    'Set subject back to that, or take out reply_to_message_id to send it as a mail of its own.',
  )
}
