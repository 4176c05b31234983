/** How much room a text takes: never less than in any font that a mail is read in. */

/** In parts of the font size. */
const widths = Array.from({ length: 0x250 }, (_, code) => {
  const letter = String.fromCharCode(code)
  if (/[ ijlftrI.,:;'!|()[\]-]/.test(letter)) return 0.4
  if (/[mMwW@%]/.test(letter)) return 1
  return /[A-Z0-9#&$+=<>~]/.test(letter) ? 0.75 : 0.62
})
const partOf = (letter: string) => widths[letter.charCodeAt(0)] ?? 1.1

export function widthOf(text: string, fontSize: number, spacing = 0): number {
  let sum = 0
  for (const letter of text) sum += fontSize * partOf(letter) + spacing
  return sum
}

const ends = /[ \t\n\r\f\u200b\u3000-\u9fff\uac00-\ud7af-]+/

/** How wide the pieces are that are not broken over two lines: the longest, the first, and the last if it is another. */
export function piecesOf(text: string, fontSize: number, spacing: number) {
  const pieces = text.split(ends).map((piece) => widthOf(piece, fontSize, spacing))
  const longest = pieces.reduce((most, width) => Math.max(most, width), 0)
  return { longest, first: pieces[0] ?? 0, last: pieces.length > 1 ? pieces.at(-1) : undefined }
}

/** As much of a line as is seen up to this width. */
export function withinWidth(line: string, room: number, fontSize: number, spacing: number): string {
  let sum = 0
  let at = 0
  for (const letter of line) {
    sum += fontSize * partOf(letter) + spacing
    if (sum > room) return line.slice(0, at)
    at += letter.length
  }
  return line
}

interface Piece {
  width: number
  /** How wide a line may be. */
  room: number
  lineHeight: number
}

/** How high everything is that was written so far, one below the other. */
export class Extent {
  #height = 0
  #inline = 0
  #room = Number.POSITIVE_INFINITY
  #line = 0

  get height(): number {
    this.endLine()
    return this.#height
  }

  /** How wide the line is at this moment. */
  get inline(): number {
    return this.#inline
  }

  add({ width, room, lineHeight }: Piece): void {
    this.#inline += width
    this.#room = Math.min(this.#room, Math.max(room, 1))
    this.#line = Math.max(this.#line, lineHeight)
  }

  /** Where a box in the line begins. */
  get place(): { height: number; inline: number } {
    return { height: this.#height, inline: this.#inline }
  }

  /** Such a box ends, and takes no more of the line than it claims if what stands in it has room there. */
  endBox(
    { height, inline }: { height: number; inline: number },
    claim: number,
    room: number,
  ): void {
    const taken = this.#inline - inline - claim
    if (height === this.#height && taken <= Math.min(claim, room)) this.#inline = inline + claim
  }

  /** Up to where something reaches that has a height of its own. */
  atLeast(height: number): void {
    this.endLine()
    this.#height = Math.max(this.#height, height)
  }

  space(height: number): void {
    this.endLine()
    this.#height += height
  }

  endLine(): void {
    if (this.#inline > 0)
      this.#height += Math.max(1, Math.ceil(this.#inline / this.#room)) * this.#line
    this.#inline = 0
    this.#room = Number.POSITIVE_INFINITY
    this.#line = 0
  }
}
