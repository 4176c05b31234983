/** A private tmux server with real windows, and a repository that they work in. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { agentmail, type Env, type Ran, type RunOptions } from '../agentmail.ts'
import type { AtEnd } from '../at-end.ts'
import { eventually } from '../eventually.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export interface Session {
  repository: string
  /** The environment of a process that runs in the window at this place. */
  env(window: number): Env
  /** Runs the binary as if it were typed in that window. */
  run(window: number, args: string[], options?: RunOptions): Promise<Ran>
  pane(window: number): string
  /** Opens one more window, without a shell, and gives its place. */
  open(name: string, ...command: string[]): number
  /** The same for whatever tmux command opens a pane, which runs `cat`. */
  openBy(...command: string[]): number
  /** What a window shows. */
  screen(window: number): string
  /** Whether the bell of a window has rung since it was last looked at. */
  hasRung(window: number): boolean
  tmux(...args: string[]): string
}

export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' })
}

export function repository(atEnd: AtEnd = onTestFinished): string {
  const folder = temporaryFolder(atEnd)
  git(folder, 'init', '--quiet')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'start')
  return folder
}

/** One window a name, each running `program`. */
export function openSession(
  names: string[],
  program = 'cat',
  atEnd: AtEnd = onTestFinished,
): Session {
  const socket = `agentmail-test-${randomBytes(6).toString('hex')}`
  const folder = repository(atEnd)
  const sockets = temporaryFolder(atEnd)
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-L', socket, '-f', '/dev/null', ...args], {
      cwd: folder,
      env: { ...process.env, TMUX_TMPDIR: sockets },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  atEnd(() => {
    try {
      tmux('kill-server')
    } catch {} // a test may have done it
  })
  const [first = 'one', ...others] = names
  tmux('new-session', '-d', '-x', '100', '-y', '30', '-s', 'test', '-n', first, program)
  tmux('set-option', '-g', 'automatic-rename', 'off')
  for (const name of others) tmux('new-window', '-d', '-a', '-t', 'test:$', '-n', name, program)
  const panes = tmux('list-windows', '-t', 'test', '-F', '#{pane_id}').trim().split('\n')
  const pane = (window: number) => panes[window] ?? ''
  const TMUX = tmux('display-message', '-p', '#{socket_path},#{pid},0').trim()
  const env = (window: number) => ({ TMUX, TMUX_PANE: pane(window) })
  return {
    repository: folder,
    env,
    pane,
    open(name, ...command) {
      const args = ['-d', '-a', '-t', 'test:$', '-n', name, '-P', '-F', '#{pane_id}', ...command]
      return panes.push(tmux('new-window', ...args).trim()) - 1
    },
    openBy(...command) {
      return panes.push(tmux(...command, '-d', '-P', '-F', '#{pane_id}', 'cat').trim()) - 1
    },
    screen: (window) => tmux('capture-pane', '-p', '-t', pane(window)),
    hasRung: (window) =>
      tmux('display-message', '-p', '-t', pane(window), '#{window_bell_flag}').trim() === '1',
    tmux,
    run: (window, args, options = {}) =>
      agentmail(args, { cwd: folder, ...options, env: { ...env(window), ...options.env } }),
  }
}

/** Has somebody look at the session, on a terminal of its size, and gives what they see. */
export async function attach(session: Session): Promise<() => string> {
  const [socket = ''] = session.env(0).TMUX?.split(',') ?? []
  const command = ['env', '-u', 'TMUX', 'tmux', '-u', '-S', socket, 'attach', '-t', 'test']
  session.tmux('new-session', '-d', '-s', 'viewer', '-x', '100', '-y', '31', ...command)
  await eventually('somebody looks', () => session.tmux('list-clients', '-t', 'test') !== '')
  return () => session.tmux('capture-pane', '-p', '-t', 'viewer:')
}

/** Sends, and gives the id of the message. */
export async function sendOk(
  session: Session,
  from: number,
  to: string,
  text: string,
  { mayWarn = /^warning: \S+ is offline\n$/ } = {},
): Promise<string> {
  const { stdout, stderr, exitCode } = await session.run(from, ['send', '-r', to, '-m', text])
  const said = stderr.replace(mayWarn, '')
  expect({ stderr: said, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const [, id = ''] = /^Message #([0-9A-Za-z]{8}) sent\n$/.exec(stdout) ?? []
  expect(id).toHaveLength(8)
  return id
}
