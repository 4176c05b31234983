/** The rules of a mail's style sheets, as far as they apply to a screen. */
import { type Declaration, declarations, find, split, withoutComments } from './css-scan.ts'
import { appliesToScreen } from './media-query.ts'

export interface Rule {
  selectors: string[]
  declarations: Declaration[]
}

/** Nothing is imported: a mail is read without a word to anybody. */
export function rulesOf(sheet: string): Rule[] {
  const css = withoutComments(sheet)
  const rules: Rule[] = []
  /** Whether what stands in the open blocks applies. */
  const open: boolean[] = []
  for (let at = 0; at < css.length; ) {
    const stop = find(css, at, '{;}')
    const prelude = css
      .slice(at, stop)
      .replace(/<!--|-->/g, '')
      .replace(/\s+/g, ' ')
      .trim()
    at = stop + 1
    if (css.charAt(stop) === '}') open.pop()
    if (css.charAt(stop) !== '{') continue
    const applies = open.at(-1) ?? true
    const group =
      /^@(media|supports|layer|document|-moz-document|scope|container|starting-style)\b/i.exec(
        prelude,
      )
    if (group?.[1]) {
      open.push(applies && groupApplies(group[1].toLowerCase(), prelude.slice(group[0].length)))
      continue
    }
    const end = find(css, at, '}')
    if (applies && !prelude.startsWith('@')) {
      rules.push({ selectors: split(prelude, ','), declarations: declarations(css.slice(at, end)) })
    }
    at = end + 1
  }
  return rules
}

function groupApplies(name: string, condition: string): boolean {
  if (name === 'media') return appliesToScreen(condition)
  if (name === 'supports') return !/^\s*not\b/i.test(condition)
  return /^(layer|scope|container)$/.test(name)
}
