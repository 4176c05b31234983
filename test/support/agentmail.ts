/** Runs the built binary, as a user would. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const root = join(import.meta.dirname, '../..')
export const binary = join(root, 'dist/agentmail.cjs')
export const worker = (name: string): string =>
  join(root, 'node_modules/.cache/agentmail/workers', `${name}.mjs`)

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

/** Outside tmux and nameless, whatever the tests themselves run in. */
export const plainEnv = (env: Env = {}): Env => ({
  ...process.env,
  TMUX: undefined,
  TMUX_PANE: undefined,
  AGENTMAIL_AGENT: undefined,
  AGENTMAIL_DIR: undefined,
  AGENTMAIL_DB: undefined,
  AGENTMAIL_SERVER: undefined,
  AGENTMAIL_TOKEN: undefined,
  ...env,
})

export function start(args: string[], options: RunOptions = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [binary, ...args], {
    cwd: options.cwd,
    env: plainEnv(options.env),
  })
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

/** An empty folder that goes with the test. */
export function temporaryFolder(
  atEnd: (end: () => void) => void = onTestFinished,
  parent = tmpdir(),
): string {
  const folder = mkdtempSync(join(parent, 'agentmail-test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Waits until `check` gives something, and fails with `what` if it never does. */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await check()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`This did not happen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
