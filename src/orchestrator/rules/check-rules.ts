/** Tries the rules of a vault on the mails that came last: which takes each and why, and what is wrong with them. Nothing is changed. */
import { type MailTaker, nobodyCalled, takerName } from '../../addresses/mail-takers.ts'
import type { Config } from '../../config.ts'
import { mailTakersHere } from '../../connection/registered.ts'
import { AgentMailError } from '../../errors.ts'
import { placesIn } from '../../vault/front-matter/places.ts'
import type { Position } from '../../vault/front-matter/unreadable.ts'
import { readParts } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { inOneLine } from '../events.ts'
import { type Fitting, fittingOf, type TriedWords, whyOf } from './fitting.ts'
import { inVain } from './in-vain.ts'
import { rulesName } from './init-mail-vault.ts'
import { type MailRule, type NamedDelegate, readRules } from './read-rules.ts'
import { mailsInVault, type RecentMail } from './recent-mails.ts'
import { faultText, unreadableText } from './rule-places.ts'

interface CheckOptions {
  limit: number
  /** From the mail service, also where mails were taken in. */
  isInbox: boolean
}

interface Fault extends Partial<Position> {
  /** Nothing where it is about the whole note. */
  rule: number | null
  /** With where it stands in front. */
  text: string
}

interface TriedMail {
  note: string | null
  message_id: string
  date: string
  from: string
  subject: string
  /** The number of the rule that takes it, and what that decides; null where none does. */
  rule: number | null
  decision: string | null
  why: string
  /** The rule that takes it, or else the nearest. */
  looked_at: { rule: number; wanted: TriedWords[] } | null
}

export interface RulesCheck {
  rules: number
  errors: Fault[]
  /** Of agents that nobody has. */
  unknown_names: Fault[]
  /** What else is worth knowing. */
  notes: string[]
  /** Where the mails are from. */
  source: 'vault' | 'inbox'
  mails: TriedMail[]
  /** Rules that took none, and the earlier ones that took what they would have. */
  unused: { rule: number; taken_by: number[] }[]
}

export async function checkRules(
  config: Config,
  vault: Vault,
  options: CheckOptions,
): Promise<RulesCheck> {
  const { rules, delegates, placeOf, errors, notes } = await rulesOf(vault)
  if (config.text('llm') !== undefined) {
    notes.push('AGENTMAIL_LLM is set: that model decides about mail, and no rule is asked.')
  }
  const unknown_names = await unknownNames(config, delegates, placeOf, notes)
  if (errors.length > 0) {
    const none = { source: 'vault' as const, mails: [], unused: [] }
    return { rules: rules.length, errors, unknown_names, notes, ...none }
  }
  const { source, found } = await mailsFor(config, vault, options)
  const tried = found.map((mail) => ({ mail, fitting: fittingOf(rules, mail.mail) }))
  return {
    ...{ rules: rules.length, errors, unknown_names, notes, source },
    mails: tried.map(({ mail, fitting }) => triedMail(mail, fitting)),
    unused: unusedOf(
      rules,
      tried.map(({ fitting }) => fitting),
    ),
  }
}

type PlaceOf = ReturnType<typeof placesIn>

interface FoundRules {
  rules: MailRule[]
  delegates: NamedDelegate[]
  placeOf: PlaceOf
  errors: Fault[]
  notes: string[]
}

async function rulesOf(vault: Vault): Promise<FoundRules> {
  try {
    const { note, parts } = await readParts(vault, rulesName)
    const placeOf = placesIn(parts)
    const { rules, delegates, faults } = readRules(note.frontmatter)
    const errors = faults.map((fault) => ({
      ...{ rule: fault.rule ?? null, ...placeOf(fault), text: faultText(fault, placeOf) },
    }))
    const notes = inVain(note.frontmatter, placeOf)
    return { rules, delegates, placeOf, errors: errors.sort(byPosition), notes }
  } catch (error) {
    if (AgentMailError.is(error, 'not_found')) throw noRules()
    if (!AgentMailError.is(error, 'parse_error')) throw error
    const { line, column } = error.details ?? {}
    const at = typeof line === 'number' && typeof column === 'number' ? { line, column } : {}
    const placeOf = () => ({ line: 1, column: 1 })
    const errors = [{ rule: null, ...at, text: unreadableText(error) }]
    return { rules: [], delegates: [], placeOf, errors, notes: [] }
  }
}

const byPosition = (one: Position, other: Position): number =>
  one.line - other.line || one.column - other.column

const noRules = () =>
  new AgentMailError(
    'not_found',
    `there is no ${rulesName} in the vault`,
    'agentmail vault init <path of the vault> makes one, and leaves all else as it is.',
  )

/** Whether a name is there that nobody could look up is not known, and told. */
async function unknownNames(
  config: Config,
  asked: readonly NamedDelegate[],
  placeOf: PlaceOf,
  notes: string[],
): Promise<Fault[]> {
  if (asked.length === 0) return []
  let takers: MailTaker[]
  try {
    takers = await mailTakersHere(config)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    notes.push(`Whether the names in delegate_to are known is not: ${inOneLine(error)}`)
    return []
  }
  return asked.flatMap(({ rule, name }) => {
    if (takers.some((taker) => name !== undefined && taker.name === takerName(name))) return []
    const message = name === undefined ? 'delegate_to names nobody' : nobodyCalled(name, takers)
    const key = name === undefined ? 'decision' : 'delegate_to'
    const fault = { rule, path: ['rules', rule - 1, key], message }
    return [{ rule, ...placeOf(fault), text: faultText(fault, placeOf) }]
  })
}

async function mailsFor(
  config: Config,
  vault: Vault,
  { limit, isInbox }: CheckOptions,
): Promise<{ source: RulesCheck['source']; found: RecentMail[] }> {
  const taken = isInbox ? [] : await mailsInVault(vault, limit)
  if (taken.length > 0) return { source: 'vault', found: taken }
  const { mailsInInbox } = await import('./inbox-mails.ts')
  return { source: 'inbox', found: await mailsInInbox(config, limit) }
}

function triedMail({ note, message_id, mail }: RecentMail, fitting: Fitting): TriedMail {
  const { rule, looked } = fitting
  const { date, from, subject } = mail
  return {
    ...{ note, message_id, date, from, subject },
    rule: rule?.number ?? null,
    decision: rule?.decision.decision ?? null,
    why: whyOf(fitting),
    looked_at: looked ? { rule: looked.rule.number, wanted: looked.seen } : null,
  }
}

function unusedOf(rules: readonly MailRule[], tried: readonly Fitting[]): RulesCheck['unused'] {
  const used = new Set(tried.map(({ rule }) => rule))
  return rules
    .filter((rule) => !used.has(rule))
    .map((rule) => {
      const lost = tried.filter(({ passed }) => passed.includes(rule))
      const taken_by = [...new Set(lost.map(({ rule }) => rule?.number ?? 0))]
      return { rule: rule.number, taken_by: taken_by.sort((one, other) => one - other) }
    })
}
