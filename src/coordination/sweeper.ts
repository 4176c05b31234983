/** Removes agents that have gone stale: their claims are released and the others are told, once. */

import type { Write } from '../store/batch.ts'
import { integer, marks, type Row, StoreError, text } from '../store/store.ts'
import { log } from '../system/log.ts'
import type { WatchedClock } from './clocks.ts'
import type { Desk } from './desk.ts'
import { Ledger } from './ledger.ts'
import { broadcast, store } from './messages.ts'
import { askingUs, releaseUnheard } from './sessions/unheard.ts'

/** A sweep that comes later than this was held up, and so were signs of life. */
const pauseToleranceMs = 5000
/** What one transaction of a sweep takes, so that a call beside it waits for that much only. */
const agentsAPiece = 200
const claimsAPiece = 1000
/** Whose session waits for its user is silent as long as that takes: it stays for so much longer, and can be written to. */
const idleUs = 12 * 3600 * 1_000_000
/** Whoever holds files is not waited for, since others may want them, unless its user is being asked. */
const isNotIdle = `(NOT EXISTS (SELECT s.session_key FROM sessions s
    WHERE s.project = p.project AND s.agent_id = p.agent_id AND s.state IN ('ready', 'waits') AND s.heard_us >= ?)
  OR (EXISTS (SELECT c.path_hash FROM file_claims c WHERE c.project = p.project AND c.agent_id = p.agent_id)
    AND NOT EXISTS (SELECT s.session_key FROM sessions s
      WHERE s.project = p.project AND s.agent_id = p.agent_id AND s.state = 'waits' AND s.state_us >= ?)))`

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
  #isSweeping = false

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
      // One that has much to do may still be at it.
      if (!this.#hasListened() || this.#isSweeping) return
      this.#isSweeping = true
      await this.#sweep().finally(() => {
        this.#isSweeping = false
      })
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

/**
 * Removes the agents of a project that were silent since then; a sign of life that comes first keeps
 * its agent. Some at a time, each with all that is its own in one transaction, so that others wait briefly.
 */
export async function sweepProject(desk: Desk, silentSinceUs: number): Promise<number> {
  await releaseUnheard(desk)
  let swept = 0
  for (let after = ''; ; ) {
    const piece = await desk.queue.write((write) => sweepSome(write, desk, silentSinceUs, after))
    swept += piece.swept
    if (piece.last === undefined) return swept
    after = piece.last
  }
}

/** `last`: the agent to go on after, if there may be more. */
async function sweepSome(
  write: Write,
  desk: Desk,
  silentSinceUs: number,
  after: string,
): Promise<{ swept: number; last?: string }> {
  const { project } = desk
  const stale = await write.all(
    `SELECT p.agent_id, a.name, a.role
      FROM presence p JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id
      WHERE p.project = ? AND p.agent_id > ? AND p.last_seen_us < ? AND ${isNotIdle}
      ORDER BY p.project, p.agent_id LIMIT ${agentsAPiece}`,
    ...[project, after, silentSinceUs, silentSinceUs - idleUs, desk.clock.now() * 1000 - askingUs],
  )
  const agents = await untilEnoughClaims(write, project, stale)
  const ids = agents.map((agent) => text(agent.agent_id))
  const last = ids.at(-1)
  if (last === undefined) return { swept: 0 }
  const removed = await write.run(
    `DELETE FROM presence WHERE project = ? AND last_seen_us < ? AND agent_id IN (${marks(ids.length)})`,
    project,
    silentSinceUs,
    ...ids,
  )
  if (removed < ids.length) throw new StoreError('again', 'an agent gave a sign of life meanwhile')
  await tell(write, desk, agents, ids)
  const isLast = stale.length < agentsAPiece && agents.length === stale.length
  return { swept: ids.length, ...(isLast ? {} : { last }) }
}

/** The first of these agents, up to where a transaction has enough to release; one at least. */
async function untilEnoughClaims(write: Write, project: string, stale: Row[]): Promise<Row[]> {
  if (stale.length === 0) return []
  const rows = await write.all(
    `SELECT agent_id, COUNT(*) AS claims FROM file_claims
      WHERE project = ? AND agent_id IN (${marks(stale.length)}) GROUP BY agent_id`,
    project,
    ...stale.map((agent) => text(agent.agent_id)),
  )
  const counts = new Map(rows.map((row) => [text(row.agent_id), integer(row.claims)]))
  let claims = 0
  const tooFar = stale.findIndex((agent, index) => {
    claims += counts.get(text(agent.agent_id)) ?? 0
    return index > 0 && claims > claimsAPiece
  })
  return tooFar === -1 ? stale : stale.slice(0, tooFar)
}

async function tell(write: Write, desk: Desk, swept: Row[], ids: string[]): Promise<void> {
  const { project } = desk
  const ledger = await Ledger.open(write, desk)
  const which = `project = ? AND agent_id IN (${marks(ids.length)})`
  const claims = await write.all(
    `SELECT file_path, agent_id FROM file_claims WHERE ${which}`,
    project,
    ...ids,
  )
  if (claims.length > 0) await write.run(`DELETE FROM file_claims WHERE ${which}`, project, ...ids)
  const files = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const claim of claims) files.get(text(claim.agent_id))?.push(text(claim.file_path))
  const idle = await idleAmong(write, project, ids)
  for (const row of swept) {
    const agent = { agent_id: text(row.agent_id), name: text(row.name) }
    const released = files.get(agent.agent_id)?.sort() ?? []
    for (const file_path of released) ledger.record(agent, 'released', { file_path })
    if (released.length === 0 && idle.has(agent.agent_id)) {
      ledger.record(agent, 'left')
      continue
    }
    const letter = {
      channel: broadcast,
      subject: 'agent-stale',
      body: `Agent ${agent.name} (role: ${text(row.role)}) went stale and was removed. Its file claims have been released.`,
    }
    await store(write, desk, agent, letter, 'went stale')
  }
}

/** Those whose session waited for its user to the last: nobody need know. */
async function idleAmong(write: Write, project: string, ids: string[]): Promise<Set<string>> {
  const rows = await write.all(
    `SELECT DISTINCT agent_id FROM sessions WHERE project = ? AND state IN ('ready', 'waits') AND agent_id IN (${marks(ids.length)})`,
    ...[project, ...ids],
  )
  return new Set(rows.map((row) => text(row.agent_id)))
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
