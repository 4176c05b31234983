/** Tries again: after pauses that grow, and not for ever. */
import { elapsedMs, sleep, systemClock } from './clock.ts'
import { randomFraction } from './random.ts'

export interface Patience {
  /** So often at most. */
  tries?: number
  /** For so long. */
  patienceMs?: number
  /** Until this says so; asked after each try. */
  isOver?: () => boolean
  /** How long the first pause is, and the longest; on the average. */
  firstMs?: number
  longestMs?: number
}

/** Asks until there is an answer; nothing where there is none in time. */
export async function untilAnswered<T>(
  patience: Patience,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for await (const _ of attempts(patience)) {
    const answer = await ask()
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Does it until it is done; gives up with the last error, and at once with one that will not pass. */
export async function untilDone<T>(
  patience: Patience,
  work: () => T | Promise<T>,
  willPass: (error: unknown) => boolean,
): Promise<T> {
  let last: unknown
  for await (const _ of attempts(patience)) {
    try {
      return await work()
    } catch (error) {
      if (!willPass(error)) throw error
      last = error
    }
  }
  throw last
}

async function* attempts(patience: Patience) {
  const { tries = Infinity, patienceMs = Infinity, isOver = () => false } = patience
  const startedAt = elapsedMs()
  for (let attempt = 1; ; attempt++) {
    yield attempt
    if (attempt >= tries || elapsedMs() - startedAt > patienceMs || isOver()) return
    await growingPause(attempt, patience)
  }
}

/** Never two alike, so that those who met once do not meet again. */
export const growingPause = (
  attempt: number,
  { firstMs = 1, longestMs = 25 }: Patience = {},
): Promise<void> => sleep(2 * randomFraction() * growing(attempt, firstMs, longestMs))

/** Twice as long each time. */
const growing = (attempt: number, firstMs: number, longestMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(attempt - 1, 30), longestMs)

/** How long something rests at most that was tried in vain, by this run or another. */
export const longestBackoffMs = 3600_000

/** Where the clock was set back, nothing rests until it is there again. */
export const notFarAway = (ms: number): number => Math.min(ms, systemClock.now() + longestBackoffMs)

/** @param attempts how often it was tried so far. */
export const backoffMs = (attempts: number, firstMs: number): number =>
  growing(attempts, firstMs, Math.max(longestBackoffMs, firstMs))
