/** The names of labels: those of the system in capitals, all others as they were first written. */
import { AgentMailError } from '../errors.ts'

const systemLabels = ['INBOX', 'UNREAD', 'STARRED', 'IMPORTANT', 'SPAM', 'TRASH', 'SENT', 'DRAFT']

const maxLength = 225

/** The label that is meant: one of the system's, or one of the others that are known, or a new one. */
export function labelNamed(text: string, known: Iterable<string>): string {
  const name = text.trim().normalize('NFC')
  if (name === '') throw refused('a label must have a name')
  if (/[\p{Cc}\u2028\u2029]/u.test(name))
    throw refused('a label must not contain control characters')
  if (name.split('/').some((step) => step.trim() === ''))
    throw refused('a label must not have an empty part')
  if ([...name].length > maxLength) throw refused(`a label has at most ${maxLength} characters`)
  const folded = foldedLabel(name)
  for (const label of [...systemLabels, ...known]) {
    if (foldedLabel(label) === folded) return settable(label)
  }
  return name
}

/** Only the mail program itself says what was sent, and what is a draft. */
export function settable(label: string): string {
  if (!/^(SENT|DRAFT)$/.test(label)) return label
  throw refused(`no mail can be put under ${label}`)
}

export const foldedLabel = (label: string): string => label.normalize('NFC').toLowerCase()

/** The system's first. */
export const sortedLabels = (labels: string[]): string[] => [
  ...systemLabels.filter((label) => labels.includes(label)),
  ...labels.filter((label) => !systemLabels.includes(label)),
]

const refused = (message: string) =>
  new AgentMailError('invalid_request', message, 'Name a label such as Work or Projects/2025.')
