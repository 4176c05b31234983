/** Parses HTML as a browser does, into a tree that stays within bounds. */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { AgentMailError } from '../../errors.ts'

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode
export type HtmlElement = DefaultTreeAdapterTypes.Element

const mostCharacters = 2_000_000
const mostElements = 200_000

interface Tree {
  nodes: HtmlNode[]
  /** False where something was left out at the end. */
  isComplete: boolean
  /** Written in no version of HTML: read as in old times. */
  isQuirky: boolean
}

/** A few unclosed tags make a parser repeat them a million times, so elements are counted as they come. */
export function parseHtml(html: string): Tree {
  const document = defaultTreeAdapter.createDocument()
  let elements = 0
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement(...element) {
      elements++
      if (elements > mostElements)
        throw new AgentMailError('message_too_large', 'too many elements')
      return defaultTreeAdapter.createElement(...element)
    },
  }
  let isComplete = html.length <= mostCharacters
  try {
    // Who reads mail runs no scripts, so that a style inside of noscript counts.
    parse(html.slice(0, mostCharacters), { treeAdapter, scriptingEnabled: false })
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    isComplete = false
  }
  return { nodes: document.childNodes, isComplete, isQuirky: document.mode === 'quirks' }
}

export const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node

/** The style sheets in the order in which they stand. */
export function styleSheets(nodes: HtmlNode[]): { media: string; css: string }[] {
  const sheets: { media: string; css: string }[] = []
  const waiting = nodes.toReversed()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node)) continue
    const { attrs, tagName, childNodes } = node
    const attribute = (name: string) => attrs.find((one) => one.name === name)?.value ?? ''
    const isSheet = tagName === 'link' && /^\s*stylesheet\s*$/i.test(attribute('rel'))
    const css = isSheet ? dataSheet(attribute('href')) : undefined
    const media = attribute('media')
    const scheme = tagName === 'meta' && /^color-scheme$/i.test(attribute('name'))
    if (scheme) sheets.push({ media, css: `:root{color-scheme:${attribute('content')}` })
    else if (css !== undefined) sheets.push({ media, css })
    else if (tagName === 'style') {
      const text = childNodes.map((child) => ('value' in child ? child.value : '')).join('')
      if (/^(text\/css)?$/i.test(attribute('type'))) sheets.push({ media, css: text })
    } else {
      for (let at = childNodes.length - 1; at >= 0; at--) {
        const child = childNodes[at]
        if (child) waiting.push(child)
      }
    }
  }
  return sheets
}

/** A sheet that is its own address. */
export function dataSheet(address: string): string | undefined {
  const [, base64, data = ''] = /^\s*data:text\/css[^,]*?(;base64)?,([\s\S]*)$/i.exec(address) ?? []
  if (data === '') return undefined
  if (base64) return Buffer.from(data, 'base64').toString()
  return data.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  )
}

/** All text below, seen or not, as far as it is asked for. */
export function textBelow(node: HtmlElement, most: number): string {
  let text = ''
  const waiting: HtmlNode[] = node.childNodes.slice(0, most).reverse()
  for (let one = waiting.pop(); one && text.length < most; one = waiting.pop()) {
    if (one.nodeName === '#text' && 'value' in one) text += one.value.slice(0, most)
    else if (isElement(one)) waiting.push(...one.childNodes.slice(0, most).reverse())
  }
  return text
}
