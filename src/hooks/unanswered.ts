/** A hook that nobody answers: how long it waits, and why. */
import type { SessionMoment } from '../sessions/moment.ts'

const startMs = 2000

/** At the start of a session there is more to do, and nobody is in the middle of something. */
export const hookLimitMs = ({ moment }: SessionMoment, usualMs: number): number =>
  moment.kind === 'session-start' ? Math.max(startMs, usualMs) : usualMs

/** The same without a server: mail that was taken out for a client must reach it, and no edit waits for that. */
export const ownLimitMs = (told: SessionMoment, usualMs: number): number =>
  ['prompt', 'turn-end'].includes(told.moment.kind)
    ? Math.max(startMs, usualMs)
    : hookLimitMs(told, usualMs)

export const hookTrouble = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'unknown reason'
