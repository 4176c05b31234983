/** The mailman: watches the mailboxes of one tmux session and nudges agents that have mail waiting. */
import { type FSWatcher, watch } from 'node:fs'
import { type Clock, rfc3339, sleep } from '../clock.ts'
import { AgentMailError } from '../errors.ts'
import type { PostOffice } from './post-office.ts'
import type { Recipient } from './recipients.ts'
import { pressEnter, sessionWindows, typeInto, type Window } from './tmux.ts'
import { watchTmux } from './tmux-watch.ts'

const nudgeText = 'Check your agentmail'

export type MailmanEvent =
  | { event: 'nudged'; agent: string; window: string }
  | { event: 'waiting'; agent: string; reason: string }
  | { event: 'failed'; reason: string }

export interface MailmanOptions {
  office: PostOffice
  /** `$1`: only windows of this session are nudged, whatever other sessions call theirs. */
  session: string
  /** Process id of the tmux server, where it is known. */
  server: number[]
  clock: Clock
  nudgeMs: number
  onEvent: (event: MailmanEvent) => void
  /** Everything is looked at this often, should a change have gone unnoticed. */
  safetyMs?: number
  /** How soon an agent is tried again that could not be disturbed. */
  retryMs?: number
  /** Between the text and Enter: pressed at once, some programs take it as a part of what was pasted. */
  pauseMs?: number
}

export class Mailman {
  readonly #options: Required<MailmanOptions>
  readonly #watchers: FSWatcher[] = []
  readonly #nudgedAt = new Map<string, number>()
  /** Agents that are being nudged: each has its own pace, and none waits for another. */
  readonly #busy = new Set<string>()
  /** Panes in which the text stands and Enter could not be pressed yet. */
  readonly #typed = new Set<string>()
  readonly #waiting = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** Of several wishes to look, the earliest counts. */
  #dueAt = Number.POSITIVE_INFINITY
  #stop: ((error?: Error) => void) | undefined

  constructor(options: MailmanOptions) {
    this.#options = { safetyMs: 60_000, retryMs: 2_000, pauseMs: 500, ...options }
  }

  /** Works until `stop` is called; throws `tmux_lost` when the session ends. */
  async run(): Promise<void> {
    const { office, safetyMs, server, session } = this.#options
    const stopped = new Promise<void>((resolve, reject) => {
      this.#stop = (error) => (error ? reject(error) : resolve())
    })
    for (const folder of [office.dir, office.mailboxesDir]) {
      const watcher = watch(folder, () => this.#lookSoon(50))
      watcher.on('error', (error) => this.#fail(error))
      this.#watchers.push(watcher)
    }
    const unwatch = watchTmux(
      async () => [...server, ...(await sessionWindows(session)).map((window) => window.pid)],
      () => this.#stop?.(new AgentMailError('tmux_lost', 'the tmux session has ended')),
    )
    const safety = setInterval(() => this.#lookSoon(0), safetyMs)
    this.#lookSoon(0)
    try {
      await stopped
    } finally {
      unwatch()
      clearInterval(safety)
      clearTimeout(this.#timer)
      for (const watcher of this.#watchers) watcher.close()
    }
  }

  stop(): void {
    this.#stop?.()
  }

  #lookSoon(delayMs: number): void {
    const due = Date.now() + delayMs
    if (due >= this.#dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = due
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY
      this.#look().catch((error) => this.#fail(error))
    }, delayMs)
  }

  #fail(error: unknown): void {
    if (AgentMailError.is(error) && error.code === 'tmux_lost') this.#stop?.(error)
    else this.#options.onEvent({ event: 'failed', reason: String(error) })
  }

  async #look(): Promise<void> {
    const { office, session, clock, nudgeMs } = this.#options
    const windows = await sessionWindows(session)
    const ignored = office.ignored()
    const statusOf = new Map(office.recipients.list().map((one) => [one.name, one]))
    for (const agent of new Set(windows.map((window) => window.name))) {
      const known = statusOf.get(agent)
      if (ignored.has(agent) || this.#busy.has(agent)) continue
      if (known && known.status !== 'ready') continue
      if (!this.#hasMail(agent)) continue
      const dueIn = this.#lastNudge(agent, known) + nudgeMs - clock.now()
      if (dueIn > 0) this.#lookSoon(dueIn)
      else
        this.#startNudge(
          agent,
          windows.filter((window) => window.name === agent),
        )
    }
  }

  #hasMail(agent: string): boolean {
    try {
      return this.#options.office.mailbox(agent).hasUnread()
    } catch (error) {
      this.#options.onEvent({ event: 'failed', reason: `mailbox ${agent}: ${error}` })
      return false
    }
  }

  /** What is noted in the file counts too: it outlives a mailman. */
  #lastNudge(agent: string, known: Recipient | undefined): number {
    const noted = Date.parse(known?.notified_at ?? '')
    const own = this.#nudgedAt.get(agent) ?? Number.NEGATIVE_INFINITY
    if (!Number.isNaN(noted)) return Math.max(own, noted)
    if (known?.notified && !this.#nudgedAt.has(agent)) {
      const now = this.#options.clock.now() // told at a time that nobody noted: count from here
      this.#nudgedAt.set(agent, now)
      return now
    }
    return own
  }

  #startNudge(agent: string, windows: Window[]): void {
    this.#busy.add(agent)
    this.#nudge(agent, windows)
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#busy.delete(agent)
        this.#lookSoon(this.#waiting.has(agent) ? this.#options.retryMs : this.#options.nudgeMs)
      })
  }

  /** The first window of that name which can be disturbed gets the nudge: they share one mailbox. */
  async #nudge(agent: string, windows: Window[]): Promise<void> {
    const { office, clock, onEvent } = this.#options
    for (const window of windows) {
      if (!(await this.#typeNudge(window.pane))) continue
      const now = clock.now()
      this.#nudgedAt.set(agent, now)
      this.#waiting.delete(agent)
      onEvent({ event: 'nudged', agent, window: window.id })
      if (office.recipients.find(agent)) {
        await office.recipients.change(agent, (found) => ({
          ...(found ?? { name: agent, status: 'ready' }),
          notified: true,
          notified_at: rfc3339(now),
        }))
      }
      return
    }
    if (this.#waiting.has(agent)) return
    this.#waiting.add(agent)
    onEvent({ event: 'waiting', agent, reason: 'its pane is in copy mode or has ended' })
  }

  async #typeNudge(pane: string): Promise<boolean> {
    if (!this.#typed.has(pane)) {
      if (!(await typeInto(pane, nudgeText))) return false
      this.#typed.add(pane)
      await sleep(this.#options.pauseMs)
    }
    if (!(await pressEnter(pane))) return false
    this.#typed.delete(pane)
    return true
  }
}
