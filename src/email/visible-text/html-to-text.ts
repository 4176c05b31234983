/** Turns the HTML of a mail into the plain text that a person would see. Nothing is ever fetched. */
import { Cascade } from './cascade.ts'
import { cleanText } from './clean-text.ts'
import { appliesToScreen } from './conditions.ts'
import { asWritten, type Declaration, tokenize } from './css-tokens.ts'
import { type ElementFacts, elementsIn } from './element-facts.ts'
import { type HtmlNode, isElement, parseHtml, styleSheets, textBelow } from './html-tree.ts'
import { isTextSeen, type Look, lookOf, pageLook } from './look.ts'
import { isTiny } from './out-of-sight.ts'
import { imageText, linkAddress, TextWriter } from './text-writer.ts'
import { Work } from './work.ts'

export const htmlToText = (html: string): string => readHtml(html).text

const steps = 10_000_000
const longestPreheader = 500

export interface HtmlReading {
  text: string
  /** False where a mail is too large or too tangled to be read to its end. */
  isComplete: boolean
  /** The words of the mail alone: no address, name of a picture or number of an item that stands there for it. */
  words: string
  /** The names of its pictures. */
  alts: string[]
  /** Where its links and pictures are. */
  addresses: string[]
  /** Those of the items of its lists. */
  numbers: ReadonlySet<string>
  /** What is hidden before the first word: the line that a list of mails shows. */
  preheader: string
}

export function readHtml(html: string): HtmlReading {
  const { nodes, isComplete, isQuirky } = parseHtml(html)
  const work = new Work(steps)
  const sheets = styleSheets(nodes).filter(({ media }) =>
    appliesToScreen(asWritten(tokenize(media, work)), work),
  )
  const cascade = new Cascade(
    sheets.map(({ css }) => css),
    work,
    isQuirky,
  )
  const walk = new Walk(cascade, work)
  walk.through(nodes)
  const { words, alts, addresses, numbers, preheader } = walk
  const found = { words, alts, addresses, numbers, preheader }
  const text = cleanText(walk.text).trim()
  if (isComplete && !work.isSpent) return { ...found, text, isComplete: true }
  const cut = `${text}\n\n[the rest of this mail is left out]`.trim()
  return { ...found, text: cut, isComplete: false }
}

interface Frame {
  nodes: HtmlNode[]
  next: number
  /** The elements among the nodes. */
  children: readonly ElementFacts[]
  nextChild: number
  look: Look
  leave: () => void
}

const unshown = new Set(
  (
    'applet area audio base basefont canvas datalist embed frame frameset head iframe input link map math meta ' +
    'meter noembed noframes noscript object optgroup option param progress rp script select style svg template ' +
    'textarea title video'
  ).split(' '),
)
const paragraphs = /^(p|h[1-6]|blockquote|pre|ul|ol|dl|table|figure|listing|xmp|plaintext)$/
const blocks =
  /^(div|section|article|header|footer|main|nav|aside|address|li|dt|dd|tr|caption|center|form|fieldset|legend|figcaption|details|summary|body|html|thead|tbody|tfoot|hgroup|dialog|dir|menu|search)$/

class Walk {
  readonly #cascade: Cascade
  readonly #work: Work
  readonly #writer = new TextWriter()
  readonly alts: string[] = []
  readonly addresses: string[] = []
  readonly numbers = new Set<string>()
  preheader = ''
  /** The number of the next item in each open list; nothing where they are not numbered. */
  readonly #lists: (number | undefined)[] = []

  constructor(cascade: Cascade, work: Work) {
    this.#cascade = cascade
    this.#work = work
  }

  get text(): string {
    return this.#writer.text
  }

  get words(): string {
    return this.#writer.words
  }

  /** With a stack of its own: a hostile mail nests deeper than calls can. */
  through(nodes: HtmlNode[]): void {
    const look = { ...pageLook, variables: { own: this.#cascade.initials, outer: undefined } }
    const frames: Frame[] = [frameOf(nodes, look, undefined, () => {})]
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const node = frame.nodes[frame.next++]
      if (!node) {
        frame.leave()
        frames.pop()
      } else if (isElement(node)) {
        const facts = frame.children[frame.nextChild++]
        const inner = facts && this.#enter(facts, frame.look)
        if (this.#work.isSpent) return
        if (inner) frames.push(inner)
      } else if (node.nodeName === '#text' && 'value' in node && isTextSeen(frame.look)) {
        this.#writer.write(node.value, frame.look.keepsLines)
      }
    }
  }

  #enter(facts: ElementFacts, outer: Look): Frame | undefined {
    const { tag } = facts
    this.#work.spend(10)
    if (unshown.has(tag)) return undefined
    const list = this.#cascade.declarationsFor(facts)
    const look = lookOf(facts, list, outer, this.#work)
    if (look.isGone) {
      this.#hide(facts)
      return undefined
    }
    if (tag === 'img') this.#image(facts, list, look)
    else if (tag === 'br') this.#writer.lineBreak()
    else if (tag === 'hr') this.#rule(look)
    else return frameOf(facts.node.childNodes, look, facts, this.#open(facts))
    return undefined
  }

  /** What stands before the first word. */
  #hide({ node }: ElementFacts): void {
    if (this.#writer.text === '' && this.preheader.length < longestPreheader)
      this.preheader += ` ${textBelow(node, longestPreheader)}`
  }

  #image({ attributes }: ElementFacts, list: Declaration[], look: Look): void {
    if (!look.isVisible || isTiny(attributes, list)) return
    this.alts.push(attributes.get('alt') ?? '')
    this.addresses.push(attributes.get('src') ?? '')
    this.#writer.add(imageText(attributes))
  }

  #rule(look: Look): void {
    this.#writer.block(1)
    if (look.isVisible) this.#writer.add('---')
    this.#writer.block(1)
  }

  /** Begins an element; what it gives back ends it. */
  #open({ tag, attributes }: ElementFacts): () => void {
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

const frameOf = (
  nodes: HtmlNode[],
  look: Look,
  facts: ElementFacts | undefined,
  leave: () => void,
): Frame => ({
  nodes,
  next: 0,
  children: elementsIn(nodes, facts),
  nextChild: 0,
  look,
  leave,
})
