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
  try {
    parse(html.slice(0, mostCharacters), { treeAdapter })
    return { nodes: document.childNodes, isComplete: html.length <= mostCharacters }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { nodes: document.childNodes, isComplete: false }
  }
}

export const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node

/** The style sheets in the order in which they stand. */
export function styleSheets(nodes: HtmlNode[]): { media: string; css: string }[] {
  const sheets: { media: string; css: string }[] = []
  const waiting = nodes.toReversed()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node)) continue
    if (node.tagName === 'style') {
      const attribute = (name: string) => node.attrs.find((one) => one.name === name)?.value ?? ''
      const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
      const isCss = /^\s*(text\/css\s*)?$/i.test(attribute('type'))
      if (isCss) sheets.push({ media: attribute('media'), css: text })
    } else {
      for (let at = node.childNodes.length - 1; at >= 0; at--) {
        const child = node.childNodes[at]
        if (child) waiting.push(child)
      }
    }
  }
  return sheets
}
