/** What styles do to the letters and lines of a text. */
import type { Box } from './box.ts'
import { paints } from './cover.ts'
import { pixels } from './css/length.ts'
import { doubtful } from './css/properties.ts'
import type { Values } from './css/style-values.ts'
import { inherited } from './inks.ts'
import type { Look } from './look.ts'

export function garbledOf(
  values: Values,
  { garbled, box: outer }: Look,
  box: Box,
  em: number,
): Look['garbled'] {
  return {
    bySigns: inherited(values.get('font-family'), garbled.bySigns, (family) =>
      /^"?(wingdings|webdings|symbol|zapf ?dingbats|monotype sorts|marlett)\b/.test(family),
    ),
    bySpace: inherited(values.get('letter-spacing'), garbled.bySpace, (value) => {
      const space = pixels(value, { em, whole: em }) ?? 0
      return value === doubtful || space < -0.12 * em || space > 1.5 * em
    }),
    byIndent: inherited(values.get('text-indent'), garbled.byIndent, (value) => {
      const indent = pixels(value, { em, whole: outer.room }) ?? 0
      return (
        value === doubtful || indent > 300 || indent < -60 || (indent < 0 && box.x + indent < 0)
      )
    }),
  }
}

export function spaceOf(values: Values, outer: Look): Pick<Look, 'wraps' | 'keepsLines'> {
  const [space, mode, wrap, collapse] = [
    'white-space',
    'text-wrap-mode',
    'text-wrap',
    'white-space-collapse',
  ].map((name) => values.get(name))
  const isNew = space !== undefined && space !== 'inherit'
  return {
    wraps:
      [mode, wrap].some((one) => /nowrap/.test(one ?? '')) || (isNew && /nowrap|^pre$/.test(space))
        ? false
        : isNew || mode !== undefined || wrap !== undefined || outer.wraps,
    keepsLines: isNew
      ? /^(pre|break-spaces)/.test(space)
      : /preserve/.test(collapse ?? '') || outer.keepsLines,
  }
}

export function alignOf(values: Values, outer: Look['align']): Look['align'] {
  const words = ['text-align', 'text-align-last', 'direction', 'float'].map(
    (name) => values.get(name) ?? '',
  )
  const isPushed = values.get('margin-left') === 'auto' && values.get('margin-right') !== 'auto'
  if (isPushed || words.some((word) => /right|end|rtl/.test(word))) return 'right'
  if (/center|justify/.test(words[0] ?? '')) return 'center'
  return /left|start/.test(words[0] ?? '') ? 'left' : outer
}

export const mayReach = (values: Values) =>
  paints(values) || ['background-image', 'border', 'border-top'].some((name) => values.has(name))

/** What is painted around the letters of a line, as far as it is higher than the line. */
export function reachOf(
  values: Values,
  sizes: { em: number; rem: number },
  line: Look['line'],
): number {
  const px = (name: string) => pixels(values.get(name), { ...sizes, whole: 600 }) ?? 0
  const height = 'px' in line ? line.px : line.factor * sizes.em
  const border = /(\d+)px/.exec(values.get('border-top') ?? values.get('border') ?? '')?.[1] ?? 0
  return Math.max(0, sizes.em - height) / 2 + px('padding-top') + Number(border)
}
