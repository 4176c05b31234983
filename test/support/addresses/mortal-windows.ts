/** Agents in tmux windows and panes whose program is killed and started again, and what each has written and read. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { binary, worker } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import type { Session } from '../mailbox/tmux.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { isBusy, outcomeOf, receivedSchema } from './busy.ts'
import type { Traffic } from './traffic.ts'

/** How it comes back: a new window, the program in its old pane, or a new pane that is given the name. */
export type Comeback = 'window' | 'pane' | 'named pane'

const command = { exitCode: z.number().nullable(), stderr: z.string() }
const noteSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('started'), pid: z.number(), ...command }),
  z.object({ event: z.literal('writes'), to: z.string(), text: z.string() }),
  z.object({ event: z.literal('wrote'), to: z.string(), text: z.string(), ...command }),
  z.object({ event: z.literal('reads') }),
  z.object({ event: z.literal('was handed'), stdout: z.string(), ...command }),
  z.object({ event: z.literal('stopped') }),
])
type Note = z.infer<typeof noteSchema>

export class MortalWindow {
  readonly name: string
  readonly #folder: string
  readonly #session: Session
  readonly #comeback: Comeback
  readonly #others: string[]
  #started = 0
  pane = ''

  constructor(
    session: Session,
    name: string,
    comeback: Comeback,
    others: string[],
    folder: string,
  ) {
    this.name = name
    this.#folder = folder
    this.#session = session
    this.#comeback = comeback
    this.#others = others
  }

  /** When it returns, the agent has said that it is ready. */
  async start(): Promise<void> {
    const log = `${this.name}-${++this.#started}`
    const given = this.#comeback === 'named pane' ? this.name : ''
    const program = [process.execPath, worker('window-agent'), binary, this.#folder, log]
    this.#open([...program, this.name, given, ...this.#others])
    await eventually(`${log} starts`, () => this.#notes(log).length > 0)
    const [first] = this.#notes(log)
    if (first?.event !== 'started' || first.exitCode !== 0) throw new Error(JSON.stringify(first))
  }

  #open(program: string[]): void {
    const { tmux } = this.#session
    const print = ['-d', '-P', '-F', '#{pane_id}', ...program]
    if (this.#comeback === 'named pane')
      this.pane = tmux('split-window', '-t', 'desk', ...print).trim()
    else if (this.#comeback === 'window' || this.pane === '') {
      this.pane = tmux('new-window', '-a', '-t', 'test:$', '-n', this.name, ...print).trim()
      if (this.#comeback === 'pane')
        tmux('set-option', '-p', '-t', this.pane, 'remain-on-exit', 'on')
    } else tmux('respawn-pane', '-t', this.pane, ...program)
  }

  /** Once it works; waits until tmux knows. */
  async kill(): Promise<void> {
    const log = `${this.name}-${this.#started}`
    await eventually('it works', () => this.#notes(log).length > 6, 120_000)
    const { tmux } = this.#session
    const state = () => {
      const panes = tmux('list-panes', '-a', '-F', '#{pane_id} #{pane_dead}').split('\n')
      return panes.find((line) => line.startsWith(`${this.pane} `))?.split(' ')[1]
    }
    process.kill(Number(tmux('display-message', '-p', '-t', this.pane, '#{pane_pid}')), 'SIGKILL')
    await eventually(`${this.name} is gone`, () => state() !== '0')
  }

  async stopped(): Promise<void> {
    const log = `${this.name}-${this.#started}`
    const isStopped = () => this.#notes(log).at(-1)?.event === 'stopped'
    await eventually(`${log} stops`, isStopped, 120_000)
  }

  /** Puts what it has written and read beside what the others have. */
  tell(traffic: Traffic): void {
    for (let life = 1; life <= this.#started; life++) {
      const notes = this.#notes(`${this.name}-${life}`)
      const wrote = notes.filter((note) => note.event === 'wrote')
      for (const { to, text, ...ran } of wrote) {
        traffic.sent.push({ from: this.name, to, text, outcome: outcomeOf(ran) })
      }
      const known = new Set(wrote.map(({ text }) => text))
      for (const note of notes) {
        if (note.event !== 'writes' || known.has(note.text)) continue
        const { to, text } = note
        traffic.sent.push({ from: this.name, to, text, outcome: 'unclear' })
      }
      const handed = notes.filter((note) => note.event === 'was handed')
      for (const { exitCode, stdout, stderr } of handed) {
        if (exitCode !== 0 && isBusy(stderr)) continue
        if (exitCode !== 0) throw new Error(`${this.name} could not read: ${stderr}`)
        traffic.noteRead(this.name, receivedSchema.parse(JSON.parse(stdout)))
      }
      const reads = notes.filter((note) => note.event === 'reads').length
      if (reads > handed.length) traffic.noteRead(this.name, undefined)
    }
  }

  /** A last line that it was killed over is none. */
  #notes(log: string): Note[] {
    if (!readdirSync(this.#folder).includes(log)) return []
    const lines = readFileSync(join(this.#folder, log), 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => noteSchema.parse(JSON.parse(line)))
  }
}

/** One that comes back in each way; they write to each other and to these. */
export function mortalWindows(session: Session, others: string[]) {
  const folder = temporaryFolder()
  const comebacks = { coder: 'window', planner: 'pane', helper: 'named pane' } as const
  const names = Object.keys(comebacks)
  const windows = Object.entries(comebacks).map(([name, comeback]) => {
    const all = [...names, ...others].filter((other) => other !== name)
    return new MortalWindow(session, name, comeback, all, folder)
  })
  return { windows, stop: () => writeFileSync(join(folder, 'stop'), '') }
}
