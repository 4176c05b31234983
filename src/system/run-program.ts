/** Runs git, tmux, the browser, MCP servers and AgentMail itself: no shell, arguments as they are, and nothing that is waited for without end. */
import type { ChildProcessWithoutNullStreams, StdioOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../errors.ts'

/** Loaded when it is needed: it takes 4 ms, and many commands start nothing. */
const processes = () => process.getBuiltinModule('node:child_process')

const limits = { timeout: 5000, maxBuffer: 16 << 20, killSignal: 'SIGKILL' } as const

export interface ProgramResult {
  /** `missing`: not on PATH. `timeout`: killed because it did not answer. */
  outcome: 'ok' | 'failed' | 'missing' | 'timeout'
  stdout: string
  stderr: string
}

export function runProgram(
  program: 'git' | 'tmux',
  args: string[],
  options: { cwd?: string } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    processes().execFile(program, args, { ...limits, ...options }, (error, stdout, stderr) => {
      const outcome = !error
        ? 'ok'
        : error.killed
          ? 'timeout'
          : error.code === 'ENOENT'
            ? 'missing'
            : 'failed'
      resolve({ outcome, stdout, stderr })
    })
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

/** Starts a command of AgentMail that goes on when this process has ended. Not from sources: the binary is what was built. */
export function startInBackground(
  command: string,
  env: Record<string, string>,
  output: number,
): void {
  const binary = join(import.meta.dirname, 'agentmail.cjs')
  if (!existsSync(binary)) return
  const child = processes().spawn(process.execPath, [binary, command], {
    env,
    detached: true,
    stdio: ['ignore', output, output],
  })
  child.on('error', () => {}) // the next one that has something for it starts another
  child.unref()
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
