/** The mailman: watches the mailboxes of one tmux session and nudges agents that have mail waiting. */
import { type FSWatcher, watch } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { type Clock, sleep } from '../system/clock.ts'
import type { PostOffice } from './post-office.ts'
import type { Recipient } from './recipients.ts'
import { type Pane, pressEnter, sessionPanes, typeInto } from './tmux.ts'
import { watchTmux } from './tmux-watch.ts'

const nudgeText = 'Check your agentmail'

export type MailmanEvent =
  | { event: 'nudged'; agent: string; pane: string }
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
}

/** Everything is looked at this often, should a change have gone unnoticed. */
const safetyMs = 60_000
/** How soon an agent is tried again that could not be disturbed. */
const retryMs = 2_000
/** Between the text and Enter: pressed at once, some programs take it as a part of what was pasted. */
const pauseMs = 500

export class Mailman {
  readonly #options: MailmanOptions
  readonly #watchers: FSWatcher[] = []
  readonly #nudgedAt = new Map<string, number>()
  /** Agents that are being nudged: each has its own pace, and none waits for another. */
  readonly #busy = new Set<string>()
  /** Panes in which the text stands and Enter could not be pressed yet, by agent. */
  readonly #typed = new Map<string, string>()
  readonly #waiting = new Set<string>()
  /** Agents whose mailbox cannot be read; said once each. */
  readonly #troubled = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** Of several wishes to look, the earliest counts. */
  #dueAt = Number.POSITIVE_INFINITY
  #stop: ((error?: Error) => void) | undefined

  constructor(options: MailmanOptions) {
    this.#options = options
  }

  /** Works until `stop` is called; throws `tmux_lost` when the session ends. */
  async run(): Promise<void> {
    const { server, session } = this.#options
    const stopped = new Promise<void>((resolve, reject) => {
      this.#stop = (error) => (error ? reject(error) : resolve())
    })
    const unwatch = watchTmux(
      async () => [...server, ...(await sessionPanes(session)).map((pane) => pane.pid)],
      () => this.#stop?.(new AgentMailError('tmux_lost', 'the tmux session has ended')),
    )
    this.#watchFolders()
    const safety = setInterval(() => {
      this.#watchFolders()
      this.#lookSoon(0)
    }, safetyMs)
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

  /** Anew at each safety check, since a folder may have been removed and made again. */
  #watchFolders(): void {
    const { office } = this.#options
    for (const watcher of this.#watchers.splice(0)) watcher.close()
    try {
      office.create()
      for (const folder of [office.dir, office.mailboxesDir]) {
        const watcher = watch(folder, (_, file) => {
          if (file?.endsWith('.jsonl') ?? true) this.#lookSoon(50) // not at its own log
        })
        watcher.on('error', (error) => this.#fail(error))
        this.#watchers.push(watcher)
      }
    } catch (error) {
      this.#fail(error) // no more watches to be had: the safety check goes on
    }
  }

  stop(): void {
    this.#stop?.()
  }

  #lookSoon(wantedMs: number): void {
    const delayMs = Math.min(wantedMs, safetyMs)
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
    if (AgentMailError.is(error, 'tmux_lost')) this.#stop?.(error)
    else this.#options.onEvent({ event: 'failed', reason: reasonOf(error) })
  }

  async #look(): Promise<void> {
    const { office, session, clock, nudgeMs } = this.#options
    const panes = await sessionPanes(session)
    const ignored = office.ignored()
    const recipients = new Map(office.recipients.list().map((one) => [one.name, one]))
    for (const agent of new Set(panes.map((pane) => pane.window))) {
      const known = recipients.get(agent)
      if (ignored.has(agent) || this.#busy.has(agent)) continue
      if ((known && known.status !== 'ready') || !this.#hasMail(agent)) {
        this.#typed.delete(agent) // whatever stands there by now, Enter is not for it
        continue
      }
      const dueIn = this.#lastNudge(agent, known) + nudgeMs - clock.now()
      if (dueIn > 0) this.#lookSoon(dueIn)
      else this.#startNudge(agent, panesOf(agent, known, panes))
    }
  }

  #hasMail(agent: string): boolean {
    try {
      return this.#options.office.mailbox(agent).hasUnread()
    } catch (error) {
      if (!this.#troubled.has(agent)) this.#fail(error)
      this.#troubled.add(agent)
      return false
    }
  }

  /** What is noted in the file counts too: it outlives a mailman. */
  #lastNudge(agent: string, known: Recipient | undefined): number {
    const now = this.#options.clock.now()
    const noted = Date.parse(known?.notified_at ?? '')
    const own = this.#nudgedAt.get(agent) ?? Number.NEGATIVE_INFINITY
    if (noted <= now) return Math.max(own, noted)
    if (known?.notified && !this.#nudgedAt.has(agent)) {
      // Told at a time that nobody noted, or that is still to come: count from here.
      this.#nudgedAt.set(agent, now)
      return now
    }
    return own
  }

  #startNudge(agent: string, panes: Pane[]): void {
    this.#busy.add(agent)
    this.#nudge(agent, panes)
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#busy.delete(agent)
        this.#lookSoon(this.#waiting.has(agent) ? retryMs : this.#options.nudgeMs)
      })
  }

  async #nudge(agent: string, panes: Pane[]): Promise<void> {
    const { office, clock, onEvent } = this.#options
    for (const { id } of panes) {
      if (!(await this.#typeNudge(agent, id))) continue
      const now = clock.now()
      this.#nudgedAt.set(agent, now)
      this.#waiting.delete(agent)
      await office.recipients.setNotified(agent, now)
      onEvent({ event: 'nudged', agent, pane: id })
      return
    }
    if (this.#waiting.has(agent)) return
    this.#waiting.add(agent)
    onEvent({ event: 'waiting', agent, reason: 'its pane is in copy mode or has ended' })
  }

  async #typeNudge(agent: string, pane: string): Promise<boolean> {
    if (this.#typed.get(agent) !== pane) {
      if (!(await typeInto(pane, nudgeText))) return false
      this.#typed.set(agent, pane)
      await sleep(pauseMs)
    }
    if (!(await pressEnter(pane))) return false
    this.#typed.delete(agent)
    return true
  }
}

/**
 * Where to nudge an agent: the pane it last worked from, if that still is in a window of its name.
 * Otherwise the panes in front of the windows of that name: the first that can be disturbed gets it.
 */
function panesOf(agent: string, known: Recipient | undefined, panes: Pane[]): Pane[] {
  const named = panes.filter((pane) => pane.window === agent)
  const own = named.filter((pane) => pane.id === known?.pane && !pane.dead)
  return own.length > 0 ? own : named.filter((pane) => pane.active)
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
