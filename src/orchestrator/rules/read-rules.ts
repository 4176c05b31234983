/** Reads the rules of a front matter, and finds everything that is wrong with them. */
import type * as z from 'zod'
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { isRecord } from '../../system/text.ts'
import type { FieldPlace } from '../../vault/front-matter/places.ts'
import { type Decision, decisionNames } from '../triage/decision.ts'
import { readDecision, unknownKey } from '../triage/parse-decision.ts'
import { comparable, type MailPart, mailParts, ruleKeys, rulesSchema } from './rule-schema.ts'

export interface RuleWords {
  part: MailPart
  /** As it stands in the rule. */
  text: string
  /** What is looked for. */
  compared: string
}

export interface MailRule {
  /** From 1, as a person counts them. */
  number: number
  /** All of them must occur. */
  wanted: RuleWords[]
  decision: Decision
}

/** Something that is wrong with the rules, and where that stands. */
export interface RuleFault extends FieldPlace {
  /** Nothing where it is about the list itself. */
  rule: number | undefined
  message: string
}

/** Whom a rule would give mails to, whatever else is wrong with it. */
export interface NamedDelegate {
  rule: number
  /** Nothing where it names nobody. */
  name: string | undefined
}

interface ReadRules {
  rules: MailRule[]
  delegates: NamedDelegate[]
  /** Where there is one, no rule decides about anything: what was meant is not known. */
  faults: RuleFault[]
}

/** A list that was emptied is one, whether the brackets are there or not. */
export function readRules(values: Record<string, unknown>): ReadRules {
  const frontmatter = { ...values }
  const parsed = rulesSchema.safeParse(frontmatter)
  const faults = parsed.success
    ? []
    : parsed.error.issues.flatMap((one) => faultsOf(one, frontmatter))
  const list = Array.isArray(frontmatter.rules) ? frontmatter.rules : []
  const delegates: NamedDelegate[] = []
  const rules = list.flatMap((fields: unknown, index) => {
    if (!isRecord(fields)) return []
    const number = index + 1
    const own = faults.filter(({ rule }) => rule === number)
    const read = ruleOf(fields, number, new Set(own.map(({ path }) => path[2])))
    faults.push(...read.faults)
    const { decision } = read.rule
    const wrong = [...own, ...read.faults]
    const isNamed = !wrong.some(({ path }) => path[2] === 'delegate_to')
    if (decision?.decision === 'delegate' && isNamed) {
      delegates.push({ rule: number, name: decision.delegate_to })
    }
    return decision && wrong.length === 0 ? [{ ...read.rule, decision }] : []
  })
  return { rules, delegates, faults: faults.sort(byPlace) }
}

const byPlace = (one: RuleFault, other: RuleFault): number => (one.rule ?? 0) - (other.rule ?? 0)

/** Each key that is unknown is a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue, frontmatter: Record<string, unknown>): RuleFault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  const index = path[1]
  const rule = typeof index === 'number' ? index + 1 : undefined
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      ...{ rule, path: [...path, key], isKey: true },
      message: `${unknownKey(key)}${didYouMean(key, ruleKeys)}`,
    }))
  }
  if (path.length === 2)
    return [{ rule, path, message: 'it must have keys, as in "from: example.com"' }]
  return [{ rule, path, message: `${issue.message}${hintAt(path, frontmatter)}` }]
}

function hintAt(path: FieldPlace['path'], frontmatter: Record<string, unknown>): string {
  if (path.length === 1) return 'rules' in frontmatter ? '' : nearRules(frontmatter)
  if (path[2] !== 'decision') return ''
  const rule: unknown = Array.isArray(frontmatter.rules) && frontmatter.rules[Number(path[1])]
  const written = isRecord(rule) ? rule.decision : undefined
  return typeof written === 'string' ? didYouMean(written, decisionNames) : ''
}

const nearRules = (frontmatter: Record<string, unknown>): string => {
  const near = Object.keys(frontmatter).find((key) => didYouMean(key, ['rules']) !== '')
  return near === undefined ? '' : `, and is called ${JSON.stringify(near)} here`
}

/** @param wrong the keys that are known to be wrong: nothing more is said of them. */
function ruleOf(
  fields: Record<string, unknown>,
  number: number,
  wrong: ReadonlySet<unknown>,
): { rule: Omit<MailRule, 'decision'> & { decision: Decision | undefined }; faults: RuleFault[] } {
  const faults: RuleFault[] = []
  const at = (message: string, key?: string): void => {
    const path = ['rules', number - 1, ...(key === undefined ? [] : [key])]
    faults.push({ rule: number, path, message })
  }
  const named = mailParts.filter((part) => fields[part] !== undefined)
  if (named.length === 0) {
    at(`it names none of ${mailParts.join(', ')}, so it would fit every mail`)
  }
  const { decision, reply, delegate_to } = fields
  const reason = fields.reason ?? `Rule ${number} of Rules.md fits.`
  const asked = { decision, reason, reply, delegate_to }
  for (const key of decisionKeys) if (wrong.has(key)) asked[key] = passable[key]
  const read = decisionOf(asked, (misfit, key) => at(misfit, key in fields ? key : 'decision'))
  const wanted = named.flatMap((part) => {
    const text = fields[part]
    return typeof text === 'string' ? [{ part, text, compared: comparable(text) }] : []
  })
  return { rule: { number, wanted, decision: read }, faults }
}

/** What stands in for a key that is wrong, so that the others are looked at, too. */
const passable = { decision: 'archive', reason: '-', reply: '-', delegate_to: '-' }
const decisionKeys = ['decision', 'reason', 'reply', 'delegate_to'] as const

/** Of each key, the first thing that is wrong with it. */
function decisionOf(
  asked: Record<keyof typeof passable, unknown>,
  at: (message: string, key: string) => void,
): Decision | undefined {
  for (const _ of decisionKeys) {
    try {
      return readDecision(asked, (misfit, key = 'decision') => {
        at(misfit, key)
        asked[key] = passable[key]
        return new AgentMailError('bad_config', misfit)
      })
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
    }
  }
  return undefined
}
