/** Runs the built binary, as a user would. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const binary = join(root, 'dist/agentmail.cjs')
/** Where the tests' own programs are. */
export const built = join(root, 'node_modules/.cache/agentmail')
export const worker = (name: string): string => join(built, 'workers', `${name}.mjs`)

export type Env = Record<string, string | undefined>

export interface Ran {
  stdout: string
  stderr: string
  exitCode: number | null
  signal: NodeJS.Signals | null
}

export interface RunOptions {
  cwd?: string
  env?: Env
  /** What is piped in; standard input is closed without it. */
  input?: string | Buffer
}

/** Outside tmux and nameless, as the tests themselves are. */
export const plainEnv = (env: Env = {}): Env => ({ ...process.env, ...env })

export function start(args: string[], options: RunOptions = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [binary, ...args], {
    cwd: options.cwd,
    env: plainEnv(options.env),
  })
}

/** Starts one of the programs in workers/. */
export function startWorker(
  name: string,
  args: (string | number)[],
  env: Env = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [worker(name), ...args.map(String)], { env: plainEnv(env) })
}

export function agentmail(args: string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(args, options)
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return ended(child)
}

export function ended(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (exitCode, signal) => resolve({ stdout, stderr, exitCode, signal }))
  })
}
