/** Claims on files: one holder a path, whatever its spelling. */

import { AgentMailError } from '../errors.ts'
import type { Write } from '../store/batch.ts'
import {
  chunksOf,
  integer,
  marks,
  type Reader,
  type Row,
  type SqlValue,
  text,
} from '../store/store.ts'
import { sha256 } from '../system/text.ts'
import type { Agents } from './agents.ts'
import type { Desk } from './desk.ts'
import { Ledger } from './ledger.ts'
import { entriesAPage, fillPage } from './pages.ts'
import { timeText } from './time.ts'

export interface Conflict {
  file: string
  held_by: string
  holder_name: string
  claimed_at: string
}

export interface ClaimEntry {
  file_path: string
  agent_id: string
  claimed_at: string
  holder_name: string
}

const pathsAStatement = 250
const claimsAnAgent = 10_000
const claimsAProject = 100_000

/** A path as the caller wrote it, and what it is compared by. */
interface NamedPath {
  spelling: string
  path: string
  hash: string
}

export class Claims {
  readonly #desk: Desk
  readonly #agents: Agents

  constructor(desk: Desk, agents: Agents) {
    this.#desk = desk
    this.#agents = agents
  }

  /** Claims what is free; what you hold is yours already, what another holds is a conflict. */
  async claim({
    agent_id,
    files,
  }: {
    agent_id: string
    files: string[]
  }): Promise<{ claimed: string[]; conflicts: Conflict[] }> {
    const { project, queue } = this.#desk
    const paths = await this.#named(files)
    return queue.writeWith([this.#agents.alive(agent_id)], async (write) => {
      const agent = await this.#agents.touch(write, agent_id)
      const held = await this.#held(write, paths)
      const free = paths.filter(({ hash }) => !held.has(hash))
      if (free.length > 0) await this.#checkRoom(write, agent_id, free)
      const taken = new Set<string>()
      // Without a free path nothing changes, so nothing is taken from the ledger.
      const ledger = free.length > 0 ? await Ledger.open(write, this.#desk) : undefined
      for (const { path, hash } of free) {
        if (!ledger || taken.has(hash)) continue
        taken.add(hash)
        const at = ledger.nextTime()
        write.append('file_claims', {
          project,
          path_hash: hash,
          file_path: path,
          agent_id,
          agent_name: agent.name,
          claimed_us: at,
        })
        ledger.record(agent, 'claimed', { at, file_path: path })
      }
      const isOthers = ({ hash }: NamedPath) => {
        const row = held.get(hash)
        return row !== undefined && text(row.agent_id) !== agent_id
      }
      return {
        claimed: paths.filter((path) => !isOthers(path)).map(({ spelling }) => spelling),
        conflicts: paths.filter(isOthers).map(({ spelling, hash }) => {
          const row = held.get(hash)
          return {
            file: spelling,
            held_by: text(row?.agent_id),
            holder_name: text(row?.agent_name),
            claimed_at: timeText(integer(row?.claimed_us)),
          }
        }),
      }
    })
  }

  /** Releases what is yours of these, and tells which that was. */
  async release({
    agent_id,
    files,
  }: {
    agent_id: string
    files: string[]
  }): Promise<{ released: string[] }> {
    const { project, queue } = this.#desk
    const paths = await this.#named(files)
    return queue.writeWith([this.#agents.alive(agent_id)], async (write) => {
      const agent = await this.#agents.touch(write, agent_id)
      const held = await this.#held(write, paths)
      const own = paths.filter(({ hash }) => held.get(hash)?.agent_id === agent_id)
      if (own.length === 0) return { released: [] }
      const ledger = await Ledger.open(write, this.#desk)
      const hashes = [...new Set(own.map(({ hash }) => hash))]
      for (const some of chunksOf(hashes, pathsAStatement)) {
        await write.run(
          `DELETE FROM file_claims WHERE project = ? AND agent_id = ? AND path_hash IN (${marks(some.length)})`,
          project,
          agent_id,
          ...some,
        )
      }
      for (const hash of hashes) {
        ledger.record(agent, 'released', { file_path: text(held.get(hash)?.file_path) })
      }
      return { released: own.map(({ spelling }) => spelling) }
    })
  }

  /** In the order of their paths: all of these files, or a page of all that are claimed. */
  async get({
    files,
    limit = entriesAPage,
    after,
  }: {
    files?: string[] | undefined
    limit?: number | undefined
    /** Only paths that come after this one. */
    after?: string | undefined
  }): Promise<{ claims: ClaimEntry[]; has_more: boolean }> {
    const { project, store } = this.#desk
    if (files) {
      const held = await this.#held(store, await this.#named(files))
      return { claims: [...held.values()].map(entryOf).sort(byPath), has_more: false }
    }
    const [start = ''] = after === undefined ? [] : await this.#desk.normalPaths([after])
    const page = await fillPage(
      limit,
      limit + 1,
      (last) =>
        store.all(
          `SELECT * FROM file_claims WHERE project = ? AND file_path > ? ORDER BY project, file_path LIMIT ${limit + 1}`,
          project,
          last ? text(last.file_path) : start,
        ),
      entryOf,
    )
    return { claims: page.entries, has_more: page.has_more }
  }

  /** Refuses what would be too many. Counts only where it could be: a count goes through all claims. */
  async #checkRoom(write: Write, agentId: string, free: NamedPath[]): Promise<void> {
    const { project } = this.#desk
    const more = new Set(free.map(({ hash }) => hash)).size
    const ledger = await Ledger.lookedAt(write, this.#desk)
    if (ledger.claimsAtMost + more > claimsAProject) {
      ledger.claimsAtMost = await countClaims(write, 'project = ?', project)
    }
    if (ledger.claimsAtMost + more > claimsAProject) {
      throw tooManyClaims('the project has', ledger.claimsAtMost, claimsAProject, more)
    }
    if (ledger.claimsAtMost + more <= claimsAnAgent) return
    const own = await countClaims(write, 'project = ? AND agent_id = ?', project, agentId)
    if (own + more > claimsAnAgent) throw tooManyClaims('you have', own, claimsAnAgent, more)
  }

  async #named(files: string[]): Promise<NamedPath[]> {
    const spellings = [...new Set(files)]
    const paths = await this.#desk.normalPaths(spellings)
    return paths.map((path, index) => ({
      spelling: spellings[index] ?? '',
      path,
      hash: sha256(path),
    }))
  }

  /** The claims on these paths, by hash. */
  async #held(reader: Reader, paths: NamedPath[]): Promise<Map<string, Row>> {
    const held = new Map<string, Row>()
    for (const some of chunksOf([...new Set(paths.map(({ hash }) => hash))], pathsAStatement)) {
      const rows = await reader.all(
        `SELECT * FROM file_claims WHERE project = ? AND path_hash IN (${marks(some.length)})`,
        this.#desk.project,
        ...some,
      )
      for (const row of rows) held.set(text(row.path_hash), row)
    }
    return held
  }
}

const entryOf = (row: Row): ClaimEntry => ({
  file_path: text(row.file_path),
  agent_id: text(row.agent_id),
  claimed_at: timeText(integer(row.claimed_us)),
  holder_name: text(row.agent_name),
})

/** As every store orders them, which is not how JavaScript compares texts. */
const byPath = (one: ClaimEntry, other: ClaimEntry): number =>
  Buffer.compare(Buffer.from(one.file_path), Buffer.from(other.file_path))

async function countClaims(write: Write, which: string, ...values: SqlValue[]): Promise<number> {
  const [row] = await write.all(
    `SELECT COUNT(*) AS claims FROM file_claims WHERE ${which}`,
    ...values,
  )
  return integer(row?.claims)
}

const tooManyClaims = (whose: string, held: number, most: number, more: number) =>
  new AgentMailError(
    'invalid_request',
    `too many claims: ${whose} ${held} of at most ${most}, and these would be ${more} more`,
    'Nothing of this call was claimed. Release what nobody works on, or claim fewer files.',
  )
