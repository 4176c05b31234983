/** The one door to tmux. Windows and panes are addressed by id, never by name: a name may look like anything. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Config } from '../config.ts'
import { AgentMailError, notInTmux } from '../errors.ts'
import { type ProgramResult, runProgram, runProgramAlone } from '../system/run-program.ts'
import type { Screen } from './mailman/screen.ts'

export interface Pane {
  /** `%5` */
  id: string
  /** Process id of the tmux server: the next one counts its panes anew. */
  server: number
  /** `$1` */
  session: string
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
  /** The name that `agentmail name` gave it. */
  given?: string
  /** Where its program stands; empty where that is not known. */
  folder: string
}

export interface TmuxView {
  /** The pane that is looked from. */
  pane: Pane
  /** Every pane of this tmux server: first those of the pane's session, in the order of its windows. */
  panes: Pane[]
  /** Whether tmux gives the pane's window another name when another program runs in it. */
  isRenamedByTmux: boolean
  /** Whether that was said in this pane. */
  isTold: boolean
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
  const format = '#{session_id} 0#{automatic-rename} #{?@agentmail_told,1,0}'
  const args = ['-u', 'display-message', '-p', '-t', pane, format, ...listPanes]
  const result = isStaying ? await runProgram('tmux', args) : runProgramAlone('tmux', args)
  if (result.outcome !== 'ok') throw unreachable(result)
  const [first = '', ...lines] = linesOf(result.stdout)
  const [, session = '', isRenamed, isTold] = /^(\$\d+) (\d+) ([01])$/.exec(first) ?? []
  const panes = panesIn(lines, session)
  const own = panes.find(({ id }) => id === pane)
  if (!own) throw unreachable(result)
  return { pane: own, panes, isRenamedByTmux: Number(isRenamed) > 0, isTold: isTold === '1' }
}

/** What can be seen from here; nothing when tmux cannot be asked. */
export async function ownView(config: Config): Promise<TmuxView | undefined> {
  const pane = ownPane(config)
  return pane ? viewFrom(pane).catch(() => undefined) : undefined
}

/** Every pane of the server, those of a session first; throws `tmux_lost` when that session is gone. */
export async function panesFrom(session: string): Promise<Pane[]> {
  const result = await tmux('has-session', '-t', `${session}:`, ...listPanes)
  if (result.outcome !== 'ok') throw unreachable(result)
  return panesIn(linesOf(result.stdout), session)
}

/** The windows of a session that tmux gives another name when another program runs in them. */
export async function windowsRenamedByTmux(session: string): Promise<string[]> {
  const format = '0#{automatic-rename} #{window_id}'
  const { outcome, stdout } = await tmux('list-windows', '-t', `${session}:`, '-F', format)
  if (outcome !== 'ok') return []
  return linesOf(stdout).flatMap((line) => {
    const [, isRenamed, window] = /^(\d+) (@\d+)$/.exec(line) ?? []
    return window !== undefined && Number(isRenamed) > 0 ? [window] : []
  })
}

/** What tmux says of itself; nothing where it is not installed. */
export async function tmuxVersion(): Promise<string | undefined> {
  const { outcome, stdout } = await tmux('-V')
  return outcome === 'ok' ? stdout.trim().replace(/^tmux /, '') : undefined
}

/** One list for each text that may hold anything, which stands last in its line; a line break in it would begin a line. */
const listPanes = [
  'id #{pane_id} #{pid} #{session_id} #{pane_pid} #{window_id} 0#{pane_dead} #{pane_tty}',
  'window #{pane_id} #{window_name}',
  ...['@agentmail_name', 'pane_current_path'].map(
    (text) => `${text} #{pane_id} #{s/\n/?/:${text}}`,
  ),
].flatMap((format) => [';', 'list-panes', '-a', '-F', format])

function panesIn(lines: string[], session: string): Pane[] {
  const texts = new Map<string, string>()
  const panes: Pane[] = []
  for (const line of lines) {
    const [, list = '', id = '', text = ''] = /^(\S+) (%\d+) (.*)$/.exec(line) ?? []
    if (list !== 'id') texts.set(`${list} ${id}`, text)
    const [, server, at = '', pid, windowId = '', dead, tty = ''] =
      /^(\d+) (\$\d+) (\d+) (@\d+) (\d+) (\S*)$/.exec(list === 'id' ? text : '') ?? []
    if (server === undefined) continue
    const rest = { dead: Number(dead) > 0, tty, window: '', folder: '' }
    panes.push({ id, server: Number(server), session: at, pid: Number(pid), windowId, ...rest })
  }
  const isHere = (pane: Pane) => Number(pane.session === session)
  const seen = new Set<string>()
  return panes
    .sort((one, other) => isHere(other) - isHere(one))
    .filter(({ id }) => !seen.has(id) && seen.add(id)) // a window can be in several sessions, and in one twice
    .map((pane) => {
      const textOf = (list: string) => texts.get(`${list} ${pane.id}`) ?? ''
      const given = textOf('@agentmail_name')
      const folder = textOf('pane_current_path')
      return { ...pane, window: textOf('window'), folder, ...(given !== '' && { given }) }
    })
}

/** Names a pane, and its window where it is alone in that, which ends automatic renaming; nothing takes the name away. */
export async function setName({ id }: Pane, name: string | undefined, isAlone: boolean) {
  const option = ['set-option', '-p', '-t', id]
  if (name === undefined) {
    const again = ['set-option', '-w', '-u', '-t', id, 'automatic-rename'] // as it was for all windows
    return ask(...option, '-u', '@agentmail_name', ...(isAlone ? [';', ...again] : []))
  }
  const word = name.replace(/;$/, '\\;') // a last one would end the command
  const rename = ['rename-window', '-t', id, '--', word.replaceAll('#', '##')]
  await ask(...option, '@agentmail_name', word, ...(isAlone ? [';', ...rename] : []))
}

/** Remembers with a pane that its user was told of its name. */
export async function setTold(pane: string): Promise<void> {
  await tmux('set-option', '-p', '-t', pane, '@agentmail_told', '1')
}

async function ask(...args: string[]): Promise<void> {
  const result = await tmux(...args)
  if (result.outcome !== 'ok') throw unreachable(result)
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
