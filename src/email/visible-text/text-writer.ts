/** Writes what a reader of HTML sees as plain lines: blanks fold, blocks stand on lines of their own. */
import { cleanLine, shortened, withoutUnseen } from './clean-text.ts'

/** Deeper ones look the same, so that a hostile depth costs nothing. */
const deepest = 6

interface Mark {
  part: number
  word: number
  length: number
}

export class TextWriter {
  /** How many quotations and lists the text stands in. */
  quotes = 0
  lists = 0
  readonly #parts: string[] = []
  /** The same without what the writer adds: addresses, names of pictures, numbers of items. */
  readonly #words: string[] = []
  #length = 0
  /** Line ends that are due before the next word. */
  #breaks = 0
  /** What is due between the last word and the next one on the same line. */
  #gap = ''
  #bullet = ''
  #line: Mark = { part: 0, word: 0, length: 0 }

  get text(): string {
    return this.#parts.join('')
  }

  get words(): string {
    return this.#words.join('')
  }

  get mark(): Mark {
    return { part: this.#parts.length, word: this.#words.length, length: this.#length }
  }

  takeBackLine(): void {
    this.takeBack(this.#line)
  }

  /** What was written since then was not to be seen. */
  takeBack({ part, word, length }: Mark): void {
    this.#parts.length = part
    this.#words.length = word
    this.#length = length
  }

  /** What was written since then; nothing where it is long. */
  since(mark: Mark): string | undefined {
    if (this.#length - mark.length > 3000) return undefined
    return this.#parts.slice(mark.part).join('')
  }

  /** What no text of the mail says; after a blank where it begins with one. */
  add(text: string): void {
    if (text.startsWith(' ')) this.#gap = ' '
    if (text !== '') this.#put(text.trimStart(), false)
  }

  write(text: string, keepsLines = false): void {
    const seen = withoutUnseen(text)
    if (keepsLines) {
      for (const [at, line] of seen.split(/\r\n?|\n/).entries()) {
        if (at > 0) this.lineBreak()
        if (line !== '') this.#put(line)
      }
      return
    }
    const folded = seen.replace(/\s+/g, ' ')
    const words = folded.trim()
    if (folded.startsWith(' ')) this.#gap ||= ' '
    if (words === '') return
    this.#put(words)
    if (folded.endsWith(' ')) this.#gap = ' '
  }

  lineBreak(): void {
    this.#breaks++
  }

  /** What follows stands on a line of its own: 1, or after a blank line: 2. */
  block(lines: 1 | 2): void {
    if (this.#bullet === '') this.#breaks = Math.max(this.#breaks, lines)
  }

  item(bullet: string): void {
    this.block(1)
    this.#bullet = bullet
  }

  endItem(): void {
    this.#bullet = ''
    this.block(1)
  }

  cell(): void {
    if (this.#breaks === 0 && this.#length > 0) this.#gap = ' | '
  }

  #put(words: string, isOwn = true): void {
    const isFirst = this.#length === 0
    this.#words.push(this.#breaks > 0 ? '\n' : this.#gap, isOwn ? words : ' ')
    if (isFirst || this.#breaks > 0) {
      this.#line = this.mark
      const lists = Math.min(this.lists, deepest) - (this.#bullet === '' ? 0 : 1)
      this.#push(isFirst ? '' : '\n'.repeat(Math.min(this.#breaks, 3)))
      this.#push('> '.repeat(Math.min(this.quotes, deepest)) + '  '.repeat(Math.max(0, lists)))
      this.#push(this.#bullet)
    } else this.#push(this.#gap)
    this.#breaks = 0
    this.#gap = ''
    this.#bullet = ''
    this.#push(words)
  }

  #push(part: string): void {
    if (part === '') return
    this.#parts.push(part)
    this.#length += part.length
  }
}

type Attributes = ReadonlyMap<string, string>

export function imageText(attributes: Attributes): string {
  const alt = cleanLine(attributes.get('alt') ?? '')
  return alt === '' ? '' : `[${shortened(alt, 300)}]`
}

/** Empty where it leads nowhere a person could go, or where the text says the same. */
export function linkAddress(href: string, text: string | undefined): string {
  const address = href.replace(/[\t\n\r]/g, '').trim()
  if (!/^(https?|mailto):/i.test(address) || !URL.canParse(address)) return ''
  const shown = shortened(cleanLine(address).replace(/ /g, '%20'), 2000)
  return plain(shown) === plain(text ?? '') ? '' : shown
}

/** `https://example.com/` and `example.com` say the same to a reader. */
const plain = (address: string) =>
  cleanLine(address)
    .replace(/^(https?:\/\/|mailto:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase()
