/** The one door to tmux. Windows and panes are addressed by id, never by name: a name may look like anything. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Config } from '../config.ts'
import { AgentMailError, notInTmux } from '../errors.ts'
import { type ProgramResult, runProgram, runProgramAlone } from '../system/run-program.ts'
import type { Screen } from './screen.ts'

export interface Pane {
  /** `%5` */
  id: string
  /** Process id of what runs in it. */
  pid: number
  /** Its terminal, `/dev/pts/3`. */
  tty: string
  /** Whether its program has ended and only its last words stand there. */
  dead: boolean
  /** `@2` */
  windowId: string
  /** The name of its window. */
  window: string
}

export interface TmuxView {
  /** `$1`: the session that the pane belongs to. */
  session: string
  /** Process id of what runs in the pane. */
  pid: number
  /** The name of the pane's window. */
  name: string
  /** The names of the session's windows, in their order. */
  windows: string[]
}

/** The pane this process runs in, if it runs in tmux. */
export function ownPane(config: Config): string | undefined {
  const pane = config.text('tmuxPane')
  return config.text('tmux') && pane && /^%\d+$/.test(pane) ? pane : undefined
}

/** Process id of the tmux server, as `$TMUX` (socket, process id, session) has it. */
export function serverPid(config: Config): number[] {
  const pid = Number(config.text('tmux')?.split(',').at(-2))
  return Number.isSafeInteger(pid) && pid > 0 ? [pid] : []
}

/** `-u`: without it tmux replaces every letter beyond ASCII where the locale is not UTF-8. */
const tmux = (...args: string[]): Promise<ProgramResult> => runProgram('tmux', ['-u', ...args])

export interface Asking {
  /** Whether this process does other things while tmux is at work. */
  isStaying?: boolean
}

/** What the world looks like from a pane; throws `tmux_lost` when the pane or its server is gone. */
export async function viewFrom(pane: string, { isStaying }: Asking = {}): Promise<TmuxView> {
  const format = '#{session_id} #{pane_pid} #{window_name}'
  const args = [
    ...['-u', 'display-message', '-p', '-t', pane, format, ';'],
    ...['list-windows', '-t', pane, '-F', '#{window_name}'],
  ]
  const result = isStaying ? await runProgram('tmux', args) : runProgramAlone('tmux', args)
  if (result.outcome !== 'ok') throw unreachable(result)
  const [own = '', ...windows] = linesOf(result.stdout)
  const [, session, pid, name] = /^(\$\d+) (\d+) (.*)$/.exec(own) ?? []
  if (!session || name === undefined) throw unreachable(result)
  return { session, pid: Number(pid), name, windows }
}

/** The panes of a session, window by window; throws `tmux_lost` when it is gone. */
export async function sessionPanes(session: string): Promise<Pane[]> {
  const format = '#{pane_id} #{pane_pid} #{window_id} #{pane_dead} #{pane_tty} #{window_name}'
  const result = await tmux('list-panes', '-s', '-t', `${session}:`, '-F', format)
  if (result.outcome !== 'ok') throw unreachable(result)
  const panes = linesOf(result.stdout).flatMap((line) => {
    const [, id, pid, windowId, dead, tty = '', window] =
      /^(%\d+) (\d+) (@\d+) ([01]?) (\S*) (.*)$/.exec(line) ?? []
    if (!id || !windowId || window === undefined) return []
    return [{ id, pid: Number(pid), tty, dead: dead === '1', windowId, window }]
  })
  return [...new Map(panes.map((pane) => [pane.id, pane])).values()] // a window can be in a session twice
}

/** The names of all windows of this tmux server, whatever their session; nothing when it cannot be asked. */
export async function allWindowNames(config: Config): Promise<Set<string> | undefined> {
  if (!ownPane(config)) return undefined
  const { outcome, stdout } = await tmux('list-windows', '-a', '-F', '#{window_name}')
  return outcome === 'ok' ? new Set(linesOf(stdout)) : undefined
}

/** What a pane shows; nothing when it is gone. */
export async function screenOf(pane: string): Promise<Screen | undefined> {
  const numbers = '#{cursor_x} #{cursor_y} #{pane_width} #{pane_height}'
  const flags = `0#{cursor_flag} 0#{pane_in_mode} 0#{pane_dead} ${wired}`
  const { outcome, stdout } = await tmux(
    ...['display-message', '-p', '-t', pane, `${numbers} ${flags} #{pane_current_command}`, ';'],
    ...['capture-pane', '-p', '-t', pane],
  )
  if (outcome !== 'ok') return undefined
  const [first = '', ...rows] = linesOf(stdout)
  const [, ...found] = /^(\d+) (\d+) (\d+) (\d+) 0(\d*) 0(\d*) 0(\d*) (\d) (.*)$/.exec(first) ?? []
  const [x, y, width, height, isCursorShown, isInMode, isDead, isWired, command] = found
  if (command === undefined) return undefined
  return {
    rows,
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
    command,
    isCursorShown: isCursorShown === '1',
    isInMode: Number(isInMode) > 0,
    isDead: isDead === '1',
    isWired: isWired === '1',
  }
}

/** Unix time in seconds of the last key that somebody pressed who looks at this pane; 0 if nobody does. */
export async function lastKeyAt(pane: string): Promise<number> {
  const { outcome, stdout } = await tmux('list-clients', '-F', '#{pane_id} #{client_activity}')
  if (outcome !== 'ok') return 0
  const seen = linesOf(stdout).map((line) => line.split(' '))
  return Math.max(0, ...seen.filter(([id]) => id === pane).map(([, at]) => Number(at)))
}

/** Keys for a pane may be copied to others, or thrown away. */
const wired = '#{||:#{pane_synchronized},#{pane_input_off}}'

/** Types into a pane as a keyboard would, if it is still as it was seen; checked and done in one step. */
export function typeInto(pane: string, text: string, seen: Screen): Promise<boolean> {
  return sendKeys(pane, `send-keys -t ${pane} -l ${JSON.stringify(text)}`, seen)
}

export function pressEnter(pane: string, seen: Screen): Promise<boolean> {
  return sendKeys(pane, `send-keys -t ${pane} Enter`, seen)
}

async function sendKeys(pane: string, keys: string, { x, y }: Screen): Promise<boolean> {
  const hasMoved = `#{!=:#{cursor_x} #{cursor_y},${x} ${y}}`
  const unavailable = `#{||:#{||:#{pane_in_mode},#{pane_dead}},#{||:${wired},${hasMoved}}}`
  const refuse = 'display-message -p refused'
  const { outcome, stdout } = await tmux('if-shell', '-F', '-t', pane, unavailable, refuse, keys)
  return outcome === 'ok' && stdout === ''
}

/** How long a line is shown; the panes stand still meanwhile. */
export const lineMs = 3_000

/** Shows a line to everybody who looks at the session. */
export async function showLine(session: string, text: string): Promise<void> {
  const { stdout } = await tmux('list-clients', '-t', session, '-F', '#{client_name}')
  // A format may start programs and tell the time: what is doubled stands for itself.
  const plain = text.replace(/\p{C}/gu, '?').replace(/[#%]/g, '$&$&')
  for (const client of linesOf(stdout).filter((name) => name !== '')) {
    const line = ['display-message', '-c', client]
    const { outcome } = await tmux(...line, '-d', String(lineMs), plain)
    if (outcome === 'failed') await tmux(...line, plain) // tmux before 3.2
  }
}

/**
 * Rings the bell of a pane's window. To tmux it comes from the program in the pane: it moves nothing
 * there, and is no input.
 */
export function ringBell({ tty, dead }: Pane): void {
  if (dead || !/^\/dev\/(pts\/|tty)\w+$/.test(tty)) return
  const { O_WRONLY, O_NOCTTY, O_NONBLOCK, O_NOFOLLOW } = constants
  try {
    const fd = openSync(tty, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
    try {
      if (isatty(fd)) writeSync(fd, '\x07')
    } finally {
      closeSync(fd)
    }
  } catch {} // it has just ended, or its output is held
}

const linesOf = (stdout: string): string[] => stdout.replace(/\n$/, '').split('\n')

function unreachable({ outcome }: ProgramResult): AgentMailError {
  if (outcome === 'timeout') {
    return new AgentMailError('busy', 'tmux did not answer in time', 'Try again.')
  }
  return notInTmux(
    outcome === 'missing'
      ? 'TMUX is set, but tmux is not on the PATH.'
      : 'The tmux pane that TMUX and TMUX_PANE name is gone. Start again inside tmux, or unset TMUX and set AGENTMAIL_AGENT=<name>.',
    'tmux_lost',
  )
}
