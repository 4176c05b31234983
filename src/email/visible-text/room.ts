/** The room that a text has and takes, line by line. */
import { Extent, piecesOf, widthOf, withinWidth } from './extent.ts'
import { type Look, lineHeight } from './look.ts'

/** What holds a text. */
interface Holder {
  /** How wide the widest is of what stands in it and is not broken over lines. */
  widest: number
}

export class Room {
  readonly extent = new Extent()
  /** How wide the piece is that the line ends with, as long as nothing parts it from what follows. */
  run = 0
  /** How many boxes are open of which the height has a limit. */
  limits = 0

  /** As much of a text as is within its box and the page. */
  fitting(text: string, look: Look, frame: Holder): string {
    const { box, wraps, keepsLines } = look
    const words = keepsLines ? text : text.replace(/[ \t\n\r\f]+/g, ' ')
    if (words.trim() === '') {
      if (words !== '') this.run = 0
      return words
    }
    const page = box.right - box.x
    if (box.room < 24 || page < 40) return ''
    return wraps
      ? this.#wrapped(words, look, frame)
      : this.#unwrapped(words, keepsLines, look, frame)
  }

  #wrapped(words: string, look: Look, frame: Holder): string {
    const { box, fontSize, letterSpacing } = look
    const page = box.right - box.x
    const room = box.clips || box.isTight ? Math.min(box.room, page) : page
    const { longest, first, last } = piecesOf(words, fontSize, letterSpacing)
    const before = this.run
    const run = before + first
    this.run = last === undefined ? run : last
    // In most fonts letters are narrower; what is pushed away for sure is not seen.
    frame.widest = Math.max(frame.widest, 0.8 * Math.max(longest, run))
    if (this.limits > 0) {
      const line = { room: box.room, lineHeight: lineHeight(look) }
      for (const [at, one] of (look.keepsLines ? words.split('\n') : [words]).entries()) {
        if (at > 0) this.extent.endLine()
        this.extent.add({ ...line, width: widthOf(one, fontSize, letterSpacing) + 1 })
      }
    }
    const isCut = box.clips || (box.isTight && room < 200) || words.includes('\u00a0')
    const isAfter = before > 0 && before > 0.8 * page
    return isAfter || (isCut && Math.max(longest, run) > room) ? '' : words
  }

  #unwrapped(words: string, keepsLines: boolean, look: Look, frame: Holder): string {
    const { box, fontSize, letterSpacing } = look
    const page = box.right - box.x
    const room = box.clips || box.isTight ? Math.min(box.room, page) : page
    const kept = (keepsLines ? words.split(/\r\n?|\n/) : [words]).map((one, at) => {
      if (at > 0) this.extent.endLine()
      const width = widthOf(one, fontSize, letterSpacing)
      const rest = room - this.extent.inline
      this.extent.add({ width, room: Number.POSITIVE_INFINITY, lineHeight: lineHeight(look) })
      frame.widest = Math.max(frame.widest, 0.8 * width)
      return withinWidth(one, rest, fontSize, letterSpacing)
    })
    return kept.join('\n')
  }
}
