/** When an agent is told of its mail: at once, again for later mail, and three more times while it waits. */
import type { Recipient } from '../recipients.ts'

/** What an agent was told. */
export interface Told {
  /** The newest mail at that time; nothing where that is not known. */
  id: string | undefined
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

/** Nothing when it has been told often enough of the mail whose newest has this id. */
export function nextNudge(
  told: Told | undefined,
  newest: string,
  gapMs: number,
): NextNudge | undefined {
  if (!told) return { at: Number.NEGATIVE_INFINITY, isNew: true }
  const earliest = told.at + gapMs
  if (told.id !== newest) return { at: earliest, isNew: true }
  const next = remindersAfter.map((ms) => told.since + ms).find((at) => at > told.at)
  return next === undefined ? undefined : { at: Math.max(next, earliest), isNew: false }
}

/** What the list of recipients knows of it, which outlives a mailman. */
export function toldOf(
  recipient: Recipient,
  newest: { id: string; created_at?: string },
  now: number,
): Told | undefined {
  const { notified, notified_at, notified_since, notified_id } = recipient
  if (!notified && notified_id === undefined) return undefined
  const at = timeUpTo(now, notified_at)
  // Without an id, mail that was sent later is later mail.
  const isLater = Date.parse(newest.created_at ?? '') > at
  return {
    id: notified_id ?? (isLater ? undefined : newest.id),
    since: timeUpTo(at, notified_since),
    at,
  }
}

/** A time that nobody noted, or that is still to come, counts as the latest that it can be. */
function timeUpTo(latest: number, noted = ''): number {
  const time = Date.parse(noted)
  return Number.isNaN(time) ? latest : Math.min(time, latest)
}
