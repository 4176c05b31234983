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

/** Nothing where it is no colour, or one of the new forms, which no mail needs. */
export function parseColour(value: string): Colour | undefined {
  const hex = value.startsWith('#') ? value.slice(1) : colourNames.get(value)
  if (hex !== undefined) return fromHex(hex)
  const [, name, inner = ''] = /^(rgb|hsl)a?\( ?([^()]*?) ?\)$/.exec(value) ?? []
  if (name === undefined || /[a-z]/.test(inner.replace(/deg|turn|grad|rad|\de[+-]?\d/g, '')))
    return undefined
  const isOld = inner.includes(',')
  const [main = '', after, ...rest] = isOld ? [inner] : split(inner, '/')
  const parts = split(main, isOld ? ',' : ' ')
  const opacity = isOld ? parts.splice(3, 1)[0] : after
  const [first, second, third, ...others] = parts
  const shares = parts.filter((text) => text.endsWith('%')).length
  if ((isOld && (name === 'rgb' ? shares % 3 !== 0 : shares !== 2)) || rest.length > 0)
    return undefined
  if (first === undefined || second === undefined || third === undefined || others.length > 0)
    return undefined
  const alpha = part(opacity ?? '1', 1)
  if (name === 'rgb') return colour([part(first, 255), part(second, 255), part(third, 255)], alpha)
  const [saturation, light] = [part(second, 100) / 100, part(third, 100) / 100]
  return colour(fromHsl(degrees(first) ?? Number.NaN, saturation, light), alpha)
}

/** Also those that depend on the system. */
export const isColourName = (word: string): boolean =>
  colourNames.has(word) ||
  /^(accentcolor(text)?|activetext|button(border|face|text|highlight|shadow)|canvas(text)?|field(text)?|graytext|highlight(text)?|linktext|mark(text)?|selecteditem(text)?|visitedtext|currentcolor|-(webkit|internal)-.*|(active|inactive)?(border|caption|captiontext)|appworkspace|background|info(background|text)|menu(text)?|scrollbar|threed.*|window(frame)?)$/.test(
    word,
  )

/** A number, or so many per cent of the whole. */
const part = (text: string, whole: number): number =>
  (ratio(text) ?? Number.NaN) * (text.endsWith('%') ? whole : 1)

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

/** Whether a text is read on each of these, and would be on all that lies between them: #ddd on white has a contrast of 1.36, #eee of 1.16. */
export function isReadOn(ink: Colour, backgrounds: readonly Colour[], least: number): boolean {
  const sides = backgrounds.map((background) => {
    const [mine, yours] = [brightness(over(ink, background)), brightness(background)]
    const contrast = (Math.max(mine, yours) + 0.05) / (Math.min(mine, yours) + 0.05)
    return contrast < least ? 0 : Math.sign(mine - yours)
  })
  return sides.every((side) => side !== 0 && side === sides[0])
}

/** As an eye sees it, from 0 to 1 (WCAG 2). */
function brightness({ red, green, blue }: Colour): number {
  const level = (value: number) =>
    value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
  return 0.2126 * level(red) + 0.7152 * level(green) + 0.0722 * level(blue)
}

/** The colours of gradients; nothing where one cannot be told. */
export function gradientColours(value: string): Colour[] | undefined {
  const words = value
    .replace(/(?:-webkit-)?(?:repeating-)?(?:linear|radial|conic)-gradient\(/g, ' ')
    .match(/#[0-9a-f]+|\b(?:rgb|hsl)a?\([^()]*\)|[a-z-]+\(|(?<![\w.%-])[a-z-]+/g)
  const colours = (words ?? [])
    .filter(
      (word) =>
        !/^(to|at|from|in|left|right|top|bottom|center|circle|ellipse|(closest|farthest)-(side|corner))$/.test(
          word,
        ),
    )
    .map(parseColour)
  const known = colours.filter((one) => one !== undefined)
  return known.length > 0 && known.length === colours.length ? known : undefined
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
  'yellowgreen 9acd32 transparent 00000000 windowtext 000000'

const words = table.split(' ')

/** Hexadecimal digits by name. */
const colourNames: ReadonlyMap<string, string> = new Map(
  words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? '']] : [])),
)
