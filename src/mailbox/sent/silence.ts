/** Whether somebody who is written to is likely to read it soon. */
import { timeSpan } from '../../system/clock.ts'
import type { Recipient } from '../recipient.ts'

/** Nothing was heard of somebody for long. */
export const longSilenceMs = 30 * 60_000

/** When a recipient was last heard of; nothing of one that never told a time. */
export function lastSign({ updated_at, last_read_at, status_at }: Recipient): number | undefined {
  const times = [Date.parse(updated_at ?? ''), Date.parse(status_at ?? ''), last_read_at ?? 0]
  const last = Math.max(...times.filter((time) => !Number.isNaN(time)))
  return last > 0 ? last : undefined
}

/** In words, where it is offline or was not heard of for long; of one that was never heard of there is nothing to say. */
export function silenceOfRecipient(
  known: Recipient[],
  name: string,
  now: number,
): string | undefined {
  const recipient = known.find((one) => one.name === name)
  if (!recipient) return undefined
  const silentMs = now - (lastSign(recipient) ?? now)
  const since = silentMs >= longSilenceMs ? `not heard of for ${timeSpan(silentMs)}` : undefined
  if (recipient.status === 'offline') return `${name} is offline${since ? ` and was ${since}` : ''}`
  return since && `${name} was ${since}`
}
