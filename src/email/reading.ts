/** Mail that was received, made safe for whoever reads it: cleaned, fenced, and bounded. */

import type { Inbox, MailHead } from '../providers/provider.ts'
import { fencedVersions } from './fence.ts'
import { versionsOf } from './versions.ts'
import { cleanLine, shortened } from './visible-text/clean-text.ts'

interface ListInput {
  query: string
  max_results: number
  page_token?: string | undefined
}

interface EmailList {
  emails: MailHead[]
  next_page_token?: string
}

interface Email {
  id: string
  subject: string
  sender: string
  to: string
  date: string
  /** Plain text between fences; see `fencedVersions`. */
  body: string
  has_attachments: boolean
  attachment_names: string[]
  /** Left out where the body is whole. */
  truncated?: true
  /** Left out where all versions of the text say the same. */
  alternatives_differ?: true
}

const longestLine = 1000
const longestSnippet = 200
const longestName = 255
const mostAttachments = 100

export async function listEmails(inbox: Inbox, input: ListInput): Promise<EmailList> {
  const { query, max_results, page_token } = input
  const { mails, next_page_token } = await inbox.list({ query, limit: max_results, page_token })
  return {
    emails: mails.map(({ id, subject, sender, date, snippet }) => ({
      id,
      subject: line(subject),
      sender: line(sender),
      date,
      snippet: line(snippet, longestSnippet),
    })),
    ...(next_page_token !== undefined && { next_page_token }),
  }
}

export async function getEmail(inbox: Inbox, id: string): Promise<Email> {
  const mail = await inbox.get(id)
  const { versions, isComplete } = versionsOf(mail)
  const { body, truncated } = fencedVersions(versions)
  return {
    id: mail.id,
    subject: line(mail.subject),
    sender: line(mail.sender),
    to: line(mail.to),
    date: mail.date,
    body,
    has_attachments: mail.attachment_names.length > 0,
    attachment_names: mail.attachment_names
      .slice(0, mostAttachments)
      .map((name) => line(name, longestName)),
    ...((truncated || !isComplete || mail.isComplete === false) && { truncated: true }),
    ...(versions.length > 1 && { alternatives_differ: true }),
  }
}

const line = (text: string, limit = longestLine) => {
  // A line is cleaned as a whole only as far as it can be shown.
  const clean = cleanLine(text.slice(0, limit * 100))
  return clean.length <= limit ? clean : `${shortened(clean, limit - 1).trimEnd()}…`
}
