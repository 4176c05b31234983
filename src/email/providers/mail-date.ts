/** The date of a mail: as its header says, else when it came. */
import { rfc3339 } from '../../clock.ts'

/** RFC 5322, from its day to its zone; what comes before and after is decoration. */
const inHeader =
  /^\s*(?:[a-z]{3,9}\s*,?\s*)?(\d{1,2}\s+[a-z]{3}\s+\d{4}\s+\d{1,2}:\d{2}(?::\d{2})?)\s*([+-]\d{4}|[a-z]{1,4}\b)?/i
const iso = /^\s*\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})\s*$/

/** ISO 8601 in UTC, or empty. @param received Unix milliseconds, as text. */
export function mailDate(header: string, received: string): string {
  const [, day, zone = '+0000'] = inHeader.exec(header) ?? []
  const written = day ? `${day} ${zone}` : iso.test(header) ? header : ''
  for (const ms of [Date.parse(written), /^\d{1,15}$/.test(received) ? Number(received) : NaN]) {
    if (Number.isFinite(ms)) return rfc3339(ms)
  }
  return ''
}
