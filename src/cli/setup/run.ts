/** How `agentmail setup` goes: look, show, ask, write, say what is left to do. */
import { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { applySetup, applyUndo, planUndo } from '../../setup/apply.ts'
import { clientNames, type Places, type Wanted } from '../../setup/clients/client.ts'
import { isChange, type PlannedFile, planSetup, type SetupPlan } from '../../setup/plan.ts'
import { checkSetupRecords } from '../../setup/record.ts'
import { oneOf, scopeOf, setupPlaces, toolsetsOf, wantedOf } from '../../setup/request.ts'
import { type Call, flagText } from '../command.ts'
import { print, printDiff, printError, printJson } from '../output.ts'
import { canAsk, isYes } from '../question.ts'
import { line } from '../table.ts'
import { diffOf, permissionOf, refusalWords, setupAnswer, stepsOf } from './words.ts'

/** What was asked for, and what it comes to. */
export interface Setup {
  plan: SetupPlan
  wanted: Wanted
  places: Places
  isUndo: boolean
}

export async function runSetup(call: Call): Promise<number> {
  const config = new Config(call.flags)
  const setup = await planned(call, config)
  const { plan, isUndo } = setup
  const changes = plan.files.filter(isChange)
  const isDry = call.flags['dry-run'] === true
  if (changes.length > 0 && !isDry && !isUndo) checkSetupRecords(config)
  if (!call.json) show(setup, changes, config)
  const isToWrite = changes.length > 0 && !isDry && (await isWanted(call, setup, changes))
  const done = !isToWrite ? [] : isUndo ? applyUndo(config, plan) : applySetup(config, plan)
  if (call.json) printJson(setupAnswer(setup, done))
  else tell(setup, changes, done, isDry)
  const isLeft = changes.length > 0 && !isDry && !isToWrite
  return plan.refused.length > 0 || isLeft ? 1 : 0
}

async function planned({ flags, positionals }: Call, config: Config): Promise<Setup> {
  const clients = positionals.map((name) => oneOf('clients', clientNames, name))
  const scope = scopeOf(flagText(flags.scope))
  const toolsets = toolsetsOf(flagText(flags.with))
  const places = await setupPlaces(config)
  if (scope === 'project' && places.repository === undefined) {
    throw new AgentMailError(
      'not_in_repository',
      '--scope project is for a repository, and this is none',
      'Run this in the repository, or leave --scope out.',
    )
  }
  const server = flagText(flags.server)
  const wanted = await wantedOf(config, places, { scope: scope ?? 'user', server })
  const isUndo = flags.undo === true
  if (isUndo) {
    return { plan: planUndo(config, { clients, scope, wanted }, places), wanted, places, isUndo }
  }
  const hasHooks = flags['no-hooks'] !== true
  const hasParagraph = flags['agents-md'] === true
  const request = { clients, wanted, toolsets, hasHooks, hasParagraph }
  const plan = planSetup(request, places)
  if (plan.clients.length > 0) return { plan, wanted, places, isUndo }
  throw new AgentMailError(
    'not_found',
    'no coding client was found',
    `Install one, as with npm install -g @anthropic-ai/claude-code, or name one: agentmail setup ${clientNames.join('|')}`,
  )
}

function show({ plan, wanted, isUndo }: Setup, changes: PlannedFile[], config: Config): void {
  for (const { client, isFound, hooksElsewhere, hasPlugin } of plan.clients) {
    const found = isFound ? '' : ' (not found on this machine; set up all the same)'
    const other = wanted.scope === 'user' ? 'project' : 'user'
    const hooks = hooksElsewhere
      ? `; hooks are in ${hooksElsewhere} already (agentmail setup --undo --scope ${other} takes them out)`
      : ''
    const plugin = hasPlugin ? '; its plugin brings server and hooks, so that none are written' : ''
    print(`${client.title}${found}: ${permissionOf(plan, client)}${line(hooks)}${plugin}`)
  }
  if (!isUndo && wanted.program !== 'agentmail') {
    print(`agentmail is not on PATH, so it is written as ${line(wanted.program)}`)
  }
  const isColoured = config.environment().NO_COLOR === undefined
  for (const planned of changes) printDiff(`\n${diffOf(planned)}`, isColoured)
  for (const refusal of plan.refused) printError(`\n${refusalWords(refusal)}`)
}

async function isWanted(call: Call, { isUndo }: Setup, changes: PlannedFile[]): Promise<boolean> {
  if (call.flags.yes === true) return true
  if (call.json || !canAsk()) {
    throw new AgentMailError(
      'missing_arguments',
      'nothing was written: without a terminal to ask on, and with --json, give --yes or --dry-run',
      'agentmail setup --dry-run shows what would be written.',
    )
  }
  const files = changes.length === 1 ? 'this file' : `these ${changes.length} files`
  return isYes(`\n${isUndo ? 'Put back' : 'Write'} ${files}? [y/N] `)
}

function tell(setup: Setup, changes: PlannedFile[], done: PlannedFile[], isDry: boolean): void {
  const { plan, isUndo } = setup
  const lines: string[] = []
  if (changes.length === 0 && plan.refused.length === 0) {
    lines.push(
      isUndo ? 'There is nothing to undo.' : 'Everything is set up already: nothing was changed.',
    )
  } else if (changes.length > 0 && done.length === 0) lines.push('Nothing was written.')
  for (const { file, after } of done) {
    const what = after === undefined ? 'Removed' : isUndo ? 'Restored' : 'Wrote'
    lines.push(`${what} ${line(file.path)}`)
  }
  const failed = changes.filter((planned) => !done.includes(planned))
  const late = plan.refused.filter(({ path }) => failed.some(({ file }) => file.path === path))
  for (const [path, entries] of plan.left) {
    lines.push(
      `left: ${line(path)}: ${line(entries.join(', '))}: you wrote it, not agentmail setup`,
    )
  }
  const isNothingDone = changes.length > 0 && done.length === 0 && !isDry
  const steps = isUndo || isNothingDone ? [] : stepsOf(setup)
  if (steps.length > 0) lines.push('', 'What is left for you:', ...steps.map((step) => `- ${step}`))
  if (lines.length > 0) print(lines.join('\n'))
  for (const refusal of late) printError(refusalWords(refusal))
}
