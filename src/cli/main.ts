/** The binary: finds the command, runs it, and turns an error into words and an exit code. */
import { AgentMailError } from '../errors.ts'
import { commonExitCodes, exitCodeLines, helpOf, readArguments } from './command.ts'
import { commands, ownCommands } from './commands.ts'
import { print, printError } from './output.ts'

async function main(argv: string[]): Promise<number> {
  const [name = '', ...args] = argv
  if (name === '--version' || name === '-v') {
    const { version } = await import('../version.ts')
    print(version)
    return 0
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    print(await overview())
    return 0
  }
  const all = { ...commands, ...ownCommands }
  const load = Object.hasOwn(all, name) ? all[name] : undefined
  if (!load) {
    const complaint = name === '' ? '' : `error: unknown command: ${name}\n\n`
    printError(complaint + (await overview()))
    return 1
  }
  const { command } = await load()
  try {
    const { help, ...call } = readArguments(command, args)
    if (!help) return (await command.run(call)) ?? 0
    print(helpOf(name, command))
    return 0
  } catch (error) {
    if (command.isSilentOnError?.(args)) return 0
    throw error
  }
}

async function overview(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => {
      const { command } = await load()
      return `  ${name.padEnd(12)}${command.summary}`
    }),
  )
  return [
    'agentmail: the post office for AI agents',
    '',
    'Usage: agentmail <command> [options]',
    '',
    'Commands:',
    ...rows,
    '',
    ...exitCodeLines(commonExitCodes),
    '',
    'agentmail <command> --help tells more; agentmail --version tells the version.',
    '',
  ].join('\n')
}

/** An invalid status is answered in the words of the tool alone, every other error after `error: `. */
function report(error: unknown): number {
  if (AgentMailError.is(error)) {
    printError(error.code === 'invalid_status' ? error.text : `error: ${error.text}`)
    return error.exitCode
  }
  const reason = error instanceof Error ? error.message : String(error)
  printError(`error: ${reason}\nThis should not have happened: please report it.`)
  return 1
}

main(process.argv.slice(2))
  .catch(report)
  .then(
    (exitCode) => process.exit(exitCode),
    () => process.exit(1), // stderr cannot be written either
  )
