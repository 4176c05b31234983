/** Goes through the elements of a mail and writes what is seen of them on a screen. */
import { isTiny } from './box.ts'
import type { Cascade } from './css/cascade.ts'
import { type ElementFacts, elementsIn } from './element-facts.ts'
import { Extent, longestPiece, widthOf, withinWidth } from './extent.ts'
import { type HtmlNode, isElement, textBelow } from './html-tree.ts'
import { type Context, isTextSeen, type Look, lineHeight, lookOf, pageLook } from './look.ts'
import { imageText, linkAddress, TextWriter } from './text-writer.ts'

const longestPreheader = 500

/** Blanks that no line ends at, to push away what follows. */
const gap = '\u00a0'.repeat(9)

interface Frame {
  nodes: HtmlNode[]
  next: number
  /** The elements among the nodes. */
  children: readonly ElementFacts[]
  nextChild: number
  look: Look
  /** A `<details>` of which only the summary is seen. */
  isClosed: boolean
  /** Of those of its elements that were looked at, by their tags and attributes. */
  looks: Map<string, Look>
  /** How wide the cells of a row are so far. */
  cells: number
  /** Where what stands in it begins, if its height has a limit. */
  begun: { mark: TextWriter['mark']; height: number; limit: number } | undefined
  leave: () => void
}

/** Of these nothing is painted, at least where no scripts run. */
const unshown = new Set(
  (
    'area audio base basefont datalist frame frameset head link map meta noembed noframes noscript optgroup option ' +
    'param rp script style template title'
  ).split(' '),
)
/** These are painted, but what they say is not read. */
const unread = new Set(
  'applet canvas embed iframe input marquee math meter object progress select svg textarea video'.split(
    ' ',
  ),
)
const paragraphs = /^(p|h[1-6]|blockquote|pre|ul|ol|dl|table|figure|listing|xmp|plaintext)$/
const blocks =
  /^(div|section|article|header|footer|main|nav|aside|address|li|dt|dd|tr|caption|center|form|fieldset|legend|figcaption|details|summary|body|html|thead|tbody|tfoot|hgroup|dialog|dir|menu|search)$/

export class Walk {
  readonly #cascade: Cascade
  readonly #context: Context
  readonly #wanted: ReadonlySet<HtmlNode> | undefined
  readonly #writer = new TextWriter()
  readonly #extent = new Extent()
  /** How many boxes are open of which the height has a limit. */
  #limits = 0
  readonly seen = new Set<HtmlNode>()
  readonly alts: string[] = []
  readonly addresses: string[] = []
  readonly numbers = new Set<string>()
  preheader = ''
  /** Something may lie on top of its texts: nobody can tell of which. */
  isCovered = false
  /** The number of the next item in each open list; nothing where they are not numbered. */
  readonly #lists: (number | undefined)[] = []

  constructor(cascade: Cascade, context: Context, wanted: ReadonlySet<HtmlNode> | undefined) {
    this.#cascade = cascade
    this.#context = context
    this.#wanted = wanted
  }

  get text(): string {
    return this.#writer.text
  }

  get words(): string {
    return this.#writer.words
  }

  /** With a stack of its own: a hostile mail nests deeper than calls can. */
  through(nodes: HtmlNode[]): void {
    const frames: Frame[] = [frameOf(nodes, pageLook(this.#context.screen), undefined)]
    for (let frame = frames.at(-1); frame && !this.isCovered; frame = frames.at(-1)) {
      const node = frame.nodes[frame.next++]
      if (!node) {
        this.#leave(frame)
        frames.pop()
      } else if (isElement(node)) {
        const facts = frame.children[frame.nextChild++]
        const inner = facts && this.#enter(facts, frame)
        if (this.#context.work.isSpent) return
        if (inner) frames.push(inner)
      } else if (node.nodeName === '#text' && 'value' in node && !frame.isClosed)
        this.#tell(node, node.value, frame.look)
    }
  }

  #tell(node: HtmlNode, value: string, look: Look): void {
    if (this.#wanted?.has(node) === false || !isTextSeen(look)) return
    const text = this.#fitting(value, look)
    if (text === '') return
    this.seen.add(node)
    this.#writer.write(text, look.keepsLines)
  }

  /** As much of a text as is within its box and the page. */
  #fitting(text: string, look: Look): string {
    const { box, fontSize, letterSpacing, wraps, keepsLines } = look
    const words = keepsLines ? text : text.replace(/[ \t\n\r\f]+/g, ' ')
    if (words.trim() === '') return words
    const isMeasured = this.#limits > 0 || box.clips || box.isTight || !wraps
    if (!isMeasured && box.x < 300 && box.room > 100 && !words.includes(gap)) return words
    const isBound = box.clips || box.isTight
    const page = box.right - box.x
    if (box.room < 24 || page < 40) return ''
    const room = isBound ? Math.min(box.room, page) : page
    const line = { room: box.room, lineHeight: lineHeight(look) }
    if (wraps) {
      const longest = longestPiece(words, fontSize, letterSpacing)
      const isCut = box.clips || (box.isTight && room < 200) || words.includes(gap)
      this.#extent.add({ ...line, width: widthOf(words, fontSize, letterSpacing) })
      return isCut && longest > room ? '' : words
    }
    const lines = keepsLines ? words.split(/\r\n?|\n/) : [words]
    const kept = lines.map((one, at) => {
      if (at > 0) this.#extent.endLine()
      const rest = room - this.#extent.inline
      this.#extent.add({
        ...line,
        width: widthOf(one, fontSize, letterSpacing),
        room: Number.POSITIVE_INFINITY,
      })
      return withinWidth(one, rest, fontSize, letterSpacing)
    })
    return kept.join('\n')
  }

  #enter(facts: ElementFacts, outer: Frame): Frame | undefined {
    const { tag } = facts
    this.#context.work.spend(10)
    if (unshown.has(tag)) return undefined
    if (isUnopened(facts) || hasShadow(facts)) return this.#hide(facts)
    const look = this.#lookAt(facts, outer)
    const { box } = look
    if (look.covers) this.isCovered = true
    if (unread.has(tag)) return undefined
    if (box.display === 'table-cell') outer.cells += box.claim
    if (box.isGone) return this.#hide(facts)
    if (tag === 'img') this.#image(facts, look)
    else if (tag === 'br') this.#break()
    else if (tag === 'hr') this.#rule(look)
    else return this.#open(facts, look)
    return undefined
  }

  /** Siblings with the same attributes look the same, unless a rule asks for their place. */
  #lookAt(facts: ElementFacts, outer: Frame): Look {
    const name = `${facts.tag} ${facts.signature}`
    const before = outer.looks.get(name)
    if (before) return before
    this.#context.work.spend(90)
    const look = lookOf(facts, this.#cascade.styleOf(facts), inRow(outer), this.#context)
    if (!this.#cascade.asksPlace && !look.isOut && outer.cells === 0) outer.looks.set(name, look)
    return look
  }

  #open(facts: ElementFacts, look: Look): Frame {
    const { limit, padding, display } = look.box
    const isInline = display === 'inline' || display === 'contents'
    if (!isInline) this.#extent.space(padding)
    const { mark } = this.#writer
    const begun = limit === undefined ? undefined : { mark, height: this.#extent.height, limit }
    if (begun) this.#limits++
    const leave = this.#begin(facts)
    return { ...frameOf(facts.node.childNodes, look, facts), begun, leave }
  }

  #leave({ leave, begun, look }: Frame): void {
    leave()
    if (!/^(inline|contents)/.test(look.box.display)) this.#extent.endLine()
    if (begun) this.#limits--
    if (begun && this.#extent.height - begun.height > begun.limit + 2)
      this.#writer.takeBack(begun.mark)
  }

  #break(): void {
    this.#writer.lineBreak()
    this.#extent.endLine()
  }

  /** What stands before the first word. */
  #hide({ node }: ElementFacts): undefined {
    if (this.#writer.mark.length === 0 && this.preheader.length < longestPreheader)
      this.preheader += ` ${textBelow(node, longestPreheader)}`
  }

  #image(facts: ElementFacts, look: Look): void {
    const { attributes } = facts
    if (!look.isVisible || isTiny(this.#cascade.styleOf(facts).sure)) return
    const height = Number(/^\d+$/.exec(attributes.get('height') ?? '')?.[0] ?? 150)
    this.#extent.add({ width: 1, room: 1, lineHeight: height })
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
  #begin({ tag, attributes }: ElementFacts): () => void {
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

/** A row's cells stand beside each other. */
const inRow = ({ look, cells }: Frame): Look =>
  cells === 0 ? look : { ...look, box: { ...look.box, x: look.box.x + cells } }

/** Only its summary is seen of a closed one. */
function isUnopened({ parent, siblings, place }: ElementFacts): boolean {
  if (parent?.tag !== 'details' || parent.attributes.has('open')) return false
  return siblings.find((one) => one.tag === 'summary')?.place !== place
}

/** A tree of its own is shown in the place of what stands in it. */
const hasShadow = ({ node }: ElementFacts): boolean =>
  node.childNodes.some(
    (child) =>
      isElement(child) &&
      child.tagName === 'template' &&
      child.attrs.some(({ name }) => name === 'shadowrootmode'),
  )

const frameOf = (nodes: HtmlNode[], look: Look, facts: ElementFacts | undefined): Frame => ({
  nodes,
  next: 0,
  children: elementsIn(nodes, facts),
  nextChild: 0,
  look,
  isClosed: facts?.tag === 'details' && !facts.attributes.has('open'),
  looks: new Map(),
  cells: 0,
  begun: undefined,
  leave: () => {},
})
