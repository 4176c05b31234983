/** What tags and attributes of HTML say about looks, as declarations of CSS. */
import type { ElementFacts } from './element-facts.ts'

interface Hint {
  property: string
  value: string
}

const ownLooks = new Set(['pre', 'listing', 'xmp', 'plaintext', 'mark', 'button', 'dialog'])

export function hintsOf({ tag, attributes }: ElementFacts): Hint[] {
  if (attributes.size === 0 && !ownLooks.has(tag)) return []
  const hints: Hint[] = []
  const hint = (property: string, value: string) => hints.push({ property, value })
  if (/^(pre|listing|xmp|plaintext)$/.test(tag)) hint('white-space', 'pre')
  if (tag === 'mark') hint('background-color', '#ff0')
  if (tag === 'button') hint('background-color', '#efefef')
  if (tag === 'mark' || tag === 'button') hint('color', '#000')
  if (
    attributes.has('hidden') ||
    attributes.has('popover') ||
    (tag === 'dialog' && !attributes.has('open'))
  )
    hint('display', 'none')
  const background = attributes.get('bgcolor')
  if (background) hint('background-color', legacyColour(background))
  if (attributes.get('background')) hint('background-image', 'url(x)')
  const colour = attributes.get(tag === 'body' ? 'text' : 'color')
  if (colour && (tag === 'font' || tag === 'basefont' || tag === 'body'))
    hint('color', legacyColour(colour))
  // A reader would show it at the smallest size; who writes 0 means it not to be seen.
  if (tag === 'font' && /^\s*0+\s*$/.test(attributes.get('size') ?? '')) hint('font-size', '0')
  return hints
}

function legacyColour(text: string): string {
  const value = text.trim().toLowerCase()
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/.test(value) ? `#${value}` : value
}
