/** What images and links become in plain text. */
import { cleanLine, shortened } from './clean-text.ts'
import type { Declaration } from './css-scan.ts'
import { pixels } from './length.ts'

type Attributes = ReadonlyMap<string, string>

/** An image that nobody sees is there to tell on its reader. */
export function isTiny(attributes: Attributes, list: Declaration[]): boolean {
  const styled = list
    .filter(({ property }) => /^(max-)?(width|height)$/.test(property))
    .map(({ value }) => value)
  return [attributes.get('width'), attributes.get('height'), ...styled].some((size) => {
    const px = pixels(size?.trim(), { em: 16, whole: 600 })
    return px !== undefined && px <= 2
  })
}

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
