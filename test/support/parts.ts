/** Parts that a test needs from the machine: without one it is skipped with a word, and in CI it fails. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, it } from 'vitest'

const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/lib/galera',
  '/usr/lib64/galera-4',
]

const find = (part: string): string | undefined =>
  folders.map((folder) => join(folder, part)).find((path) => existsSync(path))

/** The path of a part that must be there. */
export function pathOf(part: string): string {
  const path = find(part)
  if (path === undefined) throw new Error(`${part} is not installed`)
  return path
}

/** `describe`, where the parts are there: programs, or libraries. */
export function describeWith(parts: string | string[], name: string, tests: () => void): void {
  const part = [parts].flat().find((one) => !find(one))
  if (part === undefined) {
    describe(name, tests)
  } else if (process.env.CI) {
    describe(name, () => {
      it(`needs ${part}`, () => {
        throw new Error(`${part} is not installed, and in CI nothing may be skipped`)
      })
    })
  } else {
    console.warn(`Skipped, since ${part} is not installed: ${name}`)
    describe.skip(name, tests)
  }
}

/** Long versions run by `npm run test:long`. */
export const isLong = process.env.LONG === '1'
