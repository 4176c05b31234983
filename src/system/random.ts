/** The one door to randomness: ids that nobody can guess, and chance. */

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Base62, cryptographically random, every character equally likely. */
export function randomId(length: number): string {
  // Loaded here, not at the top: it takes 4 ms, and most commands never need it.
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  let id = ''
  while (id.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte: what lies above would favour some characters.
      if (byte < 248 && id.length < length) id += base62[byte % 62]
    }
  }
  return id
}

export const uuid = (): string => process.getBuiltinModule('node:crypto').randomUUID()

/** At least 0 and less than 1. For waiting, not for secrets. */
export const randomFraction = (): number => Math.random()
