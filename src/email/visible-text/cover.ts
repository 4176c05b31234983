/** Whether an element may lie on top of others. */
import type { Box } from './box.ts'
import { pixels } from './css/length.ts'
import type { Values } from './css/style-values.ts'
import type { ElementFacts } from './element-facts.ts'
import type { HtmlNode } from './html-tree.ts'

/** What takes a box out of its place, or paints beyond it. */
export const moves =
  /^(position|inset|top|right|bottom|left|margin|transform|translate|scale|rotate|offset|float|animation|outline|backdrop-filter|zoom|grid|perspective|vertical-align|columns?|box-reflect)/

const painted =
  /^(img|svg|math|hr|table|input|button|canvas|video|object|embed|iframe|select|textarea|progress|meter|fieldset|marquee|mpadded|mspace)$/

/** It is painted after the text of what stands around it. */
export const isLayer = (values: Values, { display }: Box) =>
  display.startsWith('inline') ||
  values.get('position') === 'relative' ||
  values.has('opacity') ||
  values.has('z-index')

/** Whether anything of it could hide what lies below; of what is not visible, only what it holds. */
export function mayPaint({ tag, node }: ElementFacts, values: Values, isShown: boolean): boolean {
  if (isShown && tag !== 'math') {
    if (painted.test(tag) || paints(values) || values.has('background-image')) return true
    if ([...values.keys()].some((name) => /^(border|box-shadow|outline|backdrop)/.test(name)))
      return true
  }
  const waiting: HtmlNode[] = [...node.childNodes]
  let letters = 0
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    if (isShown && 'value' in one && one.nodeName === '#text') {
      letters += one.value.trim().length
      if (letters > 2000 || /[\u2580-\u25ff\u2b00-\u2bff\u3000-\uffff]/.test(one.value)) return true
    }
    if (!('tagName' in one)) continue
    if (
      painted.test(one.tagName) ||
      one.attrs.some(({ name }) => /^(style|class|id|bgcolor|background|size)$/.test(name))
    )
      return true
    for (const child of one.childNodes) waiting.push(child)
  }
  return letters > 0 && (pixels(values.get('font-size'), { em: 16, whole: 16 }) ?? 0) > 40
}

/** A picture that is there to tell on its reader is too small to hide anything. */
export const isDot = (tag: string, values: Values): boolean =>
  tag === 'img' &&
  ['width', 'height'].every(
    (name) => (pixels(values.get(name), { em: 16, whole: 600 }) ?? 9) <= 2,
  ) &&
  ![...values.keys()].some((name) =>
    /^(min-|padding|border|outline|box-|filter|zoom|transform|scale|content|animation|inset)/.test(
      name,
    ),
  )

export const paints = (values: Values) =>
  values.has('background-color') &&
  !/^(transparent|unset|initial)$/.test(values.get('background-color') ?? '')
