/** Why a draft is not to be approved: it was sent or rejected before, its place is taken, or mail may not go there. */
import type { Config } from '../../config.ts'
import { type Asked, draftOf } from '../../email/drafts/draft-note.ts'
import { checkMail, everybody } from '../../email/outgoing/check-mail.ts'
import { checkRecipients } from '../../email/outgoing/recipients.ts'
import { AgentMailError } from '../../errors.ts'
import { isSameFile } from '../../system/files.ts'
import { statNote } from '../../vault/note-stat.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { type Records, sentBefore } from './records.ts'
import { oneLine } from './verdict-checks.ts'

/** The orchestrator would take a new approval for the wish to send the same once more. */
export async function refuseSent({ vault, sends }: Records, note: Note): Promise<void> {
  const sentAt = await sentBefore(vault, await sends(), note)
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
