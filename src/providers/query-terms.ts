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

/** @param service in which it is searched, for errors. @example queryTerms('is:unread -from:news', now, 'local mail') */
export function queryTerms(text: string, now: number, service: string): QueryTerm[] {
  const terms = [...writtenTerms(text)].map((term) => ({
    isWanted: term.isWanted,
    ...meaningOf(term, now, service),
  }))
  if (terms.length > maxTerms) throw tooLong()
  return terms
}

interface WrittenTerm {
  isWanted: boolean
  /** Nothing before a value that stands alone. */
  operator: string
  value: string
  isQuoted: boolean
}

const termForm = /(-?)(?:([a-z_0-9]+):)?(?:"([^"]*)"?|([^\s"]+))/giu
const bareOperatorForm = /^([a-z_0-9]+):$/iu

function* writtenTerms(text: string): Generator<WrittenTerm> {
  for (const [, minus, before = '', quoted, plain = ''] of text.matchAll(termForm)) {
    const bare = before === '' ? bareOperatorForm.exec(plain)?.[1] : undefined
    const operator = bare ?? before
    const value = bare === undefined ? (quoted ?? plain) : ''
    if (operator === '' && (value.trim() === '' || plain === '-')) continue
    yield { isWanted: minus === '', operator, value, isQuoted: quoted !== undefined }
  }
}

/** What cannot be meant as a text is refused: to find nothing would be taken for an answer. */
function meaningOf(term: WrittenTerm, now: number, service: string): Meaning {
  const { operator, value, isQuoted } = term
  const name = operator.toLowerCase()
  const whole = operator === '' ? value : `${operator}:${value}`
  if (onlyGmails.has(name)) throw notKnown(whole, service)
  if (operator === '' && !isQuoted && /^(?:OR|AND|\|)$/.test(value)) throw notKnown(whole, service)
  const read = operators.get(name)
  if ((operator === '' || read) && !isQuoted && /^[({]/.test(value)) throw noGroups(whole, service)
  const folded = foldedText(value).trim()
  if (!read) {
    return { kind: 'words', value: operator === '' ? folded : `${foldedText(operator)}:${folded}` }
  }
  if (folded === '') throw nothingBehind(whole)
  const meaning = read(folded, now)
  if (!meaning)
    throw notKnown(
      whole,
      service,
      examples[name]?.map((one) => `${name}:${one}`),
    )
  return meaning
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

const notKnown = (term: string, service: string, known: readonly string[] = usualTerms) =>
  new AgentMailError(
    'invalid_request',
    `${service} does not understand "${shown(term)}"`,
    `It understands ${known.join(', ')}.`,
  )

const usualTerms = [
  ...['is:unread', 'from:', 'to:', 'subject:', 'label:', 'in:', 'has:attachment', 'filename:'],
  ...['newer_than:2d', 'a - before any of them', '"phrases" and plain words'],
]

const noGroups = (term: string, service: string) =>
  new AgentMailError(
    'invalid_request',
    `${service} does not understand groups, as in "${shown(term)}"`,
    'Put it in quotes to look for the text itself.',
  )

const nothingBehind = (term: string) =>
  new AgentMailError(
    'invalid_request',
    `nothing stands behind "${shown(term)}"`,
    'Write what is meant right behind the colon, or put it in quotes to look for the text itself.',
  )

const shown = (term: string): string => term.slice(0, 60)

const states = ['unread', 'read', 'starred', 'important'] as const

/** What is told to whoever gives an operator a value that is none of its own. */
const examples: Partial<Record<string, readonly string[]>> = {
  is: states,
  has: ['attachment'],
  newer_than: ['12h', '2d', '3m', '1y'],
  older_than: ['12h', '2d', '3m', '1y'],
}

/** Nothing where the value is not one of the operator's. */
const operators = new Map<string, (value: string, now: number) => Meaning | undefined>(
  Object.entries({
    is: (value) => {
      const kind = states.find((state) => state === value)
      return kind && { kind }
    },
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
