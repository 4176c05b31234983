/** Numbers that can be had again: SEED=… repeats a run's choices. */
import { expect } from 'vitest'

/** What this test's choices grow from; it is printed. */
export function chosenSeed(): number {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  console.log(`${expect.getState().currentTestName}: SEED=${seed}`)
  return seed
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const seededRandom = (): (() => number) => randomFrom(chosenSeed())

/** Whole numbers below another. */
export function choiceFrom(seed: number): (below: number) => number {
  const random = randomFrom(seed)
  return (below) => Math.floor(random() * below)
}

export const seededChoice = (): ((below: number) => number) => choiceFrom(chosenSeed())
