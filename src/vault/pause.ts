/** Lets others have their turn during long work on the one thread that answers everybody. */

const sliceMs = 10

/** @example const pause = pauses(); for (…) { …; await pause() } */
export function pauses(): () => Promise<void> | undefined {
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
