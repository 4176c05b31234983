/** The one door to randomness: ids that nobody can guess, and chance. */
import { closeSync, openSync, readSync } from 'node:fs'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Base62, cryptographically random, every character equally likely. */
export function randomId(length: number): string {
  let id = ''
  while (id.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte: what lies above would favour some characters.
      if (byte < 248 && id.length < length) id += base62[byte % 62]
    }
  }
  return id
}

/** From where node:crypto has its own: to load that takes 4 ms, a tenth of a whole command. */
function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count)
  try {
    const source = openSync('/dev/urandom', 'r')
    const read = readSync(source, bytes)
    closeSync(source)
    if (read === count) return bytes
  } catch {} // a system that shows none has another way
  return process.getBuiltinModule('node:crypto').randomBytes(count)
}

export const uuid = (): string => process.getBuiltinModule('node:crypto').randomUUID()

/** At least 0 and less than 1. For waiting, not for secrets. */
export const randomFraction = (): number => Math.random()
