/** Work that ends in time, without AbortSignal.any: in Node 20 that forgets a time-out once memory is tidied. */
import { AgentMailError } from '../errors.ts'

interface Bounds {
  /** In milliseconds. */
  limit?: number
  outer?: AbortSignal
}

/** Gives the work a signal that fires after the limit, with the outer one, and once the work has failed. */
export async function within<T>(
  { limit, outer }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const stop = () => own.abort()
  const timer = limit === undefined ? undefined : setTimeout(stop, limit)
  outer?.addEventListener('abort', stop)
  if (outer?.aborted) stop()
  try {
    return await work(own.signal)
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', stop)
    stop()
  }
}

/** Waits no longer than the signal allows; what it stops waiting for may still go on, unheard. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new AgentMailError('internal', 'Gmail took too long', 'Try again later.'))
  })
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
