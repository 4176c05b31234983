/** What a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const done = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in done) return done.error
  throw new Error(`This did not fail: ${JSON.stringify(done.value)}`)
}
