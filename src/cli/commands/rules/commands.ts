/** What the subcommands of `agentmail rules` do and print. */
import { Config } from '../../../config.ts'
import { cleanLine } from '../../../email/visible-text/clean-text.ts'
import { counted } from '../../../orchestrator/events.ts'
import { checkRules, type RulesCheck } from '../../../orchestrator/rules/check-rules.ts'
import { rulesJsonSchema } from '../../../orchestrator/rules/rule-schema.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Call } from '../../command.ts'
import { print, printJson, printTable } from '../../output.ts'
import { atMost, countOf, type Subcommand } from '../../subcommands.ts'
import { cutAt, line } from '../../table.ts'

type Fault = RulesCheck['errors'][number]

export const rulesCommands: Record<string, Subcommand> = {
  check: { run: check, options: ['limit', 'inbox', 'vault', 'account'] },
  schema: { run: schema },
}

const defaultLimit = 50
const widest = { from: 32, subject: 40 }

async function schema({ positionals }: Call): Promise<number> {
  atMost(0, positionals)
  print(rulesJsonSchema())
  return 0
}

async function check({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const config = new Config(flags)
  const checked = await checkRules(config, Vault.named(config), {
    limit: countOf('limit', flags.limit) ?? defaultLimit,
    isInbox: flags.inbox === true,
  })
  if (json) printJson(checked)
  else show(checked)
  return checked.errors.length + checked.unknown_names.length === 0 ? 0 : 1
}

function show({ rules, errors, unknown_names, notes, mails, unused, source }: RulesCheck): void {
  const faults = [...errors, ...unknown_names].sort(inFile)
  for (const { text } of faults) print(shown(text))
  for (const note of notes) print(shown(note))
  if (errors.length > 0) {
    print(
      `\nNo rule decides about any mail until ${errors.length === 1 ? 'this is' : 'these are'} mended.`,
    )
    return
  }
  if (faults.length + notes.length > 0) print('')
  if (mails.length > 0) {
    printTable(
      ['RULE', 'DECISION', 'FROM', 'SUBJECT', 'WHY'],
      mails.map(({ rule, decision, from, subject, why }) => [
        rule === null ? '-' : String(rule),
        decision ?? 'waits for you',
        cutAt(shown(from), widest.from),
        cutAt(shown(subject), widest.subject),
        shown(why),
      ]),
    )
    print('')
  }
  const taken = mails.filter(({ rule }) => rule !== null).length
  const from = source === 'inbox' ? ' of the inbox' : ''
  print(
    `${counted(rules, 'rule')}; ${counted(mails.length, 'mail')}${from}, ${taken} taken by a rule.`,
  )
  for (const { rule, taken_by } of mails.length > 0 ? unused : []) {
    const why =
      taken_by.length > 0 ? `: what fits it is taken by rule ${taken_by.join(', ')} before` : ''
    print(`Rule ${rule} took none${why}.`)
  }
}

const inFile = (one: Fault, other: Fault): number =>
  (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0)

/** What came from outside is in it: on one line, without what nobody sees. */
const shown = (text: string): string => line(cleanLine(text))
