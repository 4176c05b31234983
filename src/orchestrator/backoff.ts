/** How long to wait before something is tried again: longer each time, up to an hour. */

export const longestMs = 3600_000

/** @param attempts how often it was tried so far. */
export const backoffMs = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(attempts - 1, 30), Math.max(longestMs, firstMs))
