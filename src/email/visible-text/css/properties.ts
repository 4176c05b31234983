/** The properties of CSS that can hide a text: their other names, the values that are understood, their long forms. */
import { lookup } from '../../../system/text.ts'
import { isColourName, parseColour } from './colour.ts'
import { type Declaration, split } from './css-tokens.ts'
import { pixels, ratio } from './length.ts'
import { longBorder, neutral } from './neutral.ts'

/** In the place of a value that a browser may understand otherwise than we do: what it is for cannot be shown to be visible. */
export const doubtful = '\ufffd'

type IsValid = (value: string) => boolean

const isPixels: IsValid = (value) => pixels(value, { em: 16, whole: 100 }) !== undefined
const isNumber: IsValid = (value) => ratio(value) !== undefined
/** What is worked out to less than nothing counts as nothing. */
const isPositive: IsValid = (value) => isPixels(value) && !/^-0*\.?0*[1-9]/.test(value)

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

const isColour: IsValid = (value) => value === 'currentcolor' || parseColour(value) !== undefined
const isSize = oneOf(/^(auto|(min|max|fit)-content|stretch|-webkit-fill-available)$/, isPositive)
const isMost = oneOf(/^(none|(min|max|fit)-content|stretch|-webkit-fill-available)$/, isPositive)
const isOffset = oneOf(/^auto$/, isPixels)
const isFontSize = oneOf(/^((xx?-|xxx-)?(small|large)|medium|smaller|larger)$/, isPositive)
const isFlow = oneOf(/^(visible|hidden|clip|scroll|auto|overlay)$/)
const isLineHeight = oneOf(/^normal$/, isPositive)

export const images = /^(url|(-webkit-)?(repeating-)?(linear|radial|conic)-gradient)\(/
const backgroundWords =
  /^(none|\/|repeat(-[xy])?|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|auto|cover|contain|(border|padding|content)-box)$/

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

const systemFonts = /^(caption|icon|menu|message-box|small-caption|status-bar)$/

/** `bold 0/0 a`: the size is the first length, the line's height may follow it, and then a family must. */
export function fontParts(
  value: string,
): { size: string; line: string; family: string } | undefined {
  if (systemFonts.test(value)) return { size: '13px', line: 'normal', family: 'sans-serif' }
  const words = split(value.replace(/ ?\/ ?/g, '/'), ' ')
  const styles =
    /^(normal|italic|oblique|bold(er)?|lighter|small-caps|(ultra-|extra-|semi-)?(condensed|expanded)|[1-9]\d{0,3}|-?[\d.]+deg)$/
  const at = words.findIndex((word) => !styles.test(word))
  const [size = '', line = 'normal', ...more] = words[at]?.split('/') ?? []
  const isOne = isFontSize(size) && isLineHeight(line) && more.length === 0
  const family = words.slice(at + 1).join(' ')
  const isFamily = /^["a-z_\u0080-\uffff-]/.test(family)
  return at !== -1 && isOne && isFamily ? { size, line, family } : undefined
}

/** The boxes that are laid out one after the other, or in a table. */
const display =
  /^(none|contents|block|inline|flow-root|list-item|flex|grid|table|inline-(block|table|flex|grid)|table-(row|cell|column|caption|(row|column|header|footer)-group)|-webkit-(inline-)?(box|flex))$/

/** A value of one of these is looked at further in look.ts and box.ts. */
const judged = lookup<IsValid>({
  background: isBackground,
  'background-color': isColour,
  'background-image': (value) =>
    split(value, ',').every((one) => one === 'none' || images.test(one)),
  bottom: isOffset,
  'background-position': () => true,
  'background-repeat': () => true,
  'background-size': () => true,
  'box-shadow': () => true,
  'box-sizing': oneOf(/^(border|content)-box$/),
  color: isColour,
  'color-scheme': () => true,
  display: oneOf(display),
  font: (value) => fontParts(value) !== undefined,
  'font-family': () => true,
  'font-size': isFontSize,
  float: () => true,
  height: isSize,
  inset: several(isOffset, 4),
  left: isOffset,
  'letter-spacing': oneOf(/^normal$/, isPixels),
  'line-height': isLineHeight,
  margin: several(isOffset, 4),
  'max-height': isMost,
  'max-width': isMost,
  // Of how high a screen is nobody knows more than that it makes a box higher.
  'min-height': oneOf(/^\d+[sld]?vh$/, isSize),
  'min-width': isSize,
  'mso-hide': () => true,
  opacity: isNumber,
  overflow: several(isFlow, 2),
  'overflow-x': isFlow,
  'overflow-y': isFlow,
  padding: several(isPositive, 4),
  position: oneOf(/^(static|relative|absolute|fixed|(-webkit-)?sticky)$/),
  right: isOffset,
  direction: () => true,
  'text-align': () => true,
  'text-align-last': () => true,
  'table-layout': oneOf(/^(auto|fixed)$/),
  'text-fill-color': isColour,
  'text-indent': several(isPixels, 1),
  'text-wrap': () => true,
  'text-wrap-mode': () => true,
  top: isOffset,
  visibility: oneOf(/^(visible|hidden|collapse)$/),
  'white-space': () => true,
  'white-space-collapse': () => true,
  width: isSize,
  'z-index': oneOf(/^(auto|[+-]?\d+)$/),
})
for (const side of ['top', 'right', 'bottom', 'left']) {
  judged[`margin-${side}`] = isOffset
  judged[`padding-${side}`] = isPositive
}

/** Whether a text may be out of sight for this value. */
export function isUnsafe(property: string, value: string): boolean {
  if (value === doubtful) return true
  if (/^border(?!-(collapse|spacing|image|shape)|.*(radius|color|style))/.test(property))
    return longBorder.test(value.replace(/(rgb|hsl)a?\([^()]*\)/g, ''))
  const safe = neutral[property]
  return safe !== undefined && !isWide(value) && !safe.test(value)
}

/** Whether anybody looks at it here; all others are taken for harmless. */
export function isConsidered(name: string): boolean {
  const property = otherName(name)
  const [, whole] = /^(margin|padding|inset)-(?:block|inline)$/.exec(property) ?? []
  return (
    judged[whole ?? property] !== undefined ||
    neutral[property] !== undefined ||
    /^border/.test(property)
  )
}

/** Whether it changes nothing that could hide a text. */
export const isNeutral = (property: string, value: string): boolean =>
  !property.startsWith('--') && !judged[property] && !isUnsafe(property, value)

const axes = lookup<string>({
  'block-size': 'height',
  'inline-size': 'width',
  'logical-height': 'height',
  'logical-width': 'width',
  'max-logical-height': 'max-height',
  'max-logical-width': 'max-width',
  'min-logical-height': 'min-height',
  'min-logical-width': 'min-width',
  'overflow-block': 'overflow-y',
  'overflow-inline': 'overflow-x',
})
const sides = lookup<string>({
  'block-start': 'top',
  'block-end': 'bottom',
  'inline-start': 'left',
  'inline-end': 'right',
  before: 'top',
  after: 'bottom',
  start: 'left',
  end: 'right',
})

/** Without its prefix, and by its side of the page. */
function otherName(property: string): string {
  const plain = property.replace(/^-webkit-(?!display|visibility|color)/, '')
  const [, least = '', axis = ''] = /^(m(?:in|ax)-)?(.*)$/.exec(plain) ?? []
  const side = axes[plain] ?? (axes[axis] && least + axes[axis])
  if (side) return side
  const [, box = '', end = ''] = /^(margin|padding|inset)-(.*)$/.exec(plain) ?? []
  const named = sides[end]
  return named === undefined ? plain : box === 'inset' ? named : `${box}-${named}`
}

export const isWide = (value: string): boolean =>
  /^(inherit|initial|unset|revert|revert-layer)$/.test(value)

/** What stands in for other values, which are put in where an element is looked at. */
export const standIn = /(?<![\w-])(var|env|attr|if)\(/

/** As a browser does, it passes over a value that is none, so that the one before it holds. */
export function known(list: Declaration[], isQuirky: boolean): Declaration[] {
  return list.flatMap((declaration) => {
    if (declaration.property.startsWith('--')) return [declaration]
    const property = otherName(declaration.property)
    const value = standIn.test(declaration.value)
      ? declaration.value
      : understood(property, declaration.value, isQuirky)
    return value === undefined ? [] : [{ ...declaration, property, value }]
  })
}

/** The value; `doubtful` where it cannot be told; nothing where no browser takes it, or it matters to nobody. */
export function understood(property: string, text: string, isQuirky: boolean): string | undefined {
  const [, whole] = /^(margin|padding|inset)-(?:block|inline)$/.exec(property) ?? []
  const isValid = judged[whole ?? property]
  if (!isValid)
    return neutral[property] !== undefined || /^border/.test(property) ? text : undefined
  const value = isQuirky ? quirk(property, text) : text
  // A semicolon was forgotten, or it is a hack for a browser of old.
  if (value === '' || /:|.\ufffd/.test(value.replace(/\([^()]*\)/g, ''))) return undefined
  // None is that long but a picture in its address: whoever writes more wants to be misread.
  if (value.length > 2000) return doubtful
  if (isWide(value)) return /^revert/.test(value) && property === 'display' ? doubtful : value
  if (!isQuirky && isBare(value) && !bareNumbers.test(property)) return undefined
  if (isValid(value)) return value
  return isNothing(property, value) ? undefined : doubtful
}

const isBare = (value: string) => /^[+-]?[\d.]*[1-9][\d.]*$/.test(value)

/** What people write who do not know CSS, and no browser takes. */
function isNothing(property: string, value: string): boolean {
  if (/color$/.test(property))
    return /^#/.test(value) || (/^[a-z-]+$/.test(value) && !isColourName(value))
  if (property === 'background' || property === 'font') return !value.includes('(')
  if (/^padding/.test(property) && /-\d/.test(value)) return true
  return (
    property !== 'display' &&
    split(value, ' ').every((word) =>
      /^(none|auto|normal|center|left|right|top|bottom|solid|px|[+-]?[\d.]+(px|pt|em|%)?)$/.test(
        word,
      ),
    )
  )
}

/** Only an old page may leave out the unit of others. */
const bareNumbers =
  /^(opacity|line-height|z-index|font-family|white-space|float|mso-hide|text-align.*|direction)$/

/** An old page may write a colour without its hash. */
function quirk(property: string, value: string): string {
  if (property !== 'color' && property !== 'background-color') return value
  if (/^\d{1,6}$/.test(value) && value.length !== 3) return `#${value.padStart(6, '0')}`
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/.test(value) ? `#${value}` : value
}
