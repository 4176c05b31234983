/** The properties of CSS that can hide a text: their other names, their values, their short forms. */
import { lookup } from '../../system/text.ts'
import { parseColour } from './colour.ts'
import { type Declaration, split } from './css-tokens.ts'
import { degrees, pixels, ratio } from './length.ts'

type IsValid = (value: string) => boolean

const isPixels: IsValid = (value) => pixels(value, { em: 16, whole: 100 }) !== undefined
const isNumber: IsValid = (value) => ratio(value) !== undefined
const isAngle: IsValid = (value) => degrees(value) !== undefined
/** What is worked out to less than nothing counts as nothing. */
const isPositive: IsValid = (value) => isPixels(value) && !/^-0*\.?0*[1-9]/.test(value)
const isAnything: IsValid = () => true

const oneOf =
  (words: RegExp, ...others: IsValid[]): IsValid =>
  (value) =>
    words.test(value) || others.some((isValid) => isValid(value))

/** So many of them, with blanks between. */
const several =
  (isValid: IsValid, most: number): IsValid =>
  (value) => {
    const words = split(value, ' ')
    return words.length > 0 && words.length <= most && words.every(isValid)
  }

const isColour: IsValid = (value) =>
  value === 'currentcolor' ||
  parseColour(value, { red: 0, green: 0, blue: 0, alpha: 1 }) !== undefined
const isSize = oneOf(
  /^(auto|(min|max|fit)-content|fit-content\(.*\)|stretch|-webkit-fill-available)$/,
  isPositive,
)
const isMost = oneOf(
  /^(none|(min|max|fit)-content|fit-content\(.*\)|stretch|-webkit-fill-available)$/,
  isPositive,
)
const isOffset = oneOf(/^auto$/, isPixels)

const sizes = /^((xx?-|xxx-)?(small|large)|medium|smaller|larger|math)$/
const systemFonts = /^(caption|icon|menu|message-box|small-caption|status-bar)$/
const isFontSize = oneOf(sizes, isPositive)
const isFlow = oneOf(/^(visible|hidden|clip|scroll|auto|overlay)$/)
const isLineHeight = oneOf(/^normal$/, isPositive)

const display =
  /^(none|contents|block|inline|flow-root|flow|table|flex|grid|math|ruby|ruby-text|list-item|inline-(block|table|flex|grid)|table-(row|cell|column|caption|(row|column|header|footer)-group)|-webkit-(inline-)?(box|flex)|(block|inline) (flow|flow-root|table|flex|grid|math|ruby)|(flow|flow-root|table|flex|grid|ruby) (block|inline)|((block|inline) )?(flow(-root)? )?list-item)$/

/** Names of transforms with what they are given. */
const transforms: [RegExp, IsValid][] = [
  [/^scale(x|y|z|3d)?$/, isNumber],
  [/^matrix(3d)?$/, isNumber],
  [/^(rotate[xyz]?|skew[xy]?)$/, isAngle],
  [/^rotate3d$/, oneOf(/^$/, isNumber, isAngle)],
  [/^translate(x|y|z|3d)?$/, isPixels],
  [/^perspective$/, oneOf(/^none$/, isPixels)],
]

const calls = /([a-z0-9-]+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g

/** `scale(0) rotate(1deg)` as names with what they are given; nothing where it is anything else. */
export function callsOf(value: string): { name: string; given: string[] }[] | undefined {
  const found = [...value.matchAll(calls)].map(([, name = '', inner = '']) => ({
    name,
    given: split(inner, ','),
  }))
  return found.length > 0 && value.replace(calls, '').trim() === '' ? found : undefined
}

const isTransform: IsValid = (value) =>
  callsOf(value)?.every(({ name, given }) =>
    transforms.some(
      ([names, isValid]) => names.test(name) && given.length > 0 && given.every(isValid),
    ),
  ) ?? false

const shapeWords =
  /^(at|round|auto|(closest|farthest)-(side|corner)|center|left|right|top|bottom|evenodd|nonzero|".*"|from|by|to|of|with|line|move|close|curve|arc|hline|vline|smooth)$/
const boxes = /^((border|padding|content|margin|fill|stroke|view)-box)$/
const isShape: IsValid = (value) =>
  split(value.replace(/"[^"]*"/g, '""'), ' ').every(
    (word) =>
      boxes.test(word) ||
      /^url\(/.test(word) ||
      (/^(inset|circle|ellipse|polygon|path|rect|xywh|shape)\(/.test(word) &&
        split(word.slice(word.indexOf('(') + 1, -1), ' ,').every(oneOf(shapeWords, isPixels))),
  )

const filters =
  /^(blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia|alpha|url|progid.*)$/
const isFilter: IsValid = (value) =>
  callsOf(value)?.every(({ name }) => filters.test(name)) ?? value.startsWith('progid')

const images = /^(url|[a-z-]*(gradient|image|image-set|cross-fade|element))\(/
const backgroundWords =
  /^(none|\/|repeat(-[xy])?|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|auto|cover|contain|text|(border|padding|content)-box)$/

/** The colour may stand in the last layer only. */
const isBackground: IsValid = (value) => {
  const layers = split(value, ',')
  return layers.every((layer, at) =>
    split(layer.replaceAll('/', ' / '), ' ').every(
      (word) =>
        backgroundWords.test(word) ||
        images.test(word) ||
        isPixels(word) ||
        (at === layers.length - 1 && isColour(word)),
    ),
  )
}

/** `bold 0/0 a`: the size is the first length, the line's height may follow it, and then a family must. */
export function fontParts(value: string): { size: string; line: string } | undefined {
  if (systemFonts.test(value)) return { size: '13px', line: 'normal' }
  const words = split(value.replace(/ ?\/ ?/g, '/'), ' ')
  const styles =
    /^(normal|italic|oblique|bold(er)?|lighter|small-caps|(ultra-|extra-|semi-)?(condensed|expanded)|[1-9]\d{0,3}|-?[\d.]+deg)$/
  const at = words.findIndex((word) => !styles.test(word))
  const [size = '', line = 'normal', ...more] = words[at]?.split('/') ?? []
  const isOne = isFontSize(size) && isLineHeight(line) && more.length === 0
  const family = words[at + 1] ?? ''
  return at !== -1 && isOne && /^["a-z_\u0080-\uffff-]/.test(family) ? { size, line } : undefined
}

const validators = lookup<IsValid>({
  all: () => false,
  animation: isAnything,
  'animation-fill-mode': isAnything,
  'animation-iteration-count': isAnything,
  'animation-name': isAnything,
  'backface-visibility': oneOf(/^(visible|hidden)$/),
  background: isBackground,
  'background-clip': isAnything,
  'background-color': isColour,
  'background-image': (value) =>
    split(value, ',').every((one) => one === 'none' || images.test(one)),
  'background-size': oneOf(/^[^"]*$/),
  bottom: isOffset,
  'box-shadow': isAnything,
  clip: oneOf(/^auto$|^rect\(([-\w.]+[ ,]+){3}[-\w.]+\)$/),
  'clip-path': oneOf(/^none$/, isShape),
  color: isColour,
  'color-scheme': isAnything,
  contain: oneOf(/^(none|strict|content|((size|inline-size|layout|style|paint) ?)+)$/),
  'content-visibility': oneOf(/^(visible|auto|hidden)$/),
  display: oneOf(display),
  filter: oneOf(/^none$/, isFilter),
  font: (value) => fontParts(value) !== undefined,
  'font-size': isFontSize,
  'font-size-adjust': isAnything,
  height: isSize,
  inset: several(isOffset, 4),
  left: isOffset,
  'letter-spacing': oneOf(/^normal$/, isPixels),
  'line-height': isLineHeight,
  margin: several(isOffset, 4),
  mask: isAnything,
  'mask-image': isAnything,
  'max-height': isMost,
  'max-width': isMost,
  'min-height': isSize,
  'min-width': isSize,
  'mso-hide': isAnything,
  opacity: isNumber,
  overflow: several(isFlow, 2),
  'overflow-x': isFlow,
  'overflow-y': isFlow,
  padding: several(isPositive, 4),
  position: oneOf(/^(static|relative|absolute|fixed|(-webkit-)?sticky)$/),
  right: isOffset,
  rotate: oneOf(/^none$/, several(oneOf(/^[xyz]$/, isNumber, isAngle), 4)),
  scale: oneOf(/^none$/, several(isNumber, 3)),
  'text-fill-color': isColour,
  'text-indent': (value) =>
    several(oneOf(/^(hanging|each-line)$/, isPixels), 3)(value) && /\d/.test(value),
  'text-security': oneOf(/^(none|disc|circle|square)$/),
  'text-shadow': isAnything,
  'text-stroke': isAnything,
  top: isOffset,
  transform: oneOf(/^none$/, isTransform),
  translate: oneOf(/^none$/, several(isPixels, 3)),
  visibility: oneOf(/^(visible|hidden|collapse)$/),
  'white-space': isAnything,
  width: isSize,
  'z-index': oneOf(/^(auto|[+-]?\d+)$/),
  zoom: oneOf(/^(normal|reset)$/, isNumber),
})
for (const side of ['top', 'right', 'bottom', 'left']) {
  validators[`margin-${side}`] = isOffset
  validators[`padding-${side}`] = isPositive
}

const axes = lookup<string>({
  'block-size': 'height',
  'inline-size': 'width',
  'overflow-block': 'overflow-y',
  'overflow-inline': 'overflow-x',
})
const sides = lookup<string>({
  'block-start': 'top',
  'block-end': 'bottom',
  'inline-start': 'left',
  'inline-end': 'right',
})

/** Without its prefix, and by its side of the page. */
function otherName(property: string): string {
  const plain = property.replace(/^-webkit-(?!display|visibility|color)/, '')
  const [, least = '', axis = ''] = /^(m(?:in|ax)-)?(.*)$/.exec(plain) ?? []
  if (axes[axis]) return least + axes[axis]
  const [, box = '', side = ''] = /^(margin|padding|inset)-(.*)$/.exec(plain) ?? []
  const named = sides[side]
  return named === undefined ? plain : box === 'inset' ? named : `${box}-${named}`
}

export const isWide = (value: string): boolean =>
  /^(inherit|initial|unset|revert|revert-layer)$/.test(value)

/** What stands in for other values, which are put in where an element is looked at. */
export const standIn = /(?<![\w-])(var|env|attr|if)\(/

const overlong = (property: string) =>
  property.startsWith('background')
    ? { property: 'background-image', value: 'url(x)' }
    : { property: 'display', value: 'none' }

/** As a browser does, it passes over a value that is none, so that the one before it holds. */
export function known(list: Declaration[], isQuirky: boolean): Declaration[] {
  return list.flatMap((declaration) => {
    if (declaration.property.startsWith('--')) return [declaration]
    const property = otherName(declaration.property)
    // None is that long but a picture in its address: whoever writes more wants to be misread.
    if (validators[property] && declaration.value.length > 2000)
      return [{ ...declaration, ...overlong(property) }]
    const value = isQuirky ? quirk(property, declaration.value) : declaration.value
    if (!isQuirky && !bareNumbers.test(property) && /^[+-]?[\d.]*[1-9][\d.]*$/.test(value))
      return []
    return isKnown(property, value) ? [{ ...declaration, property, value }] : []
  })
}

function isKnown(property: string, value: string): boolean {
  const [, whole] = /^(margin|padding|inset)-(?:block|inline)$/.exec(property) ?? []
  if (whole) return several(whole === 'padding' ? isPositive : isOffset, 2)(value)
  const isValid = Object.hasOwn(validators, property) ? validators[property] : undefined
  return isValid !== undefined && (isWide(value) || standIn.test(value) || isValid(value))
}

/** Only an old page may leave out the unit of others. */
const bareNumbers = /^(opacity|line-height|scale|zoom|z-index|font-size-adjust|animation.*)$/

/** An old page may write a colour without its hash. */
function quirk(property: string, value: string): string {
  if (property !== 'color' && property !== 'background-color') return value
  if (/^\d{1,6}$/.test(value) && value.length !== 3) return `#${value.padStart(6, '0')}`
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/.test(value) ? `#${value}` : value
}

const others =
  /^(-webkit-)?(align|animation|appearance|aspect-ratio|backdrop|background|border|bottom|box|break|caption|caret|clear|clip|color|columns?|contain|container|content|counter|cursor|direction|display|empty-cells|fill|filter|flex|float|font|forced|gap|grid|hanging|height|hyphens?|image|inline|inset|isolation|justify|left|letter|line|list|margin|mask|max|min|mix-blend|object|offset|opacity|order|orphans|outline|overflow|overscroll|padding|page|paint|perspective|place|pointer|position|print|quotes|resize|right|rotate|row|ruby|scale|scroll|shape|stroke|tab|table|text|top|touch|transform|transition|translate|unicode|user|vertical|view|visibility|white|widows|width|will|word|writing|z|zoom)(-|$)/

/** What is not looked at here is known by how its name begins. */
export const isSupported = (property: string, value: string): boolean => {
  if (property.startsWith('--')) return true
  const name = otherName(property)
  return Object.hasOwn(validators, name) ? isKnown(name, value) : others.test(property)
}
