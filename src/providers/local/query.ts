/** The queries of local mail: Gmail's most used words. What only Gmail knows is refused, anything else is looked for as it stands. */
import { AgentMailError } from '../../errors.ts'
import { foldedLabel } from '../label-names.ts'
import type { LocalHead } from './box.ts'
import { type BoxName, boxNames } from './folder.ts'

const maxTerms = 100

interface Candidate {
  head: LocalHead
  labels: string[]
}

/** What only the body of a mail can tell; the text is folded. */
export interface CandidateBody {
  text: string
  attachment_names: string[]
}

interface Term {
  /** Nothing where only the body can tell. */
  ofHead(mail: Candidate): boolean | undefined
  ofBody?(body: CandidateBody): boolean
}

export interface LocalQuery {
  boxes: readonly BoxName[]
  /** Terms that the head of a mail leaves open, or nothing where the mail does not match. */
  openFor(mail: Candidate): ((body: CandidateBody) => boolean)[] | undefined
}

/** Texts that are the same but for case, blanks and the way accents are composed become the same. */
export const foldedText = (text: string): string =>
  text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ')

const termForm = /(-?)(?:([a-z_0-9]+):)?(?:"([^"]*)"?|([^\s"]+))/giu

export function localQuery(text: string, now: number): LocalQuery {
  const terms: { isWanted: boolean; term: Term }[] = []
  const places = new Set<string>()
  for (const [, minus, operator = '', quoted, plain = ''] of text.matchAll(termForm)) {
    const value = foldedText(quoted ?? plain).trim()
    if (value === '' || plain === '-') continue
    const isWanted = minus === ''
    const name = operator.toLowerCase()
    if (isForeign(name, quoted === undefined ? plain : ''))
      throw notKnown(operator === '' ? plain : `${operator}:${plain}`)
    const known = operators.get(name)?.(value, now)
    const term = known ?? words(operator === '' ? value : `${foldedText(operator)}:${value}`)
    terms.push({ isWanted, term })
    if (isWanted && (name === 'in' || name === 'label')) places.add(value)
  }
  if (terms.length > maxTerms) throw tooLong()
  const isHidden = hiddenFrom(places)
  return {
    boxes: places.size > 0 ? boxNames : ['inbox'],
    openFor(mail) {
      if (isHidden(mail)) return undefined
      const open: ((body: CandidateBody) => boolean)[] = []
      for (const { isWanted, term } of terms) {
        const matches = term.ofHead(mail)
        if (matches === !isWanted) return undefined
        if (matches === undefined) open.push((body) => term.ofBody?.(body) === isWanted)
      }
      return open
    },
  }
}

const onlyGmails = new Set(
  'after before older newer cc bcc filename list deliveredto category size larger smaller rfc822msgid around'.split(
    ' ',
  ),
)

/** To find nothing would be taken for an answer. */
const isForeign = (operator: string, plain: string): boolean =>
  onlyGmails.has(operator) ||
  (operator === '' && (plain === 'OR' || plain === 'AND' || plain === '|')) ||
  (operators.has(operator) && /^[({]/.test(plain)) ||
  (/_than$/.test(operator) && operators.has(operator) && !spanForm.test(plain.toLowerCase()))

const notKnown = (term: string) =>
  new AgentMailError(
    'invalid_request',
    `local mail does not understand "${term.slice(0, 60)}"`,
    'It understands is:unread, from:, to:, subject:, label:, in:, has:attachment, newer_than:2d, a - before any of them, "phrases" and plain words.',
  )

/** Spam and what was thrown away are shown only to who asks for them. */
function hiddenFrom(places: Set<string>): (mail: Candidate) => boolean {
  if (places.has('anywhere') || places.has('all')) return () => false
  const hidden = ['SPAM', 'TRASH'].filter((label) => !places.has(label.toLowerCase()))
  return ({ labels }) => hidden.some((label) => labels.includes(label))
}

/** Nothing where the value is not one of the operator's. */
const operators = new Map<string, (value: string, now: number) => Term | undefined>(
  Object.entries({
    is: (value) => states.get(value),
    has: (value) =>
      value === 'attachment' || value === 'attachments' ? withAttachment : undefined,
    from: (value) => onHead(({ head }) => foldedText(head.sender).includes(value)),
    to: (value) => onHead(({ head }) => foldedText(head.recipients).includes(value)),
    subject: (value) => onHead(({ head }) => foldedText(head.subject).includes(value)),
    label: labelled,
    in: (value) => (value === 'anywhere' || value === 'all' ? onHead(() => true) : labelled(value)),
    newer_than: (value, now) => since(value, now, (date, start) => date >= start),
    older_than: (value, now) => since(value, now, (date, start) => date < start),
  }),
)

const onHead = (ofHead: (mail: Candidate) => boolean): Term => ({ ofHead })

const states = new Map(
  Object.entries({
    unread: onHead(({ labels }) => labels.includes('UNREAD')),
    read: onHead(({ labels }) => !labels.includes('UNREAD')),
    starred: onHead(({ labels }) => labels.includes('STARRED')),
    important: onHead(({ labels }) => labels.includes('IMPORTANT')),
  }),
)

const withAttachment: Term = {
  ofHead: ({ head }) => (head.hasParts ? undefined : false),
  ofBody: ({ attachment_names }) => attachment_names.length > 0,
}

/** Blanks and slashes in a name may be written as dashes, as in Gmail. */
function labelled(value: string): Term {
  const dashed = (label: string) => foldedLabel(label).replace(/[\s/]+/g, '-')
  const wanted = dashed(value)
  return onHead(({ labels }) => labels.some((label) => dashed(label) === wanted))
}

const spanForm = /^(\d{1,6})([hdmy])$/
const hour = 3_600_000
const spans: Record<string, number> = {
  h: hour,
  d: 24 * hour,
  m: 30 * 24 * hour,
  y: 365 * 24 * hour,
}

function since(
  value: string,
  now: number,
  isWithin: (date: number, start: number) => boolean,
): Term | undefined {
  const [, count, unit = ''] = spanForm.exec(value) ?? []
  const span = spans[unit]
  if (span === undefined) return undefined
  const start = now - Number(count) * span
  return onHead(({ head }) => isWithin(head.date, start))
}

const words = (value: string): Term => ({
  ofHead: ({ head: { subject, sender, recipients } }) =>
    [subject, sender, recipients].some((text) => foldedText(text).includes(value)) || undefined,
  ofBody: ({ text }) => text.includes(value),
})

const tooLong = () =>
  new AgentMailError(
    'invalid_request',
    `query has more than ${maxTerms} words`,
    'Ask for less at a time.',
  )
