/** Lets others have their turn during long work on the one thread that answers everybody. */

const sliceMs = 10

export type Pause = () => Promise<void> | undefined

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
