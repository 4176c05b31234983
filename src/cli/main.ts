/** The binary: finds the command, runs it, and turns an error into words, or JSON, and an exit code. */
import { AgentMailError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { type Command, commonExitCodes, exitCodeLines, helpOf, readArguments } from './command.ts'
import { commandGroups, commands, ownCommands } from './commands.ts'
import { print, printError, printFailure, printHelp } from './output.ts'
import { loadSettingsFiles } from './settings-files.ts'

async function main(argv: string[]): Promise<number> {
  const [name, ...args] = argv
  if (name === '--version' || name === '-v') {
    const { version } = await import('../version.ts')
    print(version)
    return 0
  }
  if (name === undefined || name === '') {
    printHelp(await overview(), 2)
    return 1
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    const [about] = args.filter((word) => !word.startsWith('-'))
    printHelp(about && about !== 'help' ? helpOf(about, await commandOf(about)) : await overview())
    return 0
  }
  const command = await commandOf(name)
  const isSilent = command.isSilentOnError?.(args) ?? false
  try {
    return await run(name, command, args, isSilent)
  } catch (error) {
    if (isSilent) return 0
    if (command.answerError) return command.answerError(error)
    throw error
  }
}

async function run(
  name: string,
  command: Command,
  args: string[],
  isSilent: boolean,
): Promise<number> {
  const { help, ...call } = readArguments(name, command, args)
  if (help) {
    printHelp(helpOf(name, command))
    return 0
  }
  const broken = await loadSettingsFiles(isSilent)
  if (broken && !command.toleratesBadSettings) throw broken
  if (broken) printError(`warning: ${broken.text}`)
  return (await command.run(call)) ?? 0
}

async function commandOf(name: string): Promise<Command> {
  const all = { ...commands, ...ownCommands }
  const load = Object.hasOwn(all, name) ? all[name] : undefined
  if (load) return (await load()).command
  throw new AgentMailError(
    'invalid_request',
    `unknown command: ${name}${didYouMean(name, [...Object.keys(commands), 'help'])}`,
    `${usage}\nagentmail help lists the commands, agentmail help <command> tells about one.`,
  )
}

const usage = 'Usage: agentmail <command> [options]'

async function overview(): Promise<string> {
  const groups = await Promise.all(
    Object.entries(commandGroups).map(async ([heading, group]) => {
      const rows = Object.entries(group).map(async ([name, load]) => {
        const { command } = await load()
        return `  ${name.padEnd(12)}${command.summary}`
      })
      return [`${heading}:`, ...(await Promise.all(rows)), '']
    }),
  )
  return [
    'agentmail: the post office for AI agents',
    '',
    usage,
    '',
    ...groups.flat(),
    ...exitCodeLines(commonExitCodes),
    '',
    'agentmail help <command> tells more; agentmail --version tells the version.',
    '',
  ].join('\n')
}

function report(error: unknown): number {
  const known = AgentMailError.is(error) ? error : unexpected(error)
  const args = process.argv.slice(2)
  const end = args.indexOf('--')
  printFailure(known, (end === -1 ? args : args.slice(0, end)).includes('--json'))
  return known.exitCode
}

function unexpected(error: unknown): AgentMailError {
  const reason = error instanceof Error ? error.message : String(error)
  return new AgentMailError('internal', reason, 'This should not have happened: please report it.')
}

main(process.argv.slice(2))
  .catch(report)
  .then(
    (exitCode) => process.exit(exitCode),
    () => process.exit(1), // stderr cannot be written either
  )
