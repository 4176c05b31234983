/** Goes through the elements of a mail and writes what is seen of them on a screen. */
import { isTiny } from './box.ts'
import type { Cascade } from './css/cascade.ts'
import { type ElementFacts, elementsIn } from './element-facts.ts'
import type { Extent } from './extent.ts'
import { type HtmlNode, isElement, textBelow } from './html-tree.ts'
import { type Context, isTextSeen, type Look, lineHeight, lookOf, pageLook } from './look.ts'
import { Room } from './room.ts'
import { Structure } from './structure.ts'
import { imageText, TextWriter } from './text-writer.ts'

const longestPreheader = 500

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
  outer: Frame | undefined
  /** Where it begins, if it has a height of its own. */
  from: number
  /** Where it begins in its line. */
  place: Extent['place']
  /** How wide the widest is of what stands in it and is not broken over lines. */
  widest: number
  /** Of one of its cells nobody knows how wide it is. */
  isUnclaimed: boolean
  /** How wide the cells of a row are so far. */
  cells: number
  /** Where what stands in it begins, if its height has a limit. */
  begun: { mark: TextWriter['mark']; height: number; limit: number } | undefined
  leave: () => void
}

/** Of these nothing is painted, at least where no scripts run. */
const unshown = new Set(
  (
    'area base basefont datalist frame frameset head link meta noembed noframes optgroup option param rp script ' +
    'style template title'
  ).split(' '),
)
/** These are painted, but what they say is not read. */
const unread = new Set(
  'applet audio canvas embed iframe input marquee math meter noscript object progress select svg textarea video'.split(
    ' ',
  ),
)
export class Walk {
  readonly #cascade: Cascade
  readonly #context: Context
  readonly #wanted: ReadonlySet<HtmlNode> | undefined
  readonly #writer = new TextWriter()
  readonly structure = new Structure(this.#writer)
  readonly #room = new Room()
  /** The size of the letters of the word before, if it is seen: its line is as high as that. */
  #held = 0
  readonly seen = new Set<HtmlNode>()
  readonly alts: string[] = []
  preheader = ''
  /** Something may lie on top of its texts: nobody can tell of which. */
  isCovered = false

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
        this.#tell(node, node.value, frame)
    }
  }

  #tell(node: HtmlNode, value: string, frame: Frame): void {
    const look = isRow(frame) ? inRow(frame) : frame.look
    const isAfterWord =
      this.#room.run > 0 && look.fontSize <= this.#held && /^[^\s-]{1,20}$/.test(value)
    const text = this.#room.fitting(value, look, frame)
    const isSeen = isTextSeen(look)
    this.#held = isSeen ? look.fontSize : 0
    if (this.#wanted?.has(node) === false || text === '') return
    if (!isSeen && !(isAfterWord && isTextSeen(onLine(look)))) return
    if (look.box.isBroad && isAway(look)) return
    this.seen.add(node)
    this.#writer.write(text, look.keepsLines)
  }

  #enter(facts: ElementFacts, outer: Frame): Frame | undefined {
    const { tag } = facts
    this.#context.work.spend(10)
    if (unshown.has(tag)) return this.#pass(facts)
    if (isUnopened(facts) || hasShadow(facts)) return this.#hide(facts)
    const look = this.#lookAt(facts, outer)
    const { box } = look
    if (look.covers) this.isCovered = true
    if (look.reach > 10) this.#writer.takeBackLine()
    if (unread.has(tag)) {
      if (!box.isGone) this.#block(look, box.claim || 300, box.least || 160, outer)
      return undefined
    }
    if (box.isGone) {
      if (!box.isAbsent) this.#skip(facts, look, outer)
      return this.#hide(facts)
    }
    if (tag === 'img') this.#image(facts, look, outer)
    else if (tag === 'br') this.#break(look)
    else if (tag === 'hr') this.#rule(look)
    else return this.#open(facts, look, outer)
    return undefined
  }

  /** Siblings with the same attributes look the same, unless a rule asks for their place. */
  #lookAt(facts: ElementFacts, outer: Frame): Look {
    const name = `${facts.tag} ${facts.signature}`
    const isKept = !isRow(outer) && outer.cells === 0
    const before = isKept ? outer.looks.get(name) : undefined
    if (before) return before
    const style = this.#cascade.styleOf(facts)
    if (style.sure.length > 0) this.#context.work.spend(90)
    const look = lookOf(facts, style, inRow(outer), this.#context)
    if (!this.#cascade.asksPlace && !look.isOut && isKept) outer.looks.set(name, look)
    return look
  }

  /** Whoever shows what is never shown means to cover something with it. */
  #pass(facts: ElementFacts): undefined {
    const { sure, unsure } = this.#cascade.styleOf(facts)
    const isShown = sure.some(({ property, value }) => property === 'display' && value !== 'none')
    if (isShown || unsure.some(({ property }) => property === 'display')) this.isCovered = true
  }

  /** What is not told may take room for all that. */
  #skip({ node }: ElementFacts, look: Look, outer: Frame): void {
    const isInline = look.box.display.startsWith('inline')
    const width = Math.max(look.box.claim, 8 * textBelow(node, 200).length)
    if (isInline) this.#block(look, width, lineHeight(look), outer)
    else if (isRow(outer)) outer.cells += look.box.claim
    if (this.#room.limits > 0) this.#room.extent.space(1000)
  }

  /** Something that takes room and is not read. */
  #block({ box }: Look, width: number, height: number, outer: Frame): void {
    this.#room.extent.add({ width, room: Number.POSITIVE_INFINITY, lineHeight: height })
    outer.widest = Math.max(outer.widest, width)
    if (isRow(outer)) outer.cells += Math.max(width, box.claim)
  }

  #open(facts: ElementFacts, look: Look, outer: Frame): Frame {
    const { limit, padding, display, claim } = look.box
    const isInline = display === 'inline' || display === 'contents'
    if (!isInline) this.#room.run = 0
    if (!isInline && !display.startsWith('inline')) this.#room.extent.space(padding)
    const { place } = this.#room.extent
    if (display.startsWith('inline') && claim > 0)
      this.#room.extent.add({ width: claim, room: look.box.room, lineHeight: lineHeight(look) })
    const { mark } = this.#writer
    const begun =
      limit === undefined ? undefined : { mark, height: this.#room.extent.height, limit }
    if (begun) this.#room.limits++
    const leave = this.structure.begin(facts)
    const from = look.box.least > 0 ? this.#room.extent.height : 0
    return { ...frameOf(facts.node.childNodes, look, facts), outer, from, place, begun, leave }
  }

  #leave({ leave, begun, look, outer, from, place, widest, cells }: Frame): void {
    leave()
    const { display, claim, least, room } = look.box
    if (/^inline-/.test(display) && claim > 0) this.#room.extent.endBox(place, claim, room)
    if (!/^(inline|contents)/.test(display)) {
      this.#room.extent.endLine()
      this.#room.run = 0
    }
    if (least > 0) this.#room.extent.atLeast(from + least)
    const width = Math.max(widest, cells, display === 'inline' ? 0 : claim)
    const isBeside = outer && (isRow(outer) || (isTable(outer) && display === 'table-cell'))
    if (isBeside) {
      outer.cells += width
      outer.isUnclaimed ||= claim === 0
    } else if (outer) outer.widest = Math.max(outer.widest, width)
    if (begun) this.#room.limits--
    if (begun && this.#room.extent.height - begun.height > begun.limit + 2)
      this.#writer.takeBack(begun.mark)
  }

  #break(look: Look): void {
    this.#room.run = 0
    this.#writer.lineBreak()
    if (this.#room.extent.inline === 0) this.#room.extent.space(lineHeight(look))
    else this.#room.extent.endLine()
  }

  /** What stands before the first word. */
  #hide({ node }: ElementFacts): undefined {
    if (this.#writer.mark.length === 0 && this.preheader.length < longestPreheader)
      this.preheader += ` ${textBelow(node, longestPreheader)}`
  }

  #image(facts: ElementFacts, look: Look, outer: Frame): void {
    const { attributes } = facts
    this.#block(look, look.box.claim || widthOfImage(attributes), heightOfImage(attributes), outer)
    if (!look.isVisible || isTiny(this.#cascade.styleOf(facts).sure)) return
    this.alts.push(attributes.get('alt') ?? '')
    this.structure.addresses.push(attributes.get('src') ?? '')
    this.#writer.add(imageText(attributes))
  }

  #rule(look: Look): void {
    this.#room.extent.space(look.box.padding + 4)
    this.#writer.block(1)
    if (look.isVisible) this.#writer.add('---')
    this.#writer.block(1)
  }
}

/** What stands in it stands side by side. */
const isRow = ({ look: { box } }: Frame): boolean =>
  /^(table-row|flex|inline-flex|-webkit-.*)$/.test(box.display)

const isTable = ({ look: { box } }: Frame): boolean => box.display.startsWith('table')

const heightOfImage = (attributes: ElementFacts['attributes']): number =>
  Number(/^\d+/.exec(attributes.get('height') ?? '')?.[0] ?? 150)

const widthOfImage = (attributes: ElementFacts['attributes']): number =>
  Number(/^\d+/.exec(attributes.get('width') ?? '')?.[0] ?? 100)

/** A small figure has no height of its own right after a word. */
const onLine = (look: Look): Look =>
  look.box.display === 'inline' ? { ...look, line: { factor: 1 } } : look

/** At the right of what is wider than the page. */
const isAway = ({ align, box }: Look) => align === 'right' || (align === 'center' && box.x > 200)

/** A row's cells stand beside each other. */
const inRow = ({ look, cells, isUnclaimed }: Frame): Look =>
  cells === 0 && !isUnclaimed
    ? look
    : { ...look, box: { ...look.box, x: look.box.x + cells, isAfterUnclaimed: isUnclaimed } }

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
  outer: undefined,
  from: 0,
  place: { height: 0, inline: 0 },
  widest: 0,
  isUnclaimed: false,
  cells: 0,
  begun: undefined,
  leave: () => {},
})
