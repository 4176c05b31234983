/** A mail that waits for a person, as an agent would be given it, and whether that agent is there. */
import { takerName } from '../../addresses/mail-takers.ts'
import type { Config } from '../../config.ts'
import { checkMailTaker } from '../../connection/registered.ts'
import { hashOf, kindOf } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { versionOf } from './changes.ts'
import { topOf } from './checks.ts'
import { isWaitingMail, mailHead, type ShownMail, shownMail } from './received-mail.ts'

/** Any other note as it is. One that was proposed for an agent keeps whom it names. */
export function toBeGiven(note: Note): Note {
  if (!isWaitingMail(note) || topOf(note.path) !== 'Needs_Action') return note
  const frontmatter = { ...note.frontmatter, status: 'pending_approval' }
  if (kindOf(note) === 'delegation') return { ...note, frontmatter }
  return { ...note, frontmatter: { ...frontmatter, triage: 'delegate', delegate_to: null } }
}

/** Of all that an agent would be given, whoever that is; an error where it can be given to none. */
export const givenHash = (vault: Vault, note: Note): Promise<string> =>
  hashOf(vault, toBeGiven(note))

export interface ReceivedMail extends ShownMail {
  /** By which an agent is given it; nothing where it can be given to none. */
  version: string | null
  /** The whole of what the version is the beginning of. */
  sha256: string | null
}

export async function shownReceived(vault: Vault, note: Note): Promise<ReceivedMail> {
  const sha256 = await givenHash(vault, note).catch((error) => {
    if (AgentMailError.is(error)) return null
    throw error
  })
  return { ...shownMail(note), version: sha256 && versionOf(sha256), sha256 }
}

/** The name of whom a person means; an error where nobody has it. */
export async function agentMeant(config: Config, note: Note, given: string): Promise<string> {
  const name = takerName(given)
  const isGiven = kindOf(toBeGiven(note)) === 'delegation'
  // Whoever asked may be known in another project alone, where the mail is handed over.
  if (isGiven && mailHead(note).asked_by !== name) await checkMailTaker(config, name)
  return name
}
