/** Whether Chromium paints a text so that it can be read: where its letters stand in another order, the picture is another. */
import type { Chromium, Screen } from './chromium.ts'
import type { Picture } from './png.ts'

/** `SECRET` stands in a page for the text; the two words are as wide as each other and look different everywhere. */
export const marker = 'baldnebenhauen'
const turned = 'neuahnebendlab'

/** A page beside others in one picture: each is a document of its own, with a screen of this size. */
const tile = { width: 800, height: 160 }
const columns = 2
const together = 40

/** Pixels count where they change by a fifth of their contrast: fainter is what nobody reads. */
const leastContrast = 1.15
/** So many of them; the word in letters of 6 pixels has about 80. */
const leastPixels = 45
/** Of letters, not of a line that is left of them. */
const leastHeight = 5

export interface Seen {
  isPainted: boolean
  /** For whoever looks into a case. */
  pixels: number
  width: number
  height: number
}

/** One after the other, many in one picture. */
export async function painted(
  browser: Chromium,
  pages: readonly string[],
  { width = tile.width, height = tile.height, isDark = false }: Partial<Screen> = {},
): Promise<Seen[]> {
  const seen: Seen[] = []
  for (let from = 0; from < pages.length; from += together) {
    const some = pages.slice(from, from + together)
    const screen = {
      width: width * columns,
      height: height * Math.ceil(some.length / columns),
      isDark,
    }
    const [one, other] = [
      await browser.picture(sheetOf(some, marker, { width, height }), screen),
      await browser.picture(sheetOf(some, turned, { width, height }), screen),
    ]
    for (const at of some.keys()) {
      const left = (at % columns) * width
      const top = Math.floor(at / columns) * height
      seen.push(changed(one, other, { left, top, width, height }))
    }
  }
  return seen
}

function sheetOf(pages: readonly string[], word: string, size: { width: number; height: number }) {
  const frames = pages.map((page, at) => {
    const html = Buffer.from(page.replaceAll('SECRET', word)).toString('base64')
    const place = `left:${(at % columns) * size.width}px;top:${Math.floor(at / columns) * size.height}px`
    return `<iframe scrolling="no" style="position:absolute;border:0;${place};width:${size.width}px;height:${size.height}px" src="data:text/html;charset=utf-8;base64,${html}"></iframe>`
  })
  return `<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0">${frames.join('')}</body>`
}

interface Area {
  left: number
  top: number
  width: number
  height: number
}

function changed(one: Picture, other: Picture, { left, top, width, height }: Area): Seen {
  let pixels = 0
  let [wide, high] = [
    { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
    { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
  ]
  const grown = ({ from, to }: typeof wide, least: number, most: number) => ({
    from: Math.min(from, least),
    to: Math.max(to, most),
  })
  for (let y = top; y < top + height; y++) {
    const xs: number[] = []
    for (let x = left; x < left + width; x++) {
      const at = (y * one.width + x) * 3
      if (same(one, other, at)) continue
      if (contrast(light(one, at), light(other, at)) >= leastContrast) xs.push(x)
    }
    pixels += xs.length
    // Less is the edge of a box that has become a little wider or narrower.
    if (xs.length < 3) continue
    wide = grown(wide, xs[0] ?? 0, xs.at(-1) ?? 0)
    high = grown(high, y, y)
  }
  const extent = ({ from, to }: typeof wide) => (to < from ? 0 : to - from + 1)
  const [across, up] = [extent(wide), extent(high)]
  // Letters are about half as wide as high: a word that is cut off at its side is narrower.
  const isWhole = across >= marker.length * up * 0.4
  const isPainted = pixels >= leastPixels && up >= leastHeight && isWhole
  return { isPainted, pixels, width: across, height: up }
}

const same = (one: Picture, other: Picture, at: number) =>
  one.colours[at] === other.colours[at] &&
  one.colours[at + 1] === other.colours[at + 1] &&
  one.colours[at + 2] === other.colours[at + 2]

/** Of each level of a channel, its part in the brightness that an eye sees (WCAG 2). */
const levels = Array.from({ length: 256 }, (_, level) =>
  level <= 10 ? level / 255 / 12.92 : ((level / 255 + 0.055) / 1.055) ** 2.4,
)

const light = ({ colours }: Picture, at: number) => {
  const part = (channel: number) => levels[colours[at + channel] ?? 0] ?? 0
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2)
}

const contrast = (one: number, other: number) =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
