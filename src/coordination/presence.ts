/** Signs of life: of every call at once, and of whoever waits or holds a stream for as long as it does. Written together. */

import { chunksOf, marks } from '../store/store.ts'
import type { WriteQueue } from '../store/write-queue.ts'
import type { Clock } from '../system/clock.ts'
import { log } from '../system/log.ts'
import { uuid } from '../system/random.ts'
import type { News } from './news.ts'
import { heardOf } from './sessions/session-rows.ts'

const longestPauseMs = 10_000
const agentsAStatement = 200
const agentsATransaction = 1000
/** Of so many it is remembered when they last called. */
const callersKept = 20_000

/** Ids of agents, by project. */
type AgentIds = Map<string, Set<string>>
/** How many hold each agent, by project. */
type Holders = Map<string, Map<string, number>>

export class Presence {
  readonly #queue: WriteQueue
  readonly #clock: Clock
  /** An agent is stale when nothing was heard of it for this long. */
  readonly staleMs: number
  readonly #timer: NodeJS.Timeout
  readonly #news: News
  readonly #seen: AgentIds = new Map()
  /** Those who were seen because they called, whoever has written it. */
  readonly #called: AgentIds = new Map()
  /** When the last of them did. */
  #calledUs = 0
  readonly #held: Holders = new Map()
  /** Those of them of whose sessions nothing is heard since a call takes long. */
  readonly #inCall: Holders = new Map()
  /** When each last called by itself, the one that did so longest ago first; in milliseconds. */
  readonly #calls = new Map<string, number>()
  /** Until when each is kept alive by a connection elsewhere, which says so again and again. */
  readonly #kept = new Map<string, number>()

  constructor(queue: WriteQueue, clock: Clock, staleMs: number, news: News) {
    this.#queue = queue
    this.#news = news
    this.#clock = clock
    this.staleMs = staleMs
    const pauseMs = Math.min(longestPauseMs, staleMs / 4)
    this.#timer = setInterval(
      () => this.flush().catch(() => log('signs of life could not be kept')),
      pauseMs,
    )
    this.#timer.unref()
  }

  /** Whether a sign of life is so old that it cannot wait for the next flush: another server may sweep before. */
  isOverdue(lastSeenUs: number): boolean {
    return this.#clock.now() * 1000 - lastSeenUs > (this.staleMs * 1000) / 4
  }

  /** It called; written with the next flush. */
  seen(project: string, agentId: string): void {
    add(this.#seen, project, agentId)
    this.called(project, agentId)
  }

  /** It did something itself, which is more than that it lives; told with the next flush. */
  called(project: string, agentId: string): void {
    this.#calledUs = this.#clock.now() * 1000
    add(this.#called, project, agentId)
    noteLast(this.#calls, keyOf(project, agentId), this.#clock.now())
  }

  /** Somebody else keeps it alive for now. */
  keptAlive(project: string, agentId: string): void {
    noteLast(this.#kept, keyOf(project, agentId), this.#clock.now() + this.staleMs)
  }

  /** Whether a connection keeps it alive, so that its last sign of life says nothing of what it does. */
  isHeld(project: string, agentId: string): boolean {
    const until = this.#kept.get(keyOf(project, agentId)) ?? 0
    return this.#held.get(project)?.has(agentId) === true || until > this.#clock.now()
  }

  /** When it last called by itself, in microseconds; 0 where this process does not know. */
  calledUs(project: string, agentId: string): number {
    return (this.#calls.get(keyOf(project, agentId)) ?? 0) * 1000
  }

  /** Alive until the function that this gives is called. @param isInCall its session counts as heard of, too. */
  hold(project: string, agentId: string, isInCall = false): () => void {
    const all = isInCall ? [this.#held, this.#inCall] : [this.#held]
    for (const holders of all) count(holders, project, agentId, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      for (const holders of all) count(holders, project, agentId, -1)
      add(this.#seen, project, agentId)
    }
  }

  /** Writes the signs of life that are due. Agents that are gone stay gone. */
  async flush(): Promise<void> {
    this.#tell()
    for (const [project, agents] of this.#held) {
      for (const agentId of agents.keys()) add(this.#seen, project, agentId)
    }
    const due = [...this.#seen]
    this.#seen.clear()
    const written = await Promise.allSettled(
      due.map(([project, agents]) => this.#write(project, [...agents])),
    )
    for (const [index, [project, agents]] of due.entries()) {
      const result = written[index]
      if (result?.status !== 'rejected') continue
      for (const agentId of agents) add(this.#seen, project, agentId) // with the next flush, then
    }
    const failed = written.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tell(): void {
    const us = this.#calledUs
    for (const [project, agents] of this.#called) {
      this.#news.tell({ about: 'seen', project, agents: [...agents], us })
    }
    this.#called.clear()
  }

  async #write(project: string, agents: string[]): Promise<void> {
    for (const many of chunksOf(agents, agentsATransaction)) {
      await this.#queue.write(async (write) => {
        for (const some of chunksOf(many, agentsAStatement)) {
          await write.run(
            `UPDATE presence SET last_seen_us = ?, token = ? WHERE project = ? AND agent_id IN (${marks(some.length)})`,
            this.#clock.now() * 1000,
            uuid(),
            project,
            ...some,
          )
          const inCall = some.filter((agentId) => this.#inCall.get(project)?.has(agentId))
          if (inCall.length > 0) await heardOf(write, this.#clock, project, inCall)
        }
      })
    }
  }
}

function add(ids: AgentIds, project: string, agentId: string): void {
  const agents = ids.get(project)
  if (agents) agents.add(agentId)
  else ids.set(project, new Set([agentId]))
}

const keyOf = (project: string, agentId: string): string => `${agentId} ${project}`

function noteLast(times: Map<string, number>, key: string, ms: number): void {
  times.delete(key)
  times.set(key, ms)
  const [oldest] = times.size > callersKept ? times.keys() : []
  if (oldest !== undefined) times.delete(oldest)
}

function count(holders: Holders, project: string, agentId: string, more: number): void {
  const agents = holders.get(project) ?? new Map<string, number>()
  holders.set(project, agents)
  const now = (agents.get(agentId) ?? 0) + more
  if (now > 0) agents.set(agentId, now)
  else agents.delete(agentId)
}
