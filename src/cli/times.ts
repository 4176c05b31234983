/** Times and ages as people write them on a command line. A time goes on as RFC 3339. */
import { parseTime, timeForms, timeText } from '../coordination/time.ts'
import { AgentMailError } from '../errors.ts'
import { type Clock, rfc3339, systemClock } from '../system/clock.ts'

/** The time that an option names, if it was given. */
export function timeOf(
  value: string | undefined,
  option: string,
  clock: Clock = systemClock,
): string | undefined {
  if (value === undefined) return undefined
  const time = timeIn(value, clock)
  if (time !== undefined) return time
  throw new AgentMailError(
    'invalid_request',
    `${option}: "${beginning(value)}" is no time`,
    timeForms,
  )
}

/** Where a database keeps versions, what is no time may name one: whoever has the database judges that. */
export const timeOrVersion = (value: string, clock: Clock = systemClock): string =>
  timeIn(value, clock) ?? value

function timeIn(value: string, clock: Clock): string | undefined {
  const given = value.trim()
  const ago = durationMs(given)
  if (ago !== undefined) return rfc3339(Math.max(0, clock.now() - ago))
  const word = given.toLowerCase()
  if (word === 'today') return dayBefore(0, clock)
  if (word === 'yesterday') return dayBefore(1, clock)
  return localTimeIn(given) ?? rfc3339In(given)
}

/** Where a local day begins: with 00:00, or right after it where the clocks skip that. */
function dayBefore(days: number, clock: Clock): string {
  const day = new Date(clock.now())
  return rfc3339(new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime())
}

/** A time as the tables show it, or a day, is meant in the reader's time zone. */
function localTimeIn(given: string): string | undefined {
  const [, date, clockTime = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(given) ?? []
  const written = `${date}T${clockTime}${seconds}`
  if (date === undefined || rfc3339In(`${written}Z`) === undefined) return undefined // 31 February
  return timeText(Math.max(0, new Date(written).getTime()) * 1000)
}

function rfc3339In(given: string): string | undefined {
  try {
    parseTime(given)
    return given
  } catch {
    return undefined
  }
}

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Of a whole number with its unit. */
function durationMs(given: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(given) ?? []
  const seconds = secondsOf[unit]
  return seconds === undefined ? undefined : Number(count) * seconds * 1000
}

/** Milliseconds of an age like 90d. */
export function ageMs(value: string, option: string): number {
  const ms = durationMs(value.trim())
  if (ms !== undefined) return ms
  throw new AgentMailError(
    'invalid_request',
    `${option} must be an age, not "${beginning(value)}"`,
    'Write a whole number and a unit: 90d for days (w weeks, h hours, m minutes, s seconds); 0s is everything.',
  )
}

const beginning = (value: string): string => value.slice(0, 60)
