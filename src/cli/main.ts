/** The binary: finds the command, runs it, and turns an error into words and an exit code. */
import { writeSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { type Command, helpOf, print, readArguments } from './command.ts'

/** Each command is a file of its own, loaded only when it is called. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  send: () => import('./commands/send.ts'),
  receive: () => import('./commands/receive.ts'),
  recipients: () => import('./commands/recipients.ts'),
  status: () => import('./commands/status.ts'),
  mailman: () => import('./commands/mailman.ts'),
  cleanup: () => import('./commands/cleanup.ts'),
  doctor: () => import('./commands/doctor.ts'),
  onboard: () => import('./commands/onboard.ts'),
  mcp: () => import('./commands/mcp.ts'),
  config: () => import('./commands/config.ts'),
}

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
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) {
    process.stderr.write(name === '' ? '' : `error: unknown command: ${name}\n\n`)
    process.stderr.write(await overview())
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
    'agentmail <command> --help tells more; agentmail --version tells the version.',
    '',
  ].join('\n')
}

/** An invalid status is answered in the words of the tool alone, every other error after `error: `. */
function report(error: unknown): number {
  if (AgentMailError.is(error)) {
    const prefix = error.code === 'invalid_status' ? '' : 'error: '
    process.stderr.write(`${prefix}${error.text}\n`)
    return error.exitCode
  }
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`error: ${reason}\nThis should not have happened: please report it.\n`)
  return 1
}

/** Waits until everything printed has been taken: a pipe that is full is not a reason to lose mail. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write('', (error) => (error ? reject(error) : resolve()))
  })
}

async function finish(exitCode: number): Promise<never> {
  try {
    await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  } catch (error) {
    unwritable(error)
  }
  process.exit(exitCode)
}

/** Whoever should have read the answer has gone, or the disk it should go to is full. */
function unwritable(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : 'unknown'
  try {
    writeSync(2, `error: the answer could not be written (${code})\n`)
  } catch {} // nobody is left to tell
  process.exit(1)
}

process.stdout.on('error', unwritable)
process.stderr.on('error', unwritable)
main(process.argv.slice(2)).catch(report).then(finish)
