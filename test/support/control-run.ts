/** Control runs: a promise is tried with its safeguard off, and must be broken. */
import { expect } from 'vitest'

/** A control run must show damage, or the test beside it proves nothing; chance gets many tries, of which most runs need one. */
export async function expectDamage(run: (attempt: number) => Promise<number>): Promise<void> {
  for (let attempt = 1; attempt <= 20; attempt++) if ((await run(attempt)) > 0) return
  expect.fail('the control run showed no damage')
}
