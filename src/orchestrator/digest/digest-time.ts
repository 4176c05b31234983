/** When a digest is due: once on each local date, from a time of the day on, whatever is done to the clock. */
import { AgentMailError } from '../../errors.ts'

/** Minutes since midnight, or at once. */
export type DigestTime = number | 'now'

/** @example digestTime('18:00') // 1080 */
export function digestTime(text: string): DigestTime {
  if (text === 'now') return text
  const [, hours = '', minutes = ''] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (hours !== '' && hour < 24 && minute < 60) return 60 * hour + minute
  throw new AgentMailError(
    'server_config',
    `--digest must be a time of the day, as in 18:00, and not ${JSON.stringify(text)}`,
    'Give hours and minutes of your local time, or "now" together with --once.',
  )
}

const two = (count: number): string => String(count).padStart(2, '0')

/** @example localDate(Date.now()) // '2026-11-18' */
export function localDate(ms: number): string {
  const at = new Date(ms)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** @example localMinute(Date.now()) // '2026-11-18 18:00' */
export function localMinute(ms: number): string {
  const at = new Date(ms)
  return `${localDate(ms)} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** How long it is until this time of the day comes next. */
export function untilTime(time: number, now: number): number {
  const next = new Date(now)
  next.setHours(0, time, 0, 0)
  if (next.getTime() > now) return next.getTime() - now
  next.setHours(24, time, 0, 0)
  return next.getTime() - now
}

/** Where the clock leaves an hour out, later on the same date; an hour that comes twice has one date. */
export function isPastTime(time: number, now: number): boolean {
  const at = new Date(now)
  return 60 * at.getHours() + at.getMinutes() >= time
}
