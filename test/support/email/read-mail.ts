/** A mail as `get_email` gives it, from an inbox that holds nothing else. */
import { getEmail } from '../../../src/email/reading.ts'
import type { Inbox, IncomingMail } from '../../../src/providers/provider.ts'

const unused = () => Promise.reject(new Error('not asked for'))

export function inboxOf(mail: IncomingMail): Inbox {
  return {
    get: async () => mail,
    list: async () => ({ mails: [{ ...mail, snippet: mail.text ?? '' }], next_page_token: 'more' }),
    move: unused,
    label: unused,
    original: unused,
  }
}

const empty: IncomingMail = {
  id: '1',
  subject: '',
  sender: '',
  to: '',
  date: '',
  text: undefined,
  html: undefined,
  attachment_names: [],
}

export const emailOf = (mail: Partial<IncomingMail>) =>
  getEmail(inboxOf({ ...empty, ...mail }), '1')
