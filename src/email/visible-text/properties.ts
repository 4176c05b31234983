/** The properties of CSS that can hide a text: their other names, their values, their short forms. */
import { parseColour } from './colour.ts'
import { type Declaration, split } from './css-scan.ts'
import { pixels } from './length.ts'

type IsValid = (value: string) => boolean

const isLength: IsValid = (value) =>
  pixels(value, { em: 16, whole: 100 }) !== undefined ||
  /^(auto|none|normal|(min|max|fit)-content(\(.*\))?|stretch|calc\(.*\))$/.test(value)
const areLengths: IsValid = (value) => split(value, ' ').every(isLength)
const isColour: IsValid = (value) =>
  value === 'currentcolor' || parseColour(value) !== undefined || /^[a-z-]+\(.*\)$/.test(value)
const isAnything: IsValid = () => true
const oneOf =
  (words: RegExp): IsValid =>
  (value) =>
    words.test(value)

const sizes = /^((xx?-|xxx-)?(small|large)|medium|smaller|larger|math)$/
const display =
  /^(block|inline|run-in|flow|flow-root|flex|grid|table|ruby|list-item|none|contents|inherit|(inline|table|ruby|-webkit|-ms|-moz)-[a-z-]+)$/
const isDisplay: IsValid = (value) => split(value, ' ').every((word) => display.test(word))

const validators: Record<string, IsValid> = {
  'background-clip': isAnything,
  'background-color': isColour,
  'background-image': isAnything,
  background: isAnything,
  bottom: isLength,
  clip: isAnything,
  'clip-path': isAnything,
  color: isColour,
  'content-visibility': isAnything,
  display: isDisplay,
  filter: isAnything,
  font: isAnything,
  'font-size': (value) => isLength(value) || sizes.test(value),
  height: isLength,
  inset: areLengths,
  left: isLength,
  'letter-spacing': isLength,
  'line-height': isLength,
  margin: areLengths,
  'margin-bottom': isLength,
  'margin-left': isLength,
  'margin-right': isLength,
  'margin-top': isLength,
  'max-height': isLength,
  'max-width': isLength,
  'min-height': isLength,
  'min-width': isLength,
  'mso-hide': isAnything,
  opacity: (value) => /^[+-]?[\d.]+(e[+-]?\d+)?%?$/.test(value) || value.startsWith('calc('),
  overflow: isAnything,
  'overflow-x': isAnything,
  'overflow-y': isAnything,
  padding: areLengths,
  'padding-bottom': isLength,
  'padding-left': isLength,
  'padding-right': isLength,
  'padding-top': isLength,
  right: isLength,
  scale: isAnything,
  'text-fill-color': isColour,
  'text-indent': (value) => isLength(split(value, ' ')[0] ?? ''),
  'text-security': isAnything,
  top: isLength,
  transform: isAnything,
  translate: isAnything,
  visibility: oneOf(/^(visible|hidden|collapse)$/),
  'white-space': isAnything,
  width: isLength,
  zoom: isAnything,
}

const otherNames: Record<string, string> = {
  'block-size': 'height',
  'inline-size': 'width',
  'max-block-size': 'max-height',
  'max-inline-size': 'max-width',
  'inset-inline-start': 'left',
  'inset-inline-end': 'right',
  'inset-block-start': 'top',
  'inset-block-end': 'bottom',
  'margin-inline-start': 'margin-left',
  'margin-inline-end': 'margin-right',
  'margin-inline': 'margin-left',
  'margin-block-start': 'margin-top',
  'margin-block': 'margin-top',
  'overflow-block': 'overflow-y',
  'overflow-inline': 'overflow-x',
}

export const isWide = (value: string): boolean =>
  /^(inherit|initial|unset|revert|revert-layer)$/.test(value)

const overlong = (property: string) =>
  property.startsWith('background')
    ? { property: 'background-image', value: 'url(x)' }
    : { property: 'display', value: 'none' }

/** As a browser does, it passes over a value that is none, so that the one before it holds. */
export function known(list: Declaration[]): Declaration[] {
  return list.flatMap((declaration) => {
    if (declaration.property.startsWith('--')) return [declaration]
    const plain = declaration.property.replace(/^-(webkit|moz|ms|o|khtml)-/, '')
    const property = otherNames[plain] ?? plain
    const { value } = declaration
    const isValid = Object.hasOwn(validators, property) ? validators[property] : undefined
    // None is that long but a picture in its address: whoever writes more wants to be misread.
    if (isValid && value.length > 2000) return [{ ...declaration, ...overlong(property) }]
    const holds = isValid && (isWide(value) || value.includes('var(') || isValid(value))
    return holds ? [{ ...declaration, property }] : []
  })
}

/** The long forms of a declaration. */
export function longForms(property: string, value: string): [string, string][] {
  const words = split(value, ' ')
  if (property === 'margin' || property === 'padding' || property === 'inset') {
    const [top = '', right = top, bottom = top, left = right] = words
    const name = (side: string) => (property === 'inset' ? side : `${property}-${side}`)
    return [
      [name('top'), top],
      [name('right'), right],
      [name('bottom'), bottom],
      [name('left'), left],
    ]
  }
  if (property === 'overflow') {
    const [x = '', y = x] = words
    return [
      ['overflow-x', x],
      ['overflow-y', y],
    ]
  }
  if (property === 'background') return background(value, split(value, ' ,'))
  if (property === 'font') return font(value)
  return [[property, value]]
}

function background(value: string, words: string[]): [string, string][] {
  if (isWide(value))
    return [
      ['background-color', value],
      ['background-image', value],
    ]
  const image = words.find((word) =>
    /^(url|[a-z-]*(gradient|image|image-set|cross-fade|element))\(/.test(word),
  )
  const colour = words.find((word) => word === 'currentcolor' || parseColour(word) !== undefined)
  const clip = words.includes('text') ? 'text' : 'border-box'
  return [
    ['background-image', image ?? 'none'],
    ['background-color', colour ?? 'transparent'],
    ['background-clip', clip],
  ]
}

/** `font: bold 0/0 a`: the size is the first length, the line's height may follow it. */
function font(value: string): [string, string][] {
  if (isWide(value)) return [['font-size', value]]
  const words = split(value.replace(/ ?\/ ?/g, '/'), ' ')
  for (const word of words.slice(0, -1)) {
    const [size = '', line = 'normal'] = split(word, '/')
    const isWeight = /^[1-9]00$/.test(size)
    if (!isWeight && (sizes.test(size) || (isLength(size) && !/^(normal|none|auto)$/.test(size)))) {
      return [
        ['font-size', size],
        ['line-height', line],
      ]
    }
  }
  return []
}
