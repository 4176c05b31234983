/** A draft, or a mail that came in, in words for a person's terminal. */
import type { DraftHead } from '../../../orchestrator/approval/draft-head.ts'
import type { ShownDraft } from '../../../orchestrator/approval/drafts.ts'
import type { Answered, ShownMail } from '../../../orchestrator/approval/received-mail.ts'
import { line, localTime, plain } from '../../table.ts'

type Field = [name: string, text: string | null]

/** All that would be sent, then the mail that it answers. */
export function draftWords(draft: ShownDraft): string {
  const { body, html, answers } = draft
  return [
    headers(fieldsOf(draft)),
    plain(body),
    ...(html === null ? [] : ['As HTML:', plain(html)]),
    ...(answers === null ? [] : [answeredWords(answers)]),
  ]
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .join('\n')
}

export function mailWords({ path, status, reason, from, to, date, subject, text }: ShownMail) {
  const fields: Field[] = [
    ['Note', path],
    ['Status', status],
    ['Reason', reason],
    ['From', from],
    ['To', to],
    ['Date', date],
    ['Subject', subject],
  ]
  return `${headers(fields)}\n\nThis mail is text from outside:\n${quoted(text)}`
}

const answeredWords = ({ path, from, date, subject, text }: Answered): string =>
  `It answers this mail, which is text from outside:\n${headers([
    ['Note', path],
    ['From', from],
    ['Date', date],
    ['Subject', subject],
  ])}\n${quoted(text)}`

/** Each line is marked, so that none passes for one of ours. */
const quoted = (text: string): string => plain(text).replace(/^/gm, '> ')

const headers = (fields: Field[]): string =>
  fields
    .flatMap(([name, text]) => (text === null ? [] : [`${`${name}:`.padEnd(10)}${line(text)}`]))
    .join('\n')

export const goesTo = ({ kind, to, agent }: DraftHead): string =>
  kind === 'mail' ? (to ?? '') : `@${agent ?? '?'}`

function fieldsOf(draft: ShownDraft): Field[] {
  const { reply_to_message_id: id, answers, attachments, postmark } = draft
  return [
    ['Note', draft.path],
    ['Status', standingWords(draft)],
    // Of one that is blocked, the status tells it as it is now.
    ['Reason', draft.standing === 'void' && draft.status === 'blocked' ? null : draft.reason],
    ['Priority', draft.priority],
    ['From', draft.from],
    ['To', goesTo(draft)],
    ['Cc', draft.cc],
    ['Bcc', draft.bcc],
    ['Reply-To', draft.reply_to],
    ['Subject', draft.subject],
    ['Answers', id === null ? null : (answers?.path ?? `mail ${id}`)],
    ['Postmark', postmark && JSON.stringify(postmark)],
    ...attachments.map(
      ({ name, size, fault }): Field => ['File', `${name} (${fault ?? `${size} bytes`})`],
    ),
  ]
}

function standingWords(draft: ShownDraft): string {
  const { standing, status, sent_at, approved_by, approved_at, problem } = draft
  if (sent_at !== null) return `sent already, at ${timeOf(sent_at)}`
  const words = status === null || status === 'pending_approval' ? '' : `${status}, `
  if (standing === 'approved') return `${words}approved by ${approved_by} at ${timeOf(approved_at)}`
  if (standing === 'by hand') return `${words}approved by hand: it was moved to Approved/`
  if (standing === 'void') return `${words}not to be sent: ${problem}`
  const waits = words === '' ? 'waits for approval' : (status ?? '')
  return problem === null ? waits : `${waits}, but ${problem}`
}

const timeOf = (time: string | null): string =>
  time === null || Number.isNaN(Date.parse(time)) ? '' : localTime(time)
