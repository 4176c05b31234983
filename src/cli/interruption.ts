/** Ctrl-C while a command waits for something. */

/** Ctrl-C ends the waiting; a second one ends the process. */
export function interruption() {
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once('SIGINT', stop)
  return { signal: controller.signal, release: () => process.off('SIGINT', stop) }
}
