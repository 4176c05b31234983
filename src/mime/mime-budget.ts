/** Leaves out of a mail what would only cost time: the bytes of attachments, and text beyond what anybody reads. */
import { pauses } from '../system/clock.ts'

/** The parser takes 5 to 10 µs a line, and holds up everybody else while it works. */
const maxTextLines = 12_000
const maxTextBytes = 1 << 20
const maxHeaderLines = 10_000
const maxParts = 2000

const notText = /^(?:application|image|audio|video|font|model|message)\//i

/** The mark between the parts of a mail, as a line of its headers names it; empty where it names none. */
export function boundaryIn(line: string): string {
  const [, quoted, plain = ''] =
    /(?:^|[;\s])boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(line) ?? []
  return quoted ?? plain
}

/** The body of a mail of this Content-Type with every part of it, but short; and whether all of its text is there. */
export async function withinBudget(
  body: Buffer,
  contentType: string,
): Promise<{ short: Buffer; isComplete: boolean }> {
  const budget = new Budget(contentType)
  const kept: Buffer[] = []
  const pause = pauses()
  for (let position = 0; position < body.length; ) {
    const newline = body.indexOf(0x0a, position)
    const next = newline < 0 ? body.length : newline + 1
    const room = budget.roomFor(body, position, next)
    if (room === undefined) break
    if (room > 0) kept.push(body.subarray(position, Math.min(next, position + room)))
    position = room > 0 ? next : nextBoundary(body, next)
    await pause()
  }
  return { short: Buffer.concat(kept), isComplete: !budget.isSpent }
}

/** Nothing but a line that begins with dashes can end what is left out. */
function nextBoundary(body: Buffer, position: number): number {
  const found = body.indexOf('\n--', position - 1)
  return found < 0 ? body.length : found + 1
}

class Budget {
  readonly #boundaries = new Set<string>()
  #isInHeaders = false
  #isText: boolean
  #parts = 0
  #headerLines = 0
  #textLines = 0
  #textBytes = 0
  /** Whether text was left out. */
  isSpent = false

  constructor(contentType: string) {
    this.#isText = !notText.test(contentType)
    this.#noteBoundary(contentType)
  }

  /** How many bytes of a line are kept; nothing where the mail is to end before it. */
  roomFor(body: Buffer, start: number, end: number): number | undefined {
    if (this.#isBoundary(body, start, end)) {
      this.#isInHeaders = true
      this.#isText = true
      if (++this.#parts <= maxParts) return end - start
      this.isSpent = true
      return undefined
    }
    if (this.#isInHeaders) return this.#roomForHeader(body.subarray(start, end))
    if (!this.#isText) return 0
    const isOver = ++this.#textLines > maxTextLines
    const room = isOver ? 0 : Math.min(end - start, maxTextBytes - this.#textBytes)
    if (room < end - start) this.isSpent = true
    this.#textBytes += room
    return room
  }

  #roomForHeader(bytes: Buffer): number | undefined {
    const line = bytes.toString('latin1', 0, 1000).trimEnd()
    if (line === '') this.#isInHeaders = false
    else this.#noteBoundary(line)
    const type = /^content-type:\s*(.*)/i.exec(line)?.[1]
    if (type !== undefined) this.#isText = !notText.test(type)
    if (++this.#headerLines <= maxHeaderLines) return bytes.length
    this.isSpent = true
    return undefined
  }

  #noteBoundary(line: string): void {
    const boundary = boundaryIn(line)
    if (boundary !== '') this.#boundaries.add(boundary)
  }

  #isBoundary(body: Buffer, start: number, end: number): boolean {
    if (body[start] !== 0x2d || body[start + 1] !== 0x2d || end - start > 1000) return false
    const line = body.toString('latin1', start + 2, end).trimEnd()
    return this.#boundaries.has(line) || this.#boundaries.has(line.replace(/--$/, ''))
  }
}
