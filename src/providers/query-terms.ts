/** What a query asks for, in Gmail's most used words. What only Gmail knows is refused, anything else is looked for as it stands. */
import { AgentMailError } from '../errors.ts'
import { foldedLabel } from './label-names.ts'

const maxTerms = 100

/** Texts are folded. */
export type QueryTerm = { isWanted: boolean } & (
  | { kind: 'unread' | 'read' | 'starred' | 'important' | 'anywhere' }
  /** A file with this in its name; any file where it is empty. */
  | { kind: 'attachment'; value: string }
  | { kind: 'from' | 'to' | 'subject' | 'words'; value: string }
  /** A label, or the place of that name. */
  | { kind: 'label'; value: string }
  /** From, or until, some moment in Unix milliseconds. */
  | { kind: 'since' | 'before'; time: number }
)

type Meaning = QueryTerm extends infer Term
  ? Term extends QueryTerm
    ? Omit<Term, 'isWanted'>
    : never
  : never

/** Texts that are the same but for case, blanks and the way accents are composed become the same. */
export const foldedText = (text: string): string =>
  text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ')

/** Blanks and slashes in the name of a label may be written as dashes, as in Gmail. */
export const dashedLabel = (label: string): string => foldedLabel(label).replace(/[\s/]+/g, '-')

const termForm = /(-?)(?:([a-z_0-9]+):)?(?:"([^"]*)"?|([^\s"]+))/giu

/** @param service in which it is searched, for errors. @example queryTerms('is:unread -from:news', now, 'local mail') */
export function queryTerms(text: string, now: number, service: string): QueryTerm[] {
  const terms: QueryTerm[] = []
  for (const [, minus, operator = '', quoted, plain = ''] of text.matchAll(termForm)) {
    const value = foldedText(quoted ?? plain).trim()
    if (value === '' || plain === '-') continue
    const name = operator.toLowerCase()
    if (isForeign(name, quoted === undefined ? plain : ''))
      throw notKnown(operator === '' ? plain : `${operator}:${plain}`, service)
    const words = operator === '' ? value : `${foldedText(operator)}:${value}`
    const meaning = operators.get(name)?.(value, now) ?? { kind: 'words', value: words }
    terms.push({ isWanted: minus === '', ...meaning })
  }
  if (terms.length > maxTerms) throw tooLong()
  return terms
}

/** Which places are asked for; none where the query names none. */
export const placesNamed = (terms: QueryTerm[]): Set<string> =>
  new Set(
    terms.flatMap((term) => {
      if (!term.isWanted) return []
      return term.kind === 'label' ? [term.value] : term.kind === 'anywhere' ? ['anywhere'] : []
    }),
  )

/** Spam and what was thrown away are shown only to who asks for them. */
export const hiddenLabels = (places: Set<string>): string[] =>
  places.has('anywhere')
    ? []
    : ['SPAM', 'TRASH'].filter((label) => !places.has(label.toLowerCase()))

const onlyGmails = new Set(
  'after before older newer cc bcc list deliveredto category size larger smaller rfc822msgid around'.split(
    ' ',
  ),
)

/** To find nothing would be taken for an answer. */
const isForeign = (operator: string, plain: string): boolean =>
  onlyGmails.has(operator) ||
  (operator === '' && (plain === 'OR' || plain === 'AND' || plain === '|')) ||
  (operator === '' && /^[({][a-z_]+:/i.test(plain)) ||
  (operators.has(operator) && /^[({]/.test(plain)) ||
  (/_than$/.test(operator) && operators.has(operator) && !spanForm.test(plain.toLowerCase()))

const notKnown = (term: string, service: string) =>
  new AgentMailError(
    'invalid_request',
    `${service} does not understand "${term.slice(0, 60)}"`,
    'It understands is:unread, from:, to:, subject:, label:, in:, has:attachment, filename:, newer_than:2d, a - before any of them, "phrases" and plain words.',
  )

const states: ReadonlySet<string> = new Set(['unread', 'read', 'starred', 'important'])
const isState = (value: string): value is 'unread' | 'read' | 'starred' | 'important' =>
  states.has(value)

/** Nothing where the value is not one of the operator's. */
const operators = new Map<string, (value: string, now: number) => Meaning | undefined>(
  Object.entries({
    is: (value) => (isState(value) ? { kind: value } : undefined),
    has: (value) => (/^attachments?$/.test(value) ? { kind: 'attachment', value: '' } : undefined),
    filename: (value) => ({ kind: 'attachment', value }),
    from: (value) => ({ kind: 'from', value }),
    to: (value) => ({ kind: 'to', value }),
    subject: (value) => ({ kind: 'subject', value }),
    label: (value) => ({ kind: 'label', value }),
    in: (value) =>
      /^(?:anywhere|all)$/.test(value) ? { kind: 'anywhere' } : { kind: 'label', value },
    newer_than: (value, now) => timeTerm('since', value, now),
    older_than: (value, now) => timeTerm('before', value, now),
  }),
)

const spanForm = /^(\d{1,6})([hdmy])$/
const hour = 3_600_000
const spans: Record<string, number> = {
  h: hour,
  d: 24 * hour,
  m: 30 * 24 * hour,
  y: 365 * 24 * hour,
}

function timeTerm(kind: 'since' | 'before', value: string, now: number): Meaning | undefined {
  const [, count, unit = ''] = spanForm.exec(value) ?? []
  const span = spans[unit]
  return span === undefined ? undefined : { kind, time: now - Number(count) * span }
}

const tooLong = () =>
  new AgentMailError(
    'invalid_request',
    `query has more than ${maxTerms} words`,
    'Ask for less at a time.',
  )
