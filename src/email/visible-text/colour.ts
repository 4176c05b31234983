/** Colours of CSS, and whether a text in one can be seen on another. */
import { split } from './css-tokens.ts'
import { degrees, ratio } from './length.ts'

export interface Colour {
  red: number
  green: number
  blue: number
  /** 0 is transparent, 1 opaque. */
  alpha: number
}

export const white: Colour = { red: 255, green: 255, blue: 255, alpha: 1 }
export const black: Colour = { red: 0, green: 0, blue: 0, alpha: 1 }

type Three = [number, number, number]

/** Nothing where it is no colour, or none that can be told. */
export function parseColour(value: string, current?: Colour): Colour | undefined {
  if (value === 'currentcolor') return current
  const hex = value.startsWith('#') ? value.slice(1) : colourNames.get(value)
  if (hex !== undefined) return fromHex(hex)
  const [, name = '', inner = ''] = /^([a-z-]+)\( ?(.*?) ?\)$/.exec(value) ?? []
  const relative = /^from ([a-z-]+\(.*?\)|[^ ]+) (.*)$/.exec(inner)
  if (relative) return fromOther(name, relative[1] ?? '', relative[2] ?? '', current)
  if (name === 'light-dark') return parseColour(split(inner, ',')[0] ?? '', current)
  if (name === 'color-mix') return mixed(split(inner, ','), current)
  if (name === 'contrast-color') {
    const against = parseColour(inner, current)
    return against && (against.red + against.green + against.blue > 382 ? black : white)
  }
  return fromParts(name, inner)
}

/** What is made out of another colour is told where it is that colour, or as red, green and blue. */
function fromOther(
  name: string,
  other: string,
  inner: string,
  current: Colour | undefined,
): Colour | undefined {
  const base = parseColour(other, current)
  if (!base || !/^rgba?$/.test(name)) return base
  const { red, green, blue, alpha } = base
  const put = (text: string) =>
    text.replace(/\b(r|g|b|alpha)\b/g, (letter) =>
      String({ r: red, g: green, b: blue }[letter] ?? alpha),
    )
  return fromParts(name, put(inner))
}

/** Two colours in any space: where they are alike, what lies between is alike too. */
function mixed([space = '', one = '', two = '', ...more]: string[], current?: Colour) {
  const [first, second] = [one, two].map((text) => {
    const share = /(?:^| )([\d.]+%)(?: |$)/.exec(text)?.[1]
    const rest = share ? text.replace(share, '').trim() : text
    return { colour: parseColour(rest, current), share: ratio(share) }
  })
  if (!space.startsWith('in ') || more.length > 0 || !first?.colour || !second?.colour)
    return undefined
  const part = first.share ?? 1 - (second.share ?? 0.5)
  const whole = part + (second.share ?? 1 - part) || 1
  const between = (from: number, to: number) => (from * part + to * (whole - part)) / whole
  const [a, b] = [first.colour, second.colour]
  const alpha = between(a.alpha, b.alpha)
  const mix = (from: number, to: number) =>
    alpha === 0 ? 0 : between(from * a.alpha, to * b.alpha) / alpha
  return colour([mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)], alpha)
}

/** The parts of `rgb(…)` and its like, with commas as of old or without. */
function fromParts(name: string, inner: string): Colour | undefined {
  const isOld = inner.includes(',')
  const [main = '', after, ...rest] = isOld ? [inner] : split(inner, '/')
  const parts = split(main, isOld ? ',' : ' ')
  const space = name === 'color' ? (parts.shift() ?? '') : name
  const opacity = isOld ? parts.splice(3, 1)[0] : after
  const [first, second, third, ...others] = parts
  const shares = parts.filter((text) => text.endsWith('%')).length
  const isAlike = /^rgba?$/.test(name) ? shares % 3 === 0 : /^hsla?$/.test(name) && shares === 2
  if ((isOld && !isAlike) || rest.length > 0 || others.length > 0) return undefined
  if (first === undefined || second === undefined || third === undefined) return undefined
  return inSpace(space, [first, second, third], part(opacity ?? '1', 1))
}

/** A number, or so many per cent of the whole. */
const part = (text: string, whole: number): number =>
  text === 'none' ? 0 : (ratio(text) ?? Number.NaN) * (text.endsWith('%') ? whole : 1)

const angle = (text: string): number => (text === 'none' ? 0 : (degrees(text) ?? Number.NaN))

function inSpace(space: string, [first, second, third]: [string, string, string], alpha: number) {
  const parts = (one: number, two: number, three = two): Three => [
    part(first, one),
    part(second, two),
    part(third, three),
  ]
  const polar = (light: number, chroma: number): Three => {
    const hue = (angle(third) * Math.PI) / 180
    const distance = part(second, chroma)
    return [part(first, light), distance * Math.cos(hue), distance * Math.sin(hue)]
  }
  if (/^rgba?$/.test(space)) return colour(parts(255, 255), alpha)
  const [one, two] = [part(second, 100) / 100, part(third, 100) / 100]
  if (/^hsla?$/.test(space)) return colour(fromHsl(angle(first), one, two), alpha)
  if (space === 'hwb') {
    const pure = fromHsl(angle(first), 1, 0.5)
    return colour(
      each(pure, (level) => level * (1 - one - two) + one * 255),
      alpha,
    )
  }
  if (space === 'oklab') return linear(fromOklab(parts(1, 0.4)), alpha)
  if (space === 'oklch') return linear(fromOklab(polar(1, 0.4)), alpha)
  if (space === 'lab') return linear(fromXyz(fromLab(parts(100, 125))), alpha)
  if (space === 'lch') return linear(fromXyz(fromLab(polar(100, 150))), alpha)
  if (/^xyz(-d50|-d65)?$/.test(space)) return linear(fromXyz(parts(1, 1)), alpha)
  if (space === 'srgb-linear') return linear(parts(1, 1), alpha)
  // The wider ones are as good as the same for what is near to white or black.
  if (!/^(srgb|display-p3|rec2020|a98-rgb|prophoto-rgb)$/.test(space)) return undefined
  return colour(
    each(parts(1, 1), (level) => level * 255),
    alpha,
  )
}

const each = ([one, two, three]: Three, change: (level: number) => number): Three => [
  change(one),
  change(two),
  change(three),
]

function fromHex(hex: string): Colour | undefined {
  if (!/^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(hex)) return undefined
  const digits = hex.length < 6 ? hex.replace(/./g, '$&$&') : hex
  const [red = 0, green = 0, blue = 0, alpha = 255] = (digits.match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  )
  return colour([red, green, blue], alpha / 255)
}

function fromHsl(hue: number, saturation: number, light: number): Three {
  const spread = saturation * Math.min(light, 1 - light)
  const level = (shift: number) => {
    const at = (((shift + hue / 30) % 12) + 12) % 12
    return 255 * (light - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1)))
  }
  return [level(0), level(8), level(4)]
}

function fromOklab([light, a, b]: Three): Three {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function fromLab([light, a, b]: Three): Three {
  const middle = (light + 16) / 116
  const level = (root: number) => (root > 6 / 29 ? root ** 3 : 3 * (6 / 29) ** 2 * (root - 4 / 29))
  return [0.9505 * level(middle + a / 500), level(middle), 1.089 * level(middle - b / 200)]
}

const fromXyz = ([x, y, z]: Three): Three => [
  3.2409699 * x - 1.5373832 * y - 0.4986108 * z,
  -0.9692436 * x + 1.8759675 * y + 0.0415551 * z,
  0.0556301 * x - 0.203977 * y + 1.0569715 * z,
]

const linear = (levels: Three, alpha: number): Colour | undefined =>
  colour(
    each(levels, (level) =>
      level <= 0.0031308 ? level * 3294.6 : 255 * (1.055 * level ** (1 / 2.4) - 0.055),
    ),
    alpha,
  )

function colour(levels: Three, alpha: number): Colour | undefined {
  const within = (level: number, most: number) => Math.min(most, Math.max(0, level))
  const [red, green, blue] = each(levels, (level) => within(level, 255))
  const known = { red, green, blue, alpha: within(alpha, 1) }
  return Object.values(known).some(Number.isNaN) ? undefined : known
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
  const colours = found.map((one) => parseColour(one)).filter((one) => one !== undefined)
  const [first] = colours
  return first && colours.every((one) => isNear(one, first) && one.alpha === first.alpha)
    ? first
    : undefined
}

const table =
  'aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 ' +
  'black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 ' +
  'cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc ' +
  'crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 ' +
  'darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f ' +
  'darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f ' +
  'darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 ' +
  'deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 ' +
  'floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 ' +
  'goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 ' +
  'indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 ' +
  'lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff ' +
  'lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 ' +
  'lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 ' +
  'lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff ' +
  'maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db ' +
  'mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc ' +
  'mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 ' +
  'navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 ' +
  'orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee ' +
  'palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd ' +
  'powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 ' +
  'saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d ' +
  'silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa ' +
  'springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 ' +
  'turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 ' +
  'yellowgreen 9acd32 transparent 00000000 canvas ffffff window ffffff field ffffff ' +
  'canvastext 000000 windowtext 000000 fieldtext 000000 text 000000'

const words = table.split(' ')

/** Hexadecimal digits by name. */
const colourNames: ReadonlyMap<string, string> = new Map(
  words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? '']] : [])),
)
