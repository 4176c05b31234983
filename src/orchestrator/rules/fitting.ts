/** Which rule takes a mail, and why: what each rule looks for, and where that occurs in the mail. */
import { cleanLine, shortened } from '../../email/visible-text/clean-text.ts'
import type { TriageMail } from '../triage/decision.ts'
import type { MailRule, RuleWords } from './read-rules.ts'
import { comparable, type MailPart, mailParts } from './rule-schema.ts'

/** A mail made ready to be looked into by many rules. */
export type ComparedMail = ReadonlyMap<MailPart, string>

export const comparedMail = (mail: TriageMail): ComparedMail =>
  new Map(mailParts.map((part) => [part, comparable(mail[part])]))

const occursIn = (mail: ComparedMail, { part, compared }: RuleWords): boolean =>
  mail.get(part)?.includes(compared) ?? false

export const fits = (rule: MailRule, mail: ComparedMail): boolean =>
  rule.wanted.every((wanted) => occursIn(mail, wanted))

export interface TriedWords {
  part: MailPart
  /** As it stands in the rule. */
  text: string
  /** A piece of the mail in which it occurs; null where it does not. */
  found: string | null
}

export interface Fitting {
  /** The rule that takes the mail; nothing where none does. */
  rule: MailRule | undefined
  /** The one that takes it, or else the one that was the nearest to it; nothing where there are no rules. */
  looked: { rule: MailRule; seen: TriedWords[] } | undefined
  /** Further rules that would fit, if none before them did. */
  passed: MailRule[]
}

export function fittingOf(rules: readonly MailRule[], mail: TriageMail): Fitting {
  const compared = comparedMail(mail)
  const [rule, ...passed] = rules.filter((one) => fits(one, compared))
  const looked = rule ?? nearestTo(rules, compared)
  const seen = looked?.wanted.map((wanted) => seenIn(mail, compared, wanted)) ?? []
  return { rule, looked: looked && { rule: looked, seen }, passed }
}

/** Of which the largest share occurs; of several, the first. */
function nearestTo(rules: readonly MailRule[], mail: ComparedMail): MailRule | undefined {
  const share = ({ wanted }: MailRule) =>
    wanted.filter((one) => occursIn(mail, one)).length / wanted.length
  return rules.toSorted((one, other) => share(other) - share(one))[0]
}

function seenIn(mail: TriageMail, compared: ComparedMail, wanted: RuleWords): TriedWords {
  const { part, text } = wanted
  const isThere = occursIn(compared, wanted)
  return { part, text, found: isThere ? pieceAround(mail[part], wanted.compared) : null }
}

const before = 20
const longest = 60

/** Capitals may be more characters than what they are of, so each is counted. */
function pieceAround(text: string, compared: string): string {
  const characters = [...cleanLine(text).normalize('NFC')]
  const capitals = characters.map((one) => one.toUpperCase())
  const at = capitals.join('').indexOf(compared)
  let start = 0
  for (let passed = 0; start < capitals.length; start++) {
    passed += capitals[start]?.length ?? 0
    if (passed > at) break
  }
  const from = start <= before ? 0 : start - before
  const piece = shortened(characters.slice(from, from + 4 * longest).join(''), longest)
  const isCut = from + [...piece].length < characters.length
  return `${from > 0 ? '…' : ''}${piece}${isCut ? '…' : ''}`
}

/** In words, for one line. */
export function whyOf({ rule, looked, passed }: Fitting): string {
  if (!looked) return 'Rules.md has no rules'
  const { seen } = looked
  const quote = (text: string) => JSON.stringify(cleanLine(text))
  if (rule) {
    const has = seen.map(
      ({ part, text, found }) => `${part} has ${quote(text)} in ${quote(found ?? '')}`,
    )
    const also = passed.length > 0 ? ` (so would ${numbersOf(passed)}, after it)` : ''
    return has.join(', ') + also
  }
  const lacks = seen.filter(({ found }) => found === null)
  const has = seen.filter(({ found }) => found !== null)
  const but = lacks.map(({ part, text }) => `${part} does not have ${quote(text)}`).join(', ')
  const though = has.map(({ part, text }) => `${part} has ${quote(text)}`).join(', ')
  const end = though === '' ? but : `${though}, but ${but}`
  return `no rule fits; the nearest is rule ${looked.rule.number}: ${end}`
}

const numbersOf = (rules: readonly MailRule[]): string =>
  `rule${rules.length === 1 ? '' : 's'} ${rules.map(({ number }) => number).join(', ')}`
