/** What the elements of a mail make of its text: paragraphs, lists, quotations, cells and links. */
import type { ElementFacts } from './element-facts.ts'
import { linkAddress, type TextWriter } from './text-writer.ts'

const paragraphs = /^(p|h[1-6]|blockquote|pre|ul|ol|dl|table|figure|listing|xmp|plaintext)$/
const blocks =
  /^(div|section|article|header|footer|main|nav|aside|address|li|dt|dd|tr|caption|center|form|fieldset|legend|figcaption|details|summary|body|html|thead|tbody|tfoot|hgroup|dialog|dir|menu|search)$/

export class Structure {
  readonly addresses: string[] = []
  readonly numbers = new Set<string>()
  readonly #writer: TextWriter
  /** The number of the next item in each open list; nothing where they are not numbered. */
  readonly #lists: (number | undefined)[] = []

  constructor(writer: TextWriter) {
    this.#writer = writer
  }

  /** Begins an element; what it gives back ends it. */
  begin({ tag, attributes }: ElementFacts): () => void {
    const writer = this.#writer
    if (tag === 'td' || tag === 'th') writer.cell()
    if (tag === 'li') return this.#item(attributes)
    if (tag === 'ul' || tag === 'ol') return this.#list(tag, attributes)
    if (tag === 'a') return this.#link(attributes)
    const space = paragraphs.test(tag) ? 2 : blocks.test(tag) ? 1 : undefined
    if (space === undefined) return () => {}
    writer.block(space)
    if (tag === 'blockquote') writer.quotes++
    return () => {
      if (tag === 'blockquote') writer.quotes--
      writer.block(space)
    }
  }

  #list(tag: 'ul' | 'ol', attributes: ElementFacts['attributes']): () => void {
    const space = this.#lists.length === 0 ? 2 : 1
    this.#writer.block(space)
    this.#lists.push(tag === 'ol' ? (integer(attributes.get('start')) ?? 1) : undefined)
    this.#writer.lists++
    return () => {
      this.#lists.pop()
      this.#writer.lists--
      this.#writer.block(space)
    }
  }

  #item(attributes: ElementFacts['attributes']): () => void {
    const next = this.#lists.at(-1)
    const number = next === undefined ? undefined : (integer(attributes.get('value')) ?? next)
    if (number !== undefined) this.#lists[this.#lists.length - 1] = number + 1
    if (number !== undefined) this.numbers.add(String(number))
    this.#writer.item(number === undefined ? '- ' : `${number}. `)
    return () => this.#writer.endItem()
  }

  #link(attributes: ElementFacts['attributes']): () => void {
    const mark = this.#writer.mark
    return () => {
      if (this.#writer.mark.length === mark.length) return
      this.addresses.push(attributes.get('href') ?? '')
      const address = linkAddress(attributes.get('href') ?? '', this.#writer.since(mark))
      if (address !== '') this.#writer.add(` (${address})`)
    }
  }
}

const integer = (text = '') => (/^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined)
