/** Everybody writes to everybody and answers what came: each letter is handed over once, to the one it is for. */
import { expect } from 'vitest'
import type { Correspondent, Letter } from './correspondents.ts'

const sorted = (letters: Letter[]) => letters.map(({ from, text }) => `${from}: ${text}`).sort()

/** What each is handed at this moment, by its name. */
async function handedTo(everybody: Correspondent[]): Promise<Record<string, string[]>> {
  const all = await Promise.all(everybody.map(async (one) => [one.name, sorted(await one.read())]))
  return Object.fromEntries(all)
}

/** What each must be handed when all others have written to it. */
const expected = (everybody: Correspondent[], what: string): Record<string, string[]> =>
  Object.fromEntries(
    everybody.map(({ name }) => [
      name,
      sorted(
        everybody
          .filter((other) => other.name !== name)
          .map((other) => ({ from: other.name, text: `${what} for ${name}` })),
      ),
    ]),
  )

/** One after the other for each, all of them at the same time. */
async function writeToAll(everybody: Correspondent[], what: string): Promise<void> {
  await Promise.all(
    everybody.map(async (writer) => {
      for (const { name } of everybody) {
        if (name !== writer.name) await writer.write(name, `${what} for ${name}`)
      }
    }),
  )
}

export async function everybodyWrites(everybody: Correspondent[]): Promise<void> {
  for (const what of ['a question', 'an answer']) {
    await writeToAll(everybody, what)
    expect(await handedTo(everybody)).toEqual(expected(everybody, what))
  }
  const nothing = Object.fromEntries(everybody.map(({ name }) => [name, []]))
  expect(await handedTo(everybody)).toEqual(nothing)
}
