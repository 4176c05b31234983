/** Refuses a reply under another subject: it would leave under that of the mail it answers, and not as it was approved. */
import { textOf } from '../../email/drafts/draft-fields.ts'
import { answeredBy } from '../../email/drafts/draft-note.ts'
import { replySubject } from '../../email/drafts/reply-subject.ts'
import { cleanLine } from '../../email/visible-text/clean-text.ts'
import { AgentMailError } from '../../errors.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { fields } from '../inbox/mail-note.ts'
import { mailOf } from './notes-of-mail.ts'

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
