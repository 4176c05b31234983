/** The date of a mail: read by its form, since the engine's own parser makes a date of nearly anything. */

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const inMail = new RegExp(
  `\\b(\\d{1,2})[ -](${months})[a-z]*[ -](\\d{4}|\\d{2}),? +(\\d{1,2}):(\\d{2})(?::(\\d{2}))?(?:\\.\\d+)?(?: *([+-]\\d{4}|[A-Z]{1,4})\\b)?`,
  'i',
)
const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/i

/** Unix milliseconds, or nothing where it is no date of our time. */
export function mailDate(text: string): number | undefined {
  const time = parsed(text.replace(/\s+/g, ' ').trim())
  return time >= 0 && time < Date.UTC(10_000, 0) ? time : undefined
}

function parsed(text: string): number {
  if (iso.test(text)) return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
  const found = inMail.exec(text)
  if (!found) return Number.NaN
  const [, day, month, year, hour, minute, second = '00', zone = '+0000'] = found
  const inZone = (name: string) =>
    Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} ${name}`)
  const time = inZone(zone)
  return Number.isNaN(time) ? inZone('+0000') : time // a zone that nobody knows
}
