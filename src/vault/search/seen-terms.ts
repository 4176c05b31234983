/** Tells which words of a text were never seen before, for millions of words in little memory. */

/** Two numbers that stand for a word; that two words share both is less likely than a broken disk. */
const numbersEach = 2

export class SeenTerms {
  #slots = new Int32Array(numbersEach << 16)
  #count = 0

  /** Adds the words of a text of `spaced` to `found` that are seen for the first time. */
  collect(text: string, found: string[]): void {
    const end = text.length
    let [one, two, start] = [firstOne, firstTwo, 0]
    for (let at = 0; at <= end; at++) {
      const code = at < end ? text.charCodeAt(at) : 0
      if (isInToken(code)) {
        one = Math.imul(one ^ code, 0x01000193)
        two = Math.imul(two ^ code, 0x5bd1e995)
        two ^= two >>> 15
        continue
      }
      if (at > start && this.#add(one, two)) found.push(text.slice(start, at))
      one = firstOne
      two = firstTwo
      start = at + 1
    }
  }

  /** Gives whether it is new. */
  #add(one: number, two: number): boolean {
    if (this.#count * numbersEach * 2 > this.#slots.length) this.#grow()
    const slot = slotOf(this.#slots, one, two)
    if (this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0) return false
    this.#slots[slot] = one
    this.#slots[slot + 1] = two
    this.#count++
    return true
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 2)
    for (let from = 0; from < old.length; from += numbersEach) {
      const [one = 0, two = 0] = [old[from], old[from + 1]]
      if (one === 0 && two === 0) continue
      const slot = slotOf(this.#slots, one, two)
      this.#slots[slot] = one
      this.#slots[slot + 1] = two
    }
  }

  clear(): void {
    this.#slots = new Int32Array(numbersEach << 16)
    this.#count = 0
  }
}

const firstOne = 0x811c9dc5 | 0
const firstTwo = 0x9747b28c | 0

const isInToken = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code >= 0x80

/** Where the numbers are, or where they belong. */
function slotOf(slots: Int32Array, one: number, two: number): number {
  const mask = slots.length - numbersEach
  let slot = (Math.imul(one ^ (two >>> 16), 0x9e3779b1) >>> 7) & mask & ~1
  for (;;) {
    const [there, next] = [slots[slot], slots[slot + 1]]
    if ((there === one && next === two) || (there === 0 && next === 0)) return slot
    slot = (slot + numbersEach) & mask
  }
}
