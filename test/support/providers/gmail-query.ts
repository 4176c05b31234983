/** The part of Gmail's search language that the tests use. */

export interface Searched {
  labels: string[]
  /** The value of a header, decoded. */
  header(name: string): string
  text: string
  date: number
  hasAttachment: boolean
}

export function matches(query: string, mail: Searched): boolean {
  const terms = query.match(/-?(?:\w+:)?(?:"[^"]*"|\S+)/g) ?? []
  const asksForBin = /\b(in|label):(anywhere|trash|spam)\b/i.test(query)
  const isInBin = mail.labels.some((label) => label === 'TRASH' || label === 'SPAM')
  if (isInBin && !asksForBin) return false
  return terms.every((term) =>
    term.startsWith('-') ? !holds(term.slice(1), mail) : holds(term, mail),
  )
}

const units: Record<string, number> = { d: 86_400_000, m: 30 * 86_400_000, y: 365 * 86_400_000 }

function holds(term: string, mail: Searched): boolean {
  const [, operator = '', quoted = ''] = /^(?:(\w+):)?(.*)$/s.exec(term) ?? []
  const value = quoted.replace(/^"|"$/g, '').toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(value)
  const hasLabel = (label: string) => mail.labels.some((own) => own.toLowerCase() === label)
  switch (operator.toLowerCase()) {
    case 'is':
      return value === 'read' ? !hasLabel('unread') : hasLabel(value)
    case 'in':
      return value === 'anywhere' || hasLabel(value)
    case 'label':
      return hasLabel(value)
    case 'from':
    case 'subject':
      return has(mail.header(operator))
    case 'to':
      return has(['to', 'cc', 'bcc'].map(mail.header).join(' '))
    case 'has':
      return value === 'attachment' && mail.hasAttachment
    case 'after':
      return mail.date >= timeOf(value)
    case 'before':
      return mail.date < timeOf(value)
    case 'newer_than': {
      const [, count = '0', unit = 'd'] = /^(\d+)([dmy])$/.exec(value) ?? []
      return mail.date >= Date.now() - Number(count) * (units[unit] ?? 0)
    }
    default:
      return has(`${mail.header('subject')} ${mail.header('from')} ${mail.text}`)
  }
}

/** Unix seconds, or `2026/01/31`. */
const timeOf = (value: string) =>
  /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value.replaceAll('/', '-'))
