/** The note of a mail: its front matter, and its text where nothing of it is rendered or run. */
import { fencedVersions, type Named, versionsIn } from '../../email/fence.ts'
import type { Asker } from '../../email/outgoing/mail-request.ts'
import { cleanLine, cleanText, shortened } from '../../email/visible-text/clean-text.ts'
import { slug } from '../../system/text.ts'
import type { Note } from '../../vault/notes.ts'
import type { FetchedMail } from '../servers/mail-client.ts'
import { noteHash } from './note-hash.ts'

/** As our own server gives at most; somebody else's may give more than a note can hold. */
const maxLineCharacters = 10_000
const mostAttachments = 1000

/** The same mail has the same name, whenever it is taken in. */
export const mailNoteName = (subject: string, id: string): string =>
  `${slug(subject)}-${noteHash(id)}.md`

/** Never that of the mail, since both end in Done/. */
export const replyNoteName = (subject: string, id: string): string =>
  mailNoteName(`Re: ${subject}`, id)

/** @param asker whose mail it answers: our own word, never the mail's. */
export const mailFrontMatter = (mail: FetchedMail, asker?: Asker): Record<string, unknown> => ({
  status: 'pending',
  message_id: mail.id,
  from: lineOf(mail.sender),
  to: lineOf(mail.to),
  subject: lineOf(mail.subject),
  date: lineOf(mail.date),
  ...(mail.attachment_names.length > 0 && {
    attachments: mail.attachment_names.slice(0, mostAttachments).map(lineOf),
  }),
  ...(mail.alternatives_differ === true && { alternatives_differ: true }),
  ...(asker && { answers: asker.agent }),
  ...(asker?.project !== undefined && { answers_project: asker.project }),
})

/** An address that is cut ends in what no address has, so it is not taken for another. */
function lineOf(text: string): string {
  const line = cleanLine(text)
  return line.length > maxLineCharacters ? `${shortened(line, maxLineCharacters - 2)} …` : line
}

/** As code, so that no program that shows notes loads a picture, follows a link or runs a query in it. */
export function mailBody(body: string): string {
  // Another server may give it as its sender wrote it, who may also have put a fence there.
  const { body: text } = fencedVersions(versionsIn(body).map(cleaned))
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${text}\n${fence}\n`
}

const cleaned = ({ type, text }: Named): Named => ({ type, text: cleanText(text) })

/**
 * The text of the mail in the body of its note; all of it where a person has written it anew.
 * Versions that differ are fenced, and within the limit, since a cut at the end would leave one out.
 */
export function mailText(body: string, ...limits: [limit?: number, nonceOf?: NonceOf]): string {
  const fence = /^(`{3,})text\r?\n/.exec(body)
  const end = fence?.[1] ? body.indexOf(`\n${fence[1]}`, fence[0].length - 1) : -1
  const text = fence ? body.slice(fence[0].length, end === -1 ? undefined : end) : body
  const versions = versionsIn(text)
  return versions.length > 1 ? fencedVersions(versions, ...limits).body : (versions[0]?.text ?? '')
}

type NonceOf = (at: number) => string

/** A person may have written anything there. */
export function fields({ frontmatter }: Pick<Note, 'frontmatter'>) {
  const text = (name: string) => {
    const value = frontmatter[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  return {
    message_id: text('message_id'),
    from: text('from'),
    to: text('to'),
    subject: text('subject'),
    date: text('date'),
  }
}
