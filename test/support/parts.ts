/** Parts that a test needs from the machine: without one it is skipped with a word, and in CI it fails. */
import { spawnSync } from 'node:child_process'
import { describe, it } from 'vitest'

const found = new Map<string, boolean>()

function isThere(program: string): boolean {
  const known = found.get(program)
  if (known !== undefined) return known
  const { error } = spawnSync(program, ['-V'], { stdio: 'ignore' })
  found.set(program, !error)
  return !error
}

/** `describe`, where the program is there. */
export function describeWith(program: string, name: string, tests: () => void): void {
  if (isThere(program)) {
    describe(name, tests)
  } else if (process.env.CI) {
    describe(name, () => {
      it(`needs ${program}`, () => {
        throw new Error(`${program} is not installed, and in CI nothing may be skipped`)
      })
    })
  } else {
    console.warn(`Skipped, since ${program} is not installed: ${name}`)
    describe.skip(name, tests)
  }
}

/** Long versions run by `npm run test:long`. */
export const isLong = process.env.LONG === '1'
