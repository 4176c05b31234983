/** What stands in Rules.md in vain: nothing is wrong with it, but it may be a slip. */
import { nearest } from '../../nearest.ts'
import { isRecord } from '../../system/text.ts'
import { decisionNames } from '../triage/decision.ts'
import { faultText, type PlaceOf } from './rule-places.ts'
import { needReply } from './rule-schema.ts'

export const inVain = (frontmatter: Record<string, unknown>, placeOf: PlaceOf): string[] => [
  ...besideRules(frontmatter),
  ...idleKeys(frontmatter.rules, placeOf),
]

/** A person's own keys may stand there; one that is nearly ours may be a slip. */
const besideRules = (frontmatter: Record<string, unknown>): string[] =>
  Object.keys(frontmatter)
    .filter(
      (key) => 'rules' in frontmatter && key !== 'rules' && nearest(key, ['rules']).length > 0,
    )
    .map((key) => `Only "rules" is read: what stands under ${JSON.stringify(key)} decides nothing.`)

const usedBy = { reply: needReply, delegate_to: ['delegate'] }

/** Texts that the decision of their rule has no use for. */
function idleKeys(rules: unknown, placeOf: PlaceOf): string[] {
  const list: unknown[] = Array.isArray(rules) ? rules : []
  return list.flatMap((fields, index) => {
    if (!isRecord(fields)) return []
    const decision = decisionNames.find((name) => name === fields.decision)
    if (decision === undefined) return []
    return Object.entries(usedBy)
      .filter(([key, users]) => isText(fields[key]) && !users.includes(decision))
      .map(([key, users]) => {
        const message = `${key} does nothing with ${decision}: it is for ${users.join(' and ')}`
        const path = ['rules', index, key]
        return faultText({ rule: index + 1, path, isKey: true, message }, placeOf)
      })
  })
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
