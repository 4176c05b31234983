/** The arguments that the gmail tools share, with the words for each fault. */
import { requiredText } from '../fields.ts'

/** Text that says something. */
export const filled = (name: string, next: string) =>
  requiredText(name, next).refine((text) => text.trim() !== '', `${name} is required\n${next}`)

/** Labels are put on, never taken off for good. */
export const labelling = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const

export const labelName = (name: string) =>
  filled(name, 'Give the name of a label.').describe('Name of a label, such as Clients/Acme')

export const messageId = filled('message_id', 'Give the id of a mail, from list_emails.').describe(
  'From list_emails',
)
