/** The arguments that the gmail tools share, with the words for each fault. */
import { requiredText } from '../fields.ts'

/** Text that says something. */
export const filled = (name: string, next: string) =>
  requiredText(name, next).refine((text) => text.trim() !== '', `${name} is required\n${next}`)

export const messageId = filled('message_id', 'Give the id of a mail, from list_emails.').describe(
  'From list_emails',
)
