/** Numbers that JSON has rounded: written, they would be others than were meant. */
import { isDeepStrictEqual } from 'node:util'
import { AgentMailError } from '../../errors.ts'

/** Refuses them in every value that is not as it was read. */
export function checkNumbers(wanted: Record<string, unknown>, old: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(wanted)) {
    const isKept = Object.hasOwn(old, key) && isDeepStrictEqual(value, old[key])
    if (isKept || !hasRounded(value)) continue
    throw new AgentMailError(
      'invalid_request',
      `a number in ${key} is beyond 9007199254740991, where JSON loses digits`,
      'Give it as text. Nothing was written.',
    )
  }
}

function hasRounded(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasRounded)
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return false
  return Number.isInteger(value) || !Number.isFinite(value)
}
