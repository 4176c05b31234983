/** The one door to tmux. Windows and panes are addressed by id, never by name: a name may look like anything. */
import type { Config } from '../config.ts'
import { AgentMailError, notInTmux } from '../errors.ts'
import { type ProgramResult, runProgram, runProgramAlone } from '../system/run-program.ts'

export interface Pane {
  /** `%5` */
  id: string
  /** Process id of what runs in it. */
  pid: number
  /** Whether it is the one in front in its window. */
  active: boolean
  /** Whether its program has ended and only its last words stand there. */
  dead: boolean
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
  const format = '#{pane_id} #{pane_pid} #{pane_active} #{pane_dead} #{window_name}'
  const result = await tmux('list-panes', '-s', '-t', `${session}:`, '-F', format)
  if (result.outcome !== 'ok') throw unreachable(result)
  return linesOf(result.stdout).flatMap((line) => {
    const [, id, pid, active, dead, window] = /^(%\d+) (\d+) ([01]) ([01]?) (.*)$/.exec(line) ?? []
    if (!id || window === undefined) return []
    return [{ id, pid: Number(pid), active: active === '1', dead: dead === '1', window }]
  })
}

/** The names of all windows of this tmux server, whatever their session; nothing when it cannot be asked. */
export async function allWindowNames(config: Config): Promise<Set<string> | undefined> {
  if (!ownPane(config)) return undefined
  const { outcome, stdout } = await tmux('list-windows', '-a', '-F', '#{window_name}')
  return outcome === 'ok' ? new Set(linesOf(stdout)) : undefined
}

/** A pane that nobody can be disturbed in: somebody scrolls there, or its program has ended. */
const unavailable = '#{||:#{pane_in_mode},#{pane_dead}}'

/** Types into a pane as a keyboard would; false when the pane is not available. Checked and done in one step. */
export function typeInto(pane: string, text: string): Promise<boolean> {
  return sendKeys(pane, `send-keys -t ${pane} -l ${JSON.stringify(text)}`)
}

export function pressEnter(pane: string): Promise<boolean> {
  return sendKeys(pane, `send-keys -t ${pane} Enter`)
}

async function sendKeys(pane: string, keys: string): Promise<boolean> {
  const refuse = 'display-message -p refused'
  const { outcome, stdout } = await tmux('if-shell', '-F', '-t', pane, unavailable, refuse, keys)
  return outcome === 'ok' && stdout === ''
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
