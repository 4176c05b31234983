/** Removes agents that have gone stale: their claims are released and the others are told, once. */

import type { Write } from '../store/batch.ts'
import { marks, type Row, text } from '../store/store.ts'
import { log } from '../system/log.ts'
import type { WatchedClock } from './clocks.ts'
import type { Desk } from './desk.ts'
import { Ledger } from './ledger.ts'
import { broadcast, store } from './messages.ts'

/** A sweep that comes later than this was held up, and so were signs of life. */
const pauseToleranceMs = 5000

/**
 * Sweeps from time to time. Whoever has not been listening for the whole time after which an agent
 * is stale (just started, asleep, its clock set, its database gone) cannot know who is, and waits
 * until it has.
 */
export class Sweeper {
  readonly #sweep: () => Promise<unknown>
  readonly #clock: WatchedClock
  readonly #attend: () => Promise<unknown>
  readonly #isDown: () => boolean
  readonly #staleMs: number
  readonly #everyMs: number
  readonly #timer: NodeJS.Timeout
  #listeningSince: number
  #lastTick = performance.now()
  #timesSet: number

  constructor(options: {
    sweep: () => Promise<unknown>
    clock: WatchedClock
    /** Says that somebody looks after the agents: at once, and before each sweep. */
    attend?: () => Promise<unknown>
    /** Whether the database is gone, so that no sign of life can be kept. */
    isDown: () => boolean
    staleMs: number
    everyMs: number
  }) {
    this.#sweep = options.sweep
    this.#clock = options.clock
    this.#attend = options.attend ?? (async () => {})
    this.#isDown = options.isDown
    this.#staleMs = options.staleMs
    this.#everyMs = options.everyMs
    this.#listeningSince = this.#clock.now()
    this.#timesSet = this.#clock.timesSet
    this.#timer = setInterval(() => this.#tick(), options.everyMs)
    this.#timer.unref()
    this.#attend().catch(() => {}) // the first sweep says it again
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #tick(): Promise<void> {
    try {
      await this.#attend()
      // Before it is compared with the steady time: it may have been set.
      await this.#clock.set()
      if (this.#hasListened()) await this.#sweep()
    } catch (error) {
      this.#listeningSince = this.#clock.now() // nor could signs of life be kept
      if (this.#isDown()) return // which was logged once
      log(
        `the sweep failed and will be tried again: ${error instanceof Error ? error.message : error}`,
      )
    }
  }

  /** Whether it was there all the time after which an agent is stale. */
  #hasListened(): boolean {
    const [now, steady] = [this.#clock.now(), performance.now()]
    const pause = steady - this.#lastTick - this.#everyMs
    const isHeldUp = pause > Math.max(pauseToleranceMs, this.#staleMs / 4)
    if (this.#isDown() || isHeldUp || this.#clock.timesSet !== this.#timesSet) {
      this.#listeningSince = now
    }
    this.#lastTick = steady
    this.#timesSet = this.#clock.timesSet
    return now - this.#listeningSince >= this.#staleMs
  }
}

/** Removes the agents of a project that were silent since then, in one transaction; a sign of life that comes first keeps its agent. */
export async function sweepProject(desk: Desk, silentSinceUs: number): Promise<number> {
  return desk.queue.write(async (write) => {
    const stale = await write.all(
      `SELECT p.agent_id, p.token, a.name, a.role
        FROM presence p JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id
        WHERE p.project = ? AND p.last_seen_us < ?`,
      desk.project,
      silentSinceUs,
    )
    const swept: Row[] = []
    for (const agent of stale) {
      const removed = await write.run(
        'DELETE FROM presence WHERE project = ? AND agent_id = ? AND token = ?',
        desk.project,
        text(agent.agent_id),
        text(agent.token),
      )
      if (removed === 1) swept.push(agent)
    }
    if (swept.length > 0) await tell(write, desk, swept)
    return swept.length
  })
}

async function tell(write: Write, desk: Desk, swept: Row[]): Promise<void> {
  const { project } = desk
  const ledger = await Ledger.open(write, desk)
  const ids = swept.map((agent) => text(agent.agent_id))
  const claims = await write.all(
    `SELECT file_path, agent_id FROM file_claims WHERE project = ? AND agent_id IN (${marks(ids.length)}) ORDER BY project, path_hash`,
    project,
    ...ids,
  )
  await write.run(
    `DELETE FROM file_claims WHERE project = ? AND agent_id IN (${marks(ids.length)})`,
    project,
    ...ids,
  )
  for (const row of swept) {
    const agent = { agent_id: text(row.agent_id), name: text(row.name) }
    for (const claim of claims.filter(({ agent_id }) => agent_id === agent.agent_id)) {
      ledger.record(agent, 'released', { file_path: text(claim.file_path) })
    }
    const letter = {
      channel: broadcast,
      subject: 'agent-stale',
      body: `Agent ${agent.name} (role: ${text(row.role)}) went stale and was removed. Its file claims have been released.`,
    }
    await store(write, desk, agent, letter, 'went stale')
  }
}

/** A clock that was set back leaves signs of life in the future, which would keep an agent for ever. */
export async function bringBack(desk: Desk, staleMs: number): Promise<void> {
  const ahead = await desk.store.all(
    'SELECT agent_id FROM presence WHERE project = ? AND last_seen_us > ?',
    desk.project,
    (desk.clock.now() + staleMs) * 1000,
  )
  for (const row of ahead) desk.presence.seen(desk.project, text(row.agent_id))
}
