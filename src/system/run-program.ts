/** Runs git, tmux, codex, the browser, MCP servers and AgentMail itself, and ends what runs: no shell, arguments as they are, and nothing that is waited for without end. */
import type {
  ChildProcessWithoutNullStreams,
  ExecFileOptions,
  StdioOptions,
} from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'
import { untilAnswered } from './retry.ts'

/** Loaded when it is needed: it takes 4 ms, and many commands start nothing. */
const processes = () => process.getBuiltinModule('node:child_process')

const limits = { timeout: 5000, maxBuffer: 16 << 20, killSignal: 'SIGKILL' } as const

export interface ProgramResult {
  /** `missing`: not on PATH. `timeout`: killed because it did not answer. */
  outcome: 'ok' | 'failed' | 'missing' | 'timeout'
  stdout: string
  stderr: string
}

/** @param options.timeout in milliseconds, where it may take longer than usual. */
export const runProgram = (
  program: 'git' | 'tmux' | 'codex',
  args: string[],
  options: { cwd?: string; timeout?: number } = {},
): Promise<ProgramResult> => run(program, args, options)

/** A command of AgentMail, to its end. `missing`: the folder is not there. */
export const runOwnCommand = (
  args: string[],
  options: { cwd: string; env: Record<string, string>; timeout: number },
): Promise<ProgramResult> => run(process.execPath, [ownBinary(), ...args], options)

function run(program: string, args: string[], options: ExecFileOptions): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const given = { ...limits, ...options, encoding: 'utf8' } as const
    const child = processes().execFile(program, args, given, (error, stdout, stderr) => {
      const outcome = !error
        ? 'ok'
        : error.killed
          ? 'timeout'
          : error.code === 'ENOENT'
            ? 'missing'
            : 'failed'
      resolve({ outcome, stdout, stderr })
    })
    child.stdin?.end() // whoever reads it is not kept waiting
  })
}

/** The same for whoever has nothing else to do meanwhile: to listen to pipes beside other work costs more than tmux takes to answer. */
export function runProgramAlone(program: 'git' | 'tmux', args: string[]): ProgramResult {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  const options = { ...limits, stdio, encoding: 'utf8' } as const
  const { error, status, stdout, stderr } = processes().spawnSync(program, args, options)
  const outcome = hasCode(error, 'ENOENT')
    ? 'missing'
    : hasCode(error, 'ETIMEDOUT')
      ? 'timeout'
      : error || status !== 0
        ? 'failed'
        : 'ok'
  return { outcome, stdout: stdout ?? '', stderr: stderr ?? '' }
}

/** Opens a page, where that can be done. The browser may be started by this, and stays. */
export function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = processes().spawn(program, [url], { detached: true, stdio: 'ignore' })
  child.on('error', () => {}) // the user has the address, too
  child.unref()
}

/** The binary that was built; there is none where this runs from sources. */
const ownBinary = (): string => join(import.meta.dirname, 'agentmail.cjs')

/** Node and the binary, as a command that goes on working wherever it is called from. */
export const ownCommand = (): { node: string; binary: string } => ({
  node: process.execPath,
  binary: ownBinary(),
})

/** Starts a command of AgentMail that goes on when this process has ended. Not from sources: the binary is what was built. */
export function startInBackground(
  command: string,
  env: Record<string, string>,
  output: number,
): void {
  if (!existsSync(ownBinary())) return
  const child = processes().spawn(process.execPath, [ownBinary(), command], {
    env,
    detached: true,
    stdio: ['ignore', output, output],
  })
  child.on('error', () => {}) // the next one that has something for it starts another
  child.unref()
}

export interface StayingCommand {
  args: string[]
  env?: Record<string, string>
  /** Where its words go. */
  output: number
  /** How long it may take to begin. */
  limit: number
}

/** Whether a command has begun; else its exit code, or that it took too long and was ended. */
export type Beginning = { pid: number } | { exitCode: number } | 'late'

/** The same for one that is waited for until it says that it has begun: see `tellStarter`. */
export async function startToStay({
  args,
  env,
  output,
  limit,
}: StayingCommand): Promise<Beginning> {
  const child = processes().spawn(process.execPath, [ownBinary(), ...args], {
    ...(env && { env }),
    detached: true, // in a session of its own: it outlives the terminal
    stdio: ['ignore', output, output, 'ipc'],
  })
  const begun = await new Promise<Beginning>((resolve) => {
    const timer = setTimeout(() => resolve('late'), limit)
    const answer = (beginning: Beginning) => {
      clearTimeout(timer)
      resolve(beginning)
    }
    child.on('message', () => answer({ pid: child.pid ?? 0 }))
    child.on('exit', (code) => answer({ exitCode: code ?? 1 }))
    child.on('error', () => answer({ exitCode: 1 }))
  })
  if (begun === 'late') child.kill('SIGKILL')
  if (child.connected) child.disconnect()
  child.unref()
  return begun
}

/** Says that this command has begun, where one waits for it. */
export const tellStarter = (): void => {
  process.send?.({ started: process.pid })
}

export interface ServerProgram {
  command: string[]
  /** All of its environment. */
  env: Record<string, string>
  cwd?: string
}

/** Starts a server on pipes, in a process group of its own: Ctrl-C is ours to act on, and whoever ends it can end all it started. */
export function startServer({ command, env, cwd }: ServerProgram): ChildProcessWithoutNullStreams {
  const [program = '', ...args] = command
  return processes().spawn(program, args, { env, cwd, detached: true, stdio: 'pipe' })
}

/** Whether a process lives, be it another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
  return !isZombie(pid)
}

/** Dead, but not yet taken note of by its parent: signals still reach it. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const endMs = 15_000
const lookMs = 50

export interface Ending {
  pid: number
  /** What it is, for the words where it may not be ended. @example 'the mailman' */
  what: string
  /** The number alone may be another process' by now. */
  isThere(): boolean | Promise<boolean>
}

/** Asks a process to end, and ends it where it does not in 15 s; whether it has ended. */
export async function endProcess({ pid, what, isThere }: Ending): Promise<boolean> {
  const patience = { patienceMs: endMs, firstMs: lookMs, longestMs: lookMs }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isThere())) return true
    tell(pid, signal, what)
    if (await untilAnswered(patience, async () => !(await isThere()) || undefined)) return true
  }
  return false
}

function tell(pid: number, signal: NodeJS.Signals, what: string): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    if (hasCode(cause, 'ESRCH')) return
    throw new AgentMailError(
      'permission_denied',
      `${what} with PID ${pid} may not be stopped by you`,
      'Whoever started it can stop it.',
      { cause },
    )
  }
}
