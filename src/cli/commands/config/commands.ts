/** What the subcommands of `agentmail config` do and print. */
import { Config, fileKeyOf, type SettingInForce, type SettingName } from '../../../config.ts'
import { AgentMailError } from '../../../errors.ts'
import { currentFolder } from '../../../system/post-office-folder.ts'
import { setInFile, unsetInFile } from '../../../system/settings-files/change.ts'
import { repositoryFile, userFile } from '../../../system/settings-files/find.ts'
import { keyHint, settingCalled } from '../../../system/settings-files/read.ts'
import type { Call } from '../../command.ts'
import { print, printError, printJson, printTable } from '../../output.ts'
import { pipedText } from '../../piped-text.ts'
import { atMost, type Subcommand } from '../../subcommands.ts'

export const configCommands: Record<string, Subcommand> = {
  show: { run: show },
  get: { run: get },
  set: { run: set, options: ['repository'] },
  unset: { run: unset, options: ['repository'] },
  path: { run: path, options: ['repository'] },
}

async function show({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const config = new Config(flags)
  const inForce = config.inForce()
  if (json) {
    const files = config.files().map(({ source, path, troubles }) => ({ source, path, troubles }))
    printJson({ settings: inForce, files })
    return 0
  }
  const rows = inForce.map((setting) => [
    ...[setting.env, setting.key ?? '-', shown(setting), setting.source, setting.about],
  ])
  printTable(['VARIABLE', 'KEY', 'VALUE', 'FROM', 'WHAT FOR'], rows)
  const files = config.files().map(({ source, path }) => `${source}: ${path}`)
  if (files.length > 0) print(`\n${files.join('\n')}`)
  return 0
}

const shown = ({ value, wrong }: SettingInForce): string =>
  `${value ?? '-'}${wrong ? ` (${wrong})` : ''}`

async function get({ flags, positionals, json }: Call): Promise<number> {
  const [given] = atMost(1, positionals)
  const setting = new Config(flags).setting(settingOf(given, 'get <key>'))
  if (json) printJson(setting)
  else if (setting.value !== null) print(String(setting.value))
  return setting.value === null ? 1 : 0
}

async function set({ flags, positionals, json }: Call): Promise<number> {
  const [given, word] = atMost(2, positionals)
  const name = settingOf(given, 'set <key> <value>')
  const value = word ?? (await pipedText(false))
  if (value === undefined) {
    throw new AgentMailError(
      'missing_arguments',
      `what is ${fileKeyOf(name)} to be?`,
      `Write agentmail config set ${fileKeyOf(name)} <value>, or pipe it in.`,
    )
  }
  const place = placeOf(flags.repository === true)
  await setInFile(place, name, value)
  const { source, env, key } = new Config(flags).setting(name)
  if (json) printJson({ key, file: place.path })
  else print(`${key} is set in ${place.path}`)
  const isHidden = source === 'environment' || (source === 'repository' && !flags.repository)
  if (isHidden) {
    const where = source === 'environment' ? `${env} in the environment` : "the repository's file"
    printError(`note: ${where} wins over it.`)
  }
  return 0
}

async function unset({ flags, positionals, json }: Call): Promise<number> {
  const [given] = atMost(1, positionals)
  const name = settingOf(given, 'unset <key>')
  const place = placeOf(flags.repository === true)
  const wasSet = await unsetInFile(place, name)
  if (json) printJson({ key: fileKeyOf(name), file: place.path, was_set: wasSet })
  else print(`${fileKeyOf(name)} is ${wasSet ? 'no longer' : 'not'} set in ${place.path}`)
  return 0
}

async function path({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const place = placeOf(flags.repository === true)
  if (json) printJson(place)
  else print(place.path)
  return 0
}

function settingOf(given: string | undefined, form: string): SettingName {
  if (given === undefined || given === '') {
    throw new AgentMailError(
      'missing_arguments',
      'which setting?',
      `Write agentmail config ${form}.`,
    )
  }
  const name = settingCalled(given)
  if (name) return name
  throw new AgentMailError(
    'invalid_request',
    `there is no setting ${given}${keyHint(given)}`,
    'agentmail config lists them.',
  )
}

function placeOf(isRepository: boolean): { source: 'repository' | 'user'; path: string } {
  if (!isRepository) return { source: 'user', path: userFile(new Config()) }
  const path = repositoryFile(currentFolder())
  if (path !== undefined) return { source: 'repository', path }
  throw new AgentMailError(
    'not_in_repository',
    'not in a git repository',
    'Go into one, or leave --repository out.',
  )
}
