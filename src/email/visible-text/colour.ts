/** Colours of CSS, and whether a text in one can be seen on another. */
import { colourNames } from './colour-names.ts'
import { split } from './css-scan.ts'

export interface Colour {
  red: number
  green: number
  blue: number
  /** 0 is transparent, 1 opaque. */
  alpha: number
}

export const white: Colour = { red: 255, green: 255, blue: 255, alpha: 1 }
export const black: Colour = { red: 0, green: 0, blue: 0, alpha: 1 }

/** Nothing where it is no colour, or none that can be told. */
export function parseColour(value: string): Colour | undefined {
  const hex = value.startsWith('#') ? value.slice(1) : colourNames.get(value)
  if (hex !== undefined) return fromHex(hex)
  const [, name, inner = ''] = /^([a-z-]+)\((.*)\)$/.exec(value) ?? []
  if (name === 'light-dark') return parseColour(split(inner, ',')[0] ?? '')
  const parts = inner.split(/[\s,/]+/).filter((part) => part !== '')
  if (name === 'color' && /^(srgb|display-p3)$/.test(parts.shift() ?? '')) {
    const [red, green, blue, alpha] = parts.map((part) => portion(part, 1))
    return colour((red ?? 0) * 255, (green ?? 0) * 255, (blue ?? 0) * 255, alpha)
  }
  const [first, second, third, fourth] = parts
  if (first === undefined || second === undefined || third === undefined) return undefined
  const alpha = fourth === undefined ? 1 : portion(fourth, 1)
  if (name === 'rgb' || name === 'rgba') {
    return colour(portion(first, 255), portion(second, 255), portion(third, 255), alpha)
  }
  if (name === 'hsl' || name === 'hsla') {
    return fromHsl(degrees(first), hundredth(second), hundredth(third), alpha)
  }
  if (name === 'hwb') {
    const [whiteness, blackness] = [hundredth(second), hundredth(third)]
    const mixed = (part: number) => part * (1 - whiteness - blackness) + whiteness * 255
    const pure = fromHsl(degrees(first), 1, 0.5, 1)
    return pure && colour(mixed(pure.red), mixed(pure.green), mixed(pure.blue), alpha)
  }
  if (/^(ok)?(lab|lch)$/.test(name ?? '')) return grey(name ?? '', first, second, third, alpha)
  return undefined
}

function fromHex(hex: string): Colour | undefined {
  if (!/^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(hex)) return undefined
  const digits = hex.length < 6 ? hex.replace(/./g, '$&$&') : hex
  const [red, green, blue, alpha = 255] = (digits.match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  )
  return colour(red, green, blue, alpha / 255)
}

function fromHsl(
  hue: number,
  saturation: number,
  light: number,
  alpha: number,
): Colour | undefined {
  const spread = saturation * Math.min(light, 1 - light)
  const part = (shift: number) => {
    const at = (((shift + hue / 30) % 12) + 12) % 12
    return 255 * (light - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1)))
  }
  return colour(part(0), part(8), part(4), alpha)
}

/** The other ways to write a colour are told only where it is without hue. */
function grey(
  name: string,
  light: string,
  a: string,
  b: string,
  alpha: number,
): Colour | undefined {
  const isOk = name.startsWith('ok')
  const hue = name.endsWith('lch') ? [portion(a, 1)] : [portion(a, 1), portion(b, 1)]
  if (hue.some((part) => !(Math.abs(part) <= (isOk ? 0.02 : 4)))) return undefined
  const level = portion(light, isOk ? 1 : 100) / (isOk ? 1 : 100)
  const linear = isOk ? level ** 3 : Math.max(0, (level * 100 + 16) / 116) ** 3
  const shade = linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055
  return colour(shade * 255, shade * 255, shade * 255, alpha)
}

function colour(
  red = Number.NaN,
  green = Number.NaN,
  blue = Number.NaN,
  alpha = 1,
): Colour | undefined {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => Math.min(255, Math.max(0, part)))
  const known = { red: r, green: g, blue: b, alpha: Math.min(1, Math.max(0, alpha)) }
  return Object.values(known).some(Number.isNaN) ? undefined : known
}

const portion = (text: string, whole: number) =>
  text === 'none'
    ? 0
    : text.endsWith('%')
      ? (Number(text.slice(0, -1)) * whole) / 100
      : Number(text)

const hundredth = (text: string) => (text.endsWith('%') ? portion(text, 1) : Number(text) / 100)

function degrees(text: string): number {
  const [, number, unit] = /^([-+.\de]+?)(deg|rad|grad|turn)?$/.exec(text) ?? []
  const factor = unit === 'rad' ? 180 / Math.PI : unit === 'grad' ? 0.9 : unit === 'turn' ? 360 : 1
  return text === 'none' ? 0 : Number(number) * factor
}

export function over(top: Colour, below: Colour): Colour {
  const mix = (upper: number, lower: number) => upper * top.alpha + lower * (1 - top.alpha)
  return {
    red: mix(top.red, below.red),
    green: mix(top.green, below.green),
    blue: mix(top.blue, below.blue),
    alpha: 1,
  }
}

/** So alike that nobody reads the one on the other. */
export const isNear = (one: Colour, other: Colour): boolean =>
  Math.max(
    Math.abs(one.red - other.red),
    Math.abs(one.green - other.green),
    Math.abs(one.blue - other.blue),
  ) <= 20

/** A gradient of nearly one colour is that colour. */
export function gradientColour(value: string): Colour | undefined {
  const found = value.match(/#[0-9a-f]+|\b(?:rgb|hsl|hwb)a?\([^()]*\)|[a-z]+/g) ?? []
  const colours = found.map(parseColour).filter((one) => one !== undefined)
  const [first] = colours
  return first && colours.every((one) => isNear(one, first) && one.alpha === first.alpha)
    ? first
    : undefined
}
