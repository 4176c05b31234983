/** The one door to the time, and to waiting; tests pass a clock of their own. */

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** From some moment on, whatever is done to the clock. Node's own `performance` takes 1.3 ms to load. */
export const elapsedMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** RFC 3339 in UTC, as every time in a file or a reply is written. */
export const rfc3339 = (ms: number): string => new Date(ms).toISOString()

/** @example timeSpan(95_000) // '1 min' */
export function timeSpan(ms: number): string {
  const [limit, unit, name] = spans.find(([limit]) => ms < limit) ?? days
  return `${Math.floor(ms / unit)} ${name}${limit === days[0] && ms >= 2 * unit ? 's' : ''}`
}

const days = [Number.POSITIVE_INFINITY, 86_400_000, 'day'] as const
const spans = [
  [60_000, 1000, 's'],
  [3_600_000, 60_000, 'min'],
  [86_400_000, 3_600_000, 'h'],
] as const

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

/** Lets others have their turn during long work on the one thread that answers everybody. */
export type Pause = () => Promise<void> | undefined

const sliceMs = 10

/** @example const pause = pauses(); for (…) { …; await pause() } */
export function pauses(): Pause {
  let since = performance.now()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
