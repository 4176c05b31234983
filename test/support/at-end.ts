/** Who ends what was begun: a test, or all tests of a block. */
import { afterAll } from 'vitest'

export type AtEnd = (end: () => void | Promise<void>) => void

/** Ends what was begun for all the tests of a block after them, the last first. */
export function afterAllTests(): AtEnd {
  const ends: (() => void | Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return (end) => void ends.unshift(end)
}
