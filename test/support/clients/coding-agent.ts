/** A real coding agent whose model is a test's: in a terminal that is looked at and typed into, or for one turn without one. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Env, ended, type Ran } from '../agentmail.ts'
import type { AtEnd } from '../at-end.ts'
import { eventually } from '../eventually.ts'
import type { Session } from '../mailbox/tmux.ts'
import type { Client } from './clients.ts'
import type { ScriptedModel } from './scripted-model.ts'

/** A client may take this long to start where others build. */
const patienceMs = 90_000

interface Person {
  client: Client
  name: string
  model: ScriptedModel
  env: Env
}

interface Whereabouts {
  session: Session
  /** Whether it knows that it is in tmux. */
  isTmux: boolean
  /** What there is to know where something did not happen. */
  logs(): string
}

/** Ends all that runs in a window: Gemini CLI outlives its terminal. */
export function endAll(session: Session, window: number): void {
  try {
    const pid = session.tmux('display-message', '-p', '-t', session.pane(window), '#{pane_pid}')
    if (Number(pid) > 1) process.kill(-Number(pid), 'SIGKILL') // of a window that is gone it is empty
  } catch {} // it has ended by itself
}

export class CodingAgent {
  readonly client: Client
  readonly name: string
  readonly model: ScriptedModel
  readonly #env: Env
  readonly #place: Whereabouts
  readonly #atEnd: AtEnd
  #window = 0

  constructor(person: Person, place: Whereabouts, atEnd: AtEnd) {
    this.client = person.client
    this.name = person.name
    this.model = person.model
    this.#env = person.env
    this.#place = place
    this.#atEnd = atEnd
  }

  get #session(): Session {
    return this.#place.session
  }

  get #program(): string {
    return join(this.#env.HOME ?? '', 'bin', this.client.name)
  }

  /** In a window of its own, which is called as it is. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const variables = Object.entries({ ...this.#env, ...env }).map(
      ([key, value]) => `${key}=${value}`,
    )
    const { args, trusting, idle } = this.client
    // Only in the window itself its pane is known.
    const inTmux = ['sh', '-c', 'exec env -i "TMUX=$TMUX" "TMUX_PANE=$TMUX_PANE" "$@"', 'sh']
    const window = this.#session.open(
      this.name,
      ...(this.#place.isTmux ? inTmux : ['env', '-i']),
      ...[...variables, this.#program, ...args, ...trusting],
    )
    this.#window = window
    this.#atEnd(() => endAll(this.#session, window))
    await this.shows(idle)
  }

  /** One turn without a window; gives how it ended. */
  once(prompt: string, env: Env = {}): Promise<Ran> {
    const { args, once, trusting } = this.client
    const child = spawn(this.#program, [...args, ...once(prompt), ...trusting], {
      cwd: this.#session.repository,
      env: { ...this.#env, ...env },
    })
    this.#atEnd(() => void child.kill('SIGKILL'))
    child.stdin.end()
    return ended(child)
  }

  screen(): string {
    return this.#session.screen(this.#window)
  }

  async shows(what: RegExp): Promise<void> {
    await this.has(`shown ${what}`, () => what.test(this.screen()))
  }

  /** As a person does it. */
  async enter(text: string): Promise<void> {
    this.press('-l', text)
    await this.has(`shown ${text}`, () => this.screen().includes(text))
    await pause(500) // an Enter right behind it would be taken for pasted
    this.press('Enter')
  }

  press(...keys: string[]): void {
    this.#session.tmux('send-keys', '-t', this.#session.pane(this.#window), ...keys)
  }

  /** Its model has heard this. */
  async hears(text: string): Promise<void> {
    await this.has(`heard "${text}"`, () => this.model.has(text))
  }

  /** Waits until it has done something; where it never does, what it shows and heard last is told. */
  async has(done: string, check: () => boolean | Promise<boolean>): Promise<void> {
    await eventually('', check, patienceMs).catch(() => {
      const heard = this.model.news().map((one) => one.slice(0, 2000))
      const parts = [this.screen(), ...heard.slice(-4), this.#place.logs()]
      throw new Error(`${this.name} has not ${done}.\n${parts.join('\n\n')}`)
    })
  }

  /** Its turn is over, and it shows that. */
  async rests(): Promise<void> {
    const { idle, running } = this.client
    await this.has('come to rest', () => {
      const screen = this.screen()
      return idle.test(screen) && !running.test(screen)
    })
  }

  /** It leaves as a person does, who gives no such word while a turn runs. */
  async leave(): Promise<void> {
    await this.rests()
    await this.enter(this.client.leave)
    const asked = ['display-message', '-p', '-t', this.#session.pane(this.#window), '#{pane_dead}']
    await this.has('left', () => this.#session.tmux(...asked).trim() === '1')
  }
}
