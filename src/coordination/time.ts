/** Times as the database keeps them, in microseconds, and as callers write and read them, in RFC 3339. */
import { AgentMailError } from '../errors.ts'

/** `2026-01-15T10:02:15.000001Z` */
export function timeText(us: number): string {
  const ms = Math.floor(us / 1000)
  const micros = String(us - ms * 1000).padStart(3, '0')
  return `${new Date(ms).toISOString().slice(0, -1)}${micros}Z`
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** What the commands understand besides, told wherever one of them got something else. */
export const timeForms =
  'Write a time like 2026-01-15T10:00:00Z, or in your time zone "2026-01-15 10:00", 2026-01-15, today, yesterday; or how long ago: 90s, 5m, 2h, 3d, 1w.'

/** Microseconds of an RFC 3339 time of any offset; what is finer than that is cut off. */
export function parseTime(
  value: string,
  name = 'since',
  next = 'Write it like 2026-01-15T10:00:00Z or 2026-01-15T12:00:00.123456+02:00.',
): number {
  const [, year, month, day, hour, minute, second, fraction = '', sign, offHour, offMinute] =
    rfc3339.exec(value.trim()) ?? []
  const fields = [year, month, day, hour, minute, second].map(Number)
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields
  const offset = sign ? (Number(offHour) * 60 + Number(offMinute)) * (sign === '-' ? -1 : 1) : 0
  const date = new Date(0)
  date.setUTCFullYear(y, mo - 1, d)
  const isReal =
    year !== undefined && date.getUTCMonth() === mo - 1 && date.getUTCDate() === d && h < 24
  if (!isReal || mi > 59 || s > 60 || Number(offHour ?? 0) > 23 || Number(offMinute ?? 0) > 59) {
    throw new AgentMailError(
      'invalid_request',
      `parsing ${name} timestamp: "${value.slice(0, 60)}" is not RFC 3339`,
      next,
    )
  }
  date.setUTCHours(h, mi - offset, s)
  const us = date.getTime() * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  return Math.min(Math.max(us, 0), Number.MAX_SAFE_INTEGER)
}
