/** Wakes idle sessions of Codex when mail comes for them, by its own command: a server does it, which hears when they are idle. */
import { spotAt } from '../addresses/place.ts'
import type { Config } from '../config.ts'
import { machineOf } from '../connection/here.ts'
import type { Coordination, Project } from '../coordination/coordination.ts'
import { sessionKey } from '../coordination/sessions/session-rows.ts'
import { holdOwnWay } from '../mailbox/mailman/own-ways.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import type { SessionDesk } from '../sessions/hear.ts'
import type { SessionMoment } from '../sessions/moment.ts'
import { noteLetters, untilMailWaits, type Waking, wakingText } from '../sessions/waking.ts'
import { sleep, systemClock } from '../system/clock.ts'
import { logSeldom } from '../system/log.ts'
import { runProgram } from '../system/run-program.ts'

const client = 'codex'
/** More are not waited for. */
const mostSessions = 500
/** One that was not heard of for so long is not there any more. */
const forgottenMs = 24 * 3600_000
/** It takes a third of a second; a busy machine takes longer. */
const queueMs = 20_000
const heldMs = 2_000
/** A stop does not wait for Codex. */
const stopMs = 1_000
/** How soon it is tried again where another server waits for the session. */
const othersMs = 30_000

/** A session, and where its mail is. */
interface Idle {
  project: Project
  office: PostOffice | undefined
  session: string
}

export class CodexWaking {
  readonly #config: Config
  readonly #coordination: Coordination
  readonly #watched = new Map<string, { end: AbortController; done: Promise<void> }>()
  readonly #machine: string
  #isStopped = false

  constructor(config: Config, coordination: Coordination) {
    this.#config = config
    this.#coordination = coordination
    this.#machine = machineOf(config)
  }

  /** Those that were idle before the server was there. */
  start(): void {
    this.#findIdle().catch(() => {}) // they are waited for again from the end of their next turn
  }

  heard({ project, office }: SessionDesk, { client: of, session, moment }: SessionMoment): void {
    if (of !== client) return
    const key = `${project.key} ${session}`
    if (moment.kind === 'prompt' || moment.kind === 'session-end')
      this.#watched.get(key)?.end.abort()
    else if (moment.kind === 'turn-end' || moment.kind === 'session-start') {
      this.#watch({ project, office: office?.isUsable ? office : undefined, session })
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const watched = [...this.#watched.values()]
    for (const { end } of watched) end.abort()
    await Promise.race([Promise.all(watched.map(({ done }) => done)), sleep(stopMs)])
  }

  async #findIdle(): Promise<void> {
    for (const { key } of await this.#coordination.projects.names()) {
      const project = this.#coordination.project(key)
      const idle = await project.sessions.idle(client)
      const recent = idle.filter(({ heardUs }) => !isForgotten(heardUs / 1000))
      const office = recent.length > 0 ? await this.#officeOf(key) : undefined
      for (const { session_id } of recent) this.#watch({ project, office, session: session_id })
      if (this.#isStopped) return
    }
  }

  /** That of the first root on this machine that has one. */
  async #officeOf(project: string): Promise<PostOffice | undefined> {
    for (const root of await this.#coordination.projects.rootsOf(project)) {
      const office = await PostOffice.locate(this.#config, root).catch(() => undefined)
      if (office?.isUsable) return office
    }
    return undefined
  }

  #watch(idle: Idle): void {
    const key = `${idle.project.key} ${idle.session}`
    const before = this.#watched.get(key)
    const isWaitedFor = before && !before.end.signal.aborted
    if (isWaitedFor || this.#isStopped || this.#watched.size >= mostSessions) return
    if (!isThread(idle.session)) return
    const end = new AbortController()
    const done = (before?.done ?? Promise.resolve())
      .then(() => this.#waitFor(idle, end.signal))
      .catch(() => {}) // its next turn begins anew
      .finally(() => {
        if (this.#watched.get(key)?.end === end) this.#watched.delete(key)
      })
    this.#watched.set(key, { end, done })
  }

  async #waitFor(idle: Idle, signal: AbortSignal): Promise<void> {
    const name = { client, session: idle.session }
    while (!signal.aborted) {
      const held = await holdOwnWay(this.#config, sessionKey(name), heldMs)
      if (!held) {
        await soonerIf(signal, othersMs)
        continue
      }
      try {
        await this.#wakeWhile(idle, signal, (names) =>
          held.say({ office: idle.office?.dir, names }),
        )
        return
      } finally {
        held.end()
      }
    }
  }

  /** Returns where it is idle no longer, or cannot be woken so: whoever else can tell it then does. */
  async #wakeWhile(
    { project, office, session }: Idle,
    signal: AbortSignal,
    say: (names: string[]) => void,
  ): Promise<void> {
    const over = new AbortController()
    const end = () => over.abort()
    signal.addEventListener('abort', end)
    const waking: Waking = {
      ...{ name: { client, session }, office: () => office, signal: over.signal },
      source: {
        session: (name) => project.sessions.view(name),
        announce: (name, by) => project.sessions.announce(name, by),
        waitingFor: (request, until) => project.waitingFor(request, until),
      },
      onView: ({ state, place, heard_ms, mailbox, names }) => {
        say(mailbox === null ? [] : [...new Set([mailbox, ...names])])
        if (state !== 'ready' || !this.#isHere(place) || isForgotten(heard_ms)) end()
      },
    }
    try {
      for (;;) {
        const waiting = await untilMailWaits(waking)
        if (!waiting || over.signal.aborted) return
        const { view, letters } = waiting
        const text = wakingText([...view.from, ...letters.map(({ from }) => from)])
        if (!(await queue(session, text))) return
        await project.receipts.told(view.ids, 'codex')
        await noteLetters(office, view, letters, 'codex')
      }
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  /** Its command reaches the sessions of this machine alone. */
  #isHere(place: string | null): boolean {
    return place === `outside ${this.#machine}` || spotAt(place, this.#machine).pane !== null
  }
}

async function queue(session: string, text: string): Promise<boolean> {
  const args = ['queue', `--thread=${session}`, `--message=${text}`]
  const { outcome, stderr } = await runProgram('codex', args, { timeout: queueMs })
  if (outcome === 'ok') return true
  const why = outcome === 'missing' ? 'codex is not on PATH' : stderr.slice(0, 200)
  logSeldom('sessions of Codex that were not woken', `codex queue did not wake a session: ${why}`)
  return false
}

const isThread = (session: string): boolean => /^[\w-]{1,100}$/.test(session)

const isForgotten = (heardMs: number): boolean => systemClock.now() - heardMs > forgottenMs

const soonerIf = (signal: AbortSignal, ms: number): Promise<void> =>
  Promise.race([
    sleep(ms),
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
  ])
