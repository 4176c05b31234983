/** Says whether @media holds for a screen; nothing where that cannot be told. */
import { lookup } from '../../../system/text.ts'
import type { Work } from '../work.ts'
import { split } from './css-tokens.ts'
import { pixels } from './length.ts'

/** On which a mail is read. */
export interface ReadingScreen {
  width: number
  isDark: boolean
}

/** Nothing where it cannot be told. */
type Verdict = boolean | undefined

/** Whoever reads mail reads it on a screen with colours, which holds for all of them. */
const facts = lookup<string>({
  '-webkit-min-device-pixel-ratio:0': 'yes',
  'min-resolution:.001dpcm': 'yes',
  color: 'yes',
  scripting: 'no',
  'scripting:none': 'yes',
  'prefers-color-scheme': 'yes',
})

export function appliesTo(media: string, screen: ReadingScreen, work: Work): Verdict {
  // Nobody writes a longer one who does not want to be misread.
  if (media.length > 2000) work.spend(Number.POSITIVE_INFINITY)
  if (media === '' || work.isSpent) return media === ''
  const verdicts = split(media, ',').map((query) => holds(query, screen))
  return verdicts.includes(true) ? true : verdicts.includes(undefined) ? undefined : false
}

function holds(query: string, screen: ReadingScreen): Verdict {
  const leaf = (term: string) => feature(term, screen)
  const [, mark, type, rest = '(color)'] =
    /^(?:(not|only) )?(?!not\b)([a-z-]+)(?: and (.*))?$/.exec(query) ?? []
  if (type === undefined) return judge(query, leaf)
  const verdict = judge(rest, leaf)
  const isOurs = /^(screen|all)$/.test(type)
  if (!isOurs) return mark === 'not'
  return verdict === undefined ? undefined : verdict !== (mark === 'not')
}

/** `not X`, `X and Y`, `X or Y`, where each may stand in brackets again. */
function judge(text: string, leaf: (text: string) => Verdict): Verdict {
  const words = split(text, ' ')
  const group = (word = ''): Verdict => {
    const inner = /^\(.*\)$/.test(word) ? word.slice(1, -1).trim() : undefined
    if (inner === undefined) return undefined
    return /^(\(|not )/.test(inner) ? judge(inner, leaf) : leaf(inner)
  }
  if (words[0] === 'not') {
    const verdict = words.length === 2 ? group(words[1]) : undefined
    return verdict === undefined ? undefined : !verdict
  }
  const sign = words[1] ?? 'and'
  const isOne = words.every((word, at) => at % 2 === 0 || word === sign)
  if (!isOne || words.length % 2 === 0 || !/^(and|or)$/.test(sign)) return undefined
  const verdicts = words.filter((_, at) => at % 2 === 0).map(group)
  const decisive = sign === 'or'
  if (verdicts.includes(decisive)) return decisive
  return verdicts.includes(undefined) ? undefined : !decisive
}

function feature(term: string, { width, isDark }: ReadingScreen): Verdict {
  const plain = term.replace(/ ?: ?/, ':')
  if (/^-(ms|moz|o)-/.test(plain)) return false
  const fact = facts[plain]
  if (fact !== undefined) return fact === 'yes'
  const [, scheme] = /^prefers-color-scheme:(light|dark)$/.exec(plain) ?? []
  if (scheme) return (scheme === 'dark') === isDark
  const [, bound, , value = ''] = /^(min|max)-(device-)?width:(.+)$/.exec(plain) ?? []
  const [, sign, measured = ''] = /^width ?(<=|>=|<|>) ?(.+)$/.exec(term) ?? []
  const wanted = pixels(bound ? value : measured, { em: 16, whole: 0 })
  const isLength = /[a-z)]$|^0$/.test(bound ? value : measured)
  if (wanted === undefined || !isLength || /\(|v[whib]|min|max|\d(ex|ch)/.test(value + measured))
    return undefined
  if (bound) return bound === 'min' ? width >= wanted : width <= wanted
  if (sign === '<=' || sign === '>=') return sign === '<=' ? width <= wanted : width >= wanted
  return sign === '<' ? width < wanted : width > wanted
}
