/** Numbers that can be had again: SEED=… repeats a run's choices. */
import { expect } from 'vitest'

/** Gives numbers from 0 up to 1, and prints what they grow from (mulberry32). */
export function seededRandom(): () => number {
  let state = Number(process.env.SEED ?? Date.now() % 1_000_000)
  console.log(`${expect.getState().currentTestName}: SEED=${state}`)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
