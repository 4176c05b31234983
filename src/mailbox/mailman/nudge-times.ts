/** When an agent is told of its mail: at once, again for later mail, and three more times while it waits. */
import type { Recipient } from '../recipient.ts'
import type { Elsewhere } from './other-mail.ts'

/** What an agent was told. */
export interface Told {
  /** The newest mail at that time; nothing where that is not known. */
  id: string | undefined
  /** The same of mail that is in no mailbox. */
  number?: number | undefined
  /** When it was first told of it. */
  since: number
  /** When it was last told. */
  at: number
}

export interface NextNudge {
  at: number
  /** Whether it is the first for this mail. */
  isNew: boolean
}

const minute = 60_000
const remindersAfter = [10 * minute, 30 * minute, 60 * minute]

/** The newest that waits for an agent, in its mailbox and elsewhere. */
export interface Newest {
  mail?: { id: string; created_at?: string } | undefined
  elsewhere?: Elsewhere | undefined
}

/** Nothing when it has been told often enough of the mail that waits. */
export function nextNudge(
  told: Told | undefined,
  newest: Newest,
  gapMs: number,
): NextNudge | undefined {
  if (!told) return { at: Number.NEGATIVE_INFINITY, isNew: true }
  const earliest = told.at + gapMs
  if (isNewTo(told, newest)) return { at: earliest, isNew: true }
  const next = remindersAfter.map((ms) => told.since + ms).find((at) => at > told.at)
  return next === undefined ? undefined : { at: Math.max(next, earliest), isNew: false }
}

/** What is elsewhere may be read in any order, and be another's than it was: an earlier one is new if nobody was told. */
function isNewTo({ id, number = 0 }: Told, { mail, elsewhere }: Newest): boolean {
  if (mail && mail.id !== id) return true
  if (!elsewhere) return false
  return elsewhere.id > number || (elsewhere.id < number && !elsewhere.isTold)
}

/** What the list of recipients knows of it, which outlives a mailman. */
export function toldOf(
  recipient: Recipient,
  newest: Newest['mail'],
  now: number,
): Told | undefined {
  const { notified, notified_at, notified_since, notified_id, notified_number } = recipient
  const isNoted = notified_id !== undefined || notified_number !== undefined
  if (!notified && !isNoted) return undefined
  const at = timeUpTo(now, notified_at)
  // Without an id, mail that was sent later is later mail.
  const isLater = isNoted || Date.parse(newest?.created_at ?? '') > at
  return {
    id: notified_id ?? (isLater ? undefined : newest?.id),
    ...(notified_number !== undefined && { number: notified_number }),
    since: timeUpTo(at, notified_since),
    at,
  }
}

/** A time that nobody noted, or that is still to come, counts as the latest that it can be. */
function timeUpTo(latest: number, noted = ''): number {
  const time = Date.parse(noted)
  return Number.isNaN(time) ? latest : Math.min(time, latest)
}
