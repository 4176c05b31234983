/** How long to wait before something is tried again: longer each time, up to an hour. */
import { growing } from '../system/retry.ts'

export const longestMs = 3600_000

/** @param attempts how often it was tried so far. */
export const backoffMs = (attempts: number, firstMs: number): number =>
  growing(attempts, firstMs, Math.max(longestMs, firstMs))
