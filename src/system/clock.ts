/** The one door to the time; tests pass a clock of their own. */

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** RFC 3339 in UTC, as every time in a file or a reply is written. */
export const rfc3339 = (ms: number): string => new Date(ms).toISOString()

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
