/** A draft, or a mail that came in, in words for a person's terminal: what is invisible is shown, since it would leave too. */
import type { Config } from '../../../config.ts'
import { markedUnseen } from '../../../email/visible-text/clean-text.ts'
import type { DraftHead } from '../../../orchestrator/approval/draft-head.ts'
import type { ShownDraft } from '../../../orchestrator/approval/drafts.ts'
import type { ReceivedMail } from '../../../orchestrator/approval/giving.ts'
import type { Answered } from '../../../orchestrator/approval/received-mail.ts'
import { line, localTime, plain } from '../../table.ts'

type Field = [name: string, text: string | null]

/** All that would be sent, then the mail that it answers. */
export function draftWords(draft: ShownDraft, config: Config): string {
  const { body, html, answers } = draft
  return inParts([
    headers(fieldsOf(draft, config)),
    shown(body),
    ...(html === null ? [] : ['As HTML:', shown(html)]),
    ...(answers === null ? [] : [answeredWords(answers)]),
  ])
}

/** The same for whoever decides now: each line of the text is marked, so that none passes for one of ours, and where it goes stands below however long it is. */
export function questionWords(
  draft: ShownDraft,
  config: Config,
  agent: string | undefined,
): string {
  const { body, html, attachments, subject, kind, cc, bcc } = draft
  const given = agent === undefined ? draft : { ...draft, agent }
  const where = [
    kind === 'mail' ? `to ${goesTo(given)}` : `given to ${goesTo(given)}`,
    ...(cc === null ? [] : [`cc ${cc}`]),
    ...(bcc === null ? [] : [`bcc ${bcc}`]),
    ...(attachments.length === 0 ? [] : [`with ${attachments.map(({ name }) => name).join(', ')}`]),
  ]
  return inParts([
    headers(fieldsOf(given, config)),
    marked(body, '| '),
    ...(html === null ? [] : ['As HTML:', marked(html, '| ')]),
    oneLine(`${subject === '' ? '(no subject)' : subject}: ${where.join('; ')}`),
  ])
}

const inParts = (parts: string[]): string =>
  parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('\n')

const shown = (text: string): string => plain(markedUnseen(text))
const oneLine = (text: string): string => line(shown(text))
const marked = (text: string, sign: string): string =>
  shown(text).replace(/\n$/, '').replace(/^/gm, sign)

export function mailWords(mail: ReceivedMail): string {
  const { path, version, status, reason, from, to, date, subject, asked_by, text } = mail
  const fields: Field[] = [
    ['Note', path],
    ['Version', version],
    ['Status', status],
    ['Reason', reason],
    ['From', from],
    ['To', to],
    ['Date', date],
    ['Subject', subject],
    ['Answers', whoseMail(asked_by)],
  ]
  return `${headers(fields)}\n\nThis mail is text from outside:\n${quoted(text)}`
}

const whoseMail = (agent: string | null): string | null => agent && `${agent}'s mail`

const answeredWords = ({ path, from, date, subject, text }: Answered): string =>
  `It answers this mail, which is text from outside:\n${headers([
    ['Note', path],
    ['From', from],
    ['Date', date],
    ['Subject', subject],
  ])}\n${quoted(text)}`

/** Each line is marked, so that none passes for one of ours. */
const quoted = (text: string): string => shown(text).replace(/^/gm, '> ')

const headers = (fields: Field[]): string =>
  fields
    .flatMap(([name, text]) => (text === null ? [] : [`${`${name}:`.padEnd(10)}${oneLine(text)}`]))
    .join('\n')

export const goesTo = ({ kind, to, agent }: DraftHead): string =>
  kind === 'mail' ? (to ?? '') : `@${agent ?? '?'}`

function fieldsOf(draft: ShownDraft, config: Config): Field[] {
  const { reply_to_message_id: id, answers, attachments, postmark, changed } = draft
  return [
    ['Note', draft.path],
    ['Version', draft.version],
    ['Changed', changed && (changed.join(', ') || 'nothing, since it was drafted')],
    ['Status', standingWords(draft)],
    // Of one that is blocked, the status tells it as it is now.
    ['Reason', draft.standing === 'void' && draft.status === 'blocked' ? null : draft.reason],
    ['Priority', draft.priority],
    ['From', draft.from ?? ownAddress(draft, config)],
    ['To', goesTo(draft)],
    ['Cc', draft.cc],
    ['Bcc', draft.bcc],
    ['Reply-To', draft.reply_to],
    ['Subject', draft.subject],
    ['Answers', id === null ? whoseMail(draft.asked_by) : (answers?.path ?? `mail ${id}`)],
    ['Postmark', postmark && JSON.stringify(postmark)],
    ['Service', draft.provider],
    ...attachments.map(
      ({ name, size, sha256, content_type, fault }): Field => [
        'File',
        `${name} (${fault ?? `${size} bytes, ${content_type}, SHA-256 ${sha256}`})`,
      ],
    ),
  ]
}

/** What the draft leaves to the settings of whoever sends it. */
function ownAddress({ kind, provider }: ShownDraft, config: Config): string | null {
  if (kind !== 'mail') return null
  const own = config.text(provider === 'postmark' ? 'defaultFrom' : 'mailFrom')
  return own === undefined ? 'your own address' : `${own} (by the settings)`
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
