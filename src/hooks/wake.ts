/** What wakes a session of Claude Code: a process in its background that waits for mail, and gives the words to wake it with. */
import type { Config } from '../config.ts'
import { connectIfThere } from '../connection/connect.ts'
import type { Connection } from '../connection/connection.ts'
import { readServerNote } from '../connection/server-note.ts'
import { type SessionName, sessionKey } from '../coordination/sessions/session-rows.ts'
import { AgentMailError } from '../errors.ts'
import { holdOwnWay } from '../mailbox/mailman/own-ways.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import { announceAll, untilMailWaits, type Waking, wakingText } from '../sessions/waking.ts'
import { databaseOf } from '../store/database.ts'
import { elapsedMs, sleep } from '../system/clock.ts'
import { isAlive } from '../system/run-program.ts'

/** Another that waits for the session is found in this time. */
const heldMs = 100
/** The hook that registers the session is under way at the same time. */
const startMs = 30_000
const startPauseMs = 300
/** How soon another way is looked for where the last has gone, and where there is none. */
const nextWayMs = 500
const noWayMs = 5_000
/** A server that cannot be started is tried again so often. */
const mendMs = 60_000

/**
 * Nothing where there is nothing to wake it for: the session has ended, or is waited for already.
 * @param bringUp starts the server anew that the hooks of the session ask, where that was killed.
 */
export async function untilWoken(
  config: Config,
  name: SessionName,
  signal: AbortSignal,
  bringUp?: () => Promise<void>,
): Promise<string | undefined> {
  const held = await holdOwnWay(config, sessionKey(name), heldMs)
  if (!held) return undefined
  try {
    const say = (names: string[], office: string | undefined) => held.say({ office, names })
    return await new Waker({ config, name, signal, bringUp, say }).run()
  } finally {
    held.end()
  }
}

interface WakerOptions {
  config: Config
  name: SessionName
  signal: AbortSignal
  bringUp: (() => Promise<void>) | undefined
  say(names: string[], office: string | undefined): void
}

class Waker {
  readonly #options: WakerOptions
  /** Whether the session was seen. */
  #isKnown = false
  readonly #begun = elapsedMs()
  /** When a server may be started again. */
  #mendAt = 0

  constructor(options: WakerOptions) {
    this.#options = options
  }

  /** Through the server or past it, whichever there is; where that goes, by the next. */
  async run(): Promise<string | undefined> {
    while (!this.#signal.aborted) {
      await this.#mendServer()
      const way = await this.#tryWay()
      if (typeof way === 'object') return way.text
      if (this.#isUnknown) return undefined
      await sleep(way === 'lost' || !this.#isKnown ? nextWayMs : noWayMs)
    }
    return undefined
  }

  get #config(): Config {
    return this.#options.config
  }

  get #signal(): AbortSignal {
    return this.#options.signal
  }

  /** A server that was stopped takes its note along; one that was killed is missed by the hooks of the session. */
  async #mendServer(): Promise<void> {
    const { bringUp } = this.#options
    if (elapsedMs() < this.#mendAt) return
    const note = bringUp && readServerNote(databaseOf(this.#config).note)
    if (note?.pid !== undefined && !isAlive(note.pid)) {
      this.#mendAt = elapsedMs() + mendMs
      await bringUp?.()
    }
  }

  /** For so long that its hook has failed. */
  get #isUnknown(): boolean {
    return !this.#isKnown && elapsedMs() - this.#begun > startMs
  }

  async #tryWay(): Promise<{ text: string | undefined } | 'lost' | 'none'> {
    let hasAnswered = false
    try {
      const connection = await connectIfThere(this.#config, { isQuiet: true })
      if (!connection) return 'none'
      hasAnswered = true
      return await this.#through(connection)
    } catch (error) {
      if (AgentMailError.is(error, 'database_lost')) return { text: undefined }
      return hasAnswered ? 'lost' : 'none'
    }
  }

  async #through(connection: Connection): Promise<{ text: string | undefined } | 'lost'> {
    const other = new AbortController()
    const end = () => other.abort()
    this.#signal.addEventListener('abort', end)
    const { note } = databaseOf(this.#config)
    const server = readServerNote(note)?.instance
    const isServerNew = () => {
      const now = readServerNote(note)?.instance
      return !connection.canBeLost && now !== undefined && now !== server
    }
    try {
      const office = await this.#officeHere()
      const waking: Waking = {
        ...{ source: connection, name: this.#options.name, office, signal: other.signal },
        onView: ({ agent_id, mailbox, names }) => {
          this.#isKnown = true
          this.#options.say(
            mailbox === null ? [] : [...new Set([mailbox, ...names])],
            office()?.dir,
          )
          connection.keepAlive(agent_id)
          if (isServerNew()) end()
        },
      }
      return await this.#wait(waking)
    } finally {
      this.#signal.removeEventListener('abort', end)
      await connection.close().catch(() => {})
    }
  }

  async #wait(waking: Waking): Promise<{ text: string | undefined } | 'lost'> {
    for (;;) {
      const waiting = await untilMailWaits(waking)
      if (waking.signal.aborted) return this.#signal.aborted ? { text: undefined } : 'lost'
      if (!waiting && (this.#isKnown || this.#isUnknown)) return { text: undefined }
      const from = waiting ? await announceAll(waking, waiting, 'rewake') : []
      if (from.length > 0) return { text: wakingText(from) }
      await sleep(startPauseMs)
    }
  }

  /** Outside a repository there is none, and one that came with a repository is left alone. */
  async #officeHere(): Promise<() => PostOffice | undefined> {
    const office = await PostOffice.locate(this.#config).catch(() => undefined)
    let isUsable = false
    return () => {
      isUsable ||= office?.isUsable === true
      return isUsable ? office : undefined
    }
  }
}
