/** Waits for what has no event to wait for. */
/** Waits until `check` gives something, and fails with `what` if it never does. */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 40_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await check()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`This did not happen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
