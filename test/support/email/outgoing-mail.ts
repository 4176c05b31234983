/** A mail to be sent, with whatever a test wants of it. */
import type { OutgoingMail } from '../../../src/providers/provider.ts'

/** Nobody takes it back. */
export const never = new AbortController().signal

export const outgoingMail = (fields: Partial<OutgoingMail> = {}): OutgoingMail => ({
  from: undefined,
  to: [{ name: '', address: 'jane@example.com' }],
  cc: [],
  bcc: [],
  reply_to: [],
  subject: 'Hello',
  text: 'Hi',
  html: undefined,
  attachments: [],
  original: undefined,
  key: undefined,
  postmark: undefined,
  ...fields,
})
