/** Claims on files: one holder a path, whatever its spelling. */

import { integer, marks, type Reader, type Row, text } from '../store/store.ts'
import { sha256 } from '../system/text.ts'
import type { Agents } from './agents.ts'
import type { Desk } from './desk.ts'
import { Ledger } from './ledger.ts'
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
      for (const some of chunksOf(hashes)) {
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

  /** Of these files, or of all. */
  async get({ files }: { files?: string[] | undefined }): Promise<{ claims: ClaimEntry[] }> {
    const { project, store } = this.#desk
    const rows = files
      ? (await this.#held(store, await this.#named(files))).values()
      : await store.all('SELECT * FROM file_claims WHERE project = ?', project)
    return {
      claims: [...rows].map(entryOf).sort((a, b) => (a.file_path < b.file_path ? -1 : 1)),
    }
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
    for (const some of chunksOf([...new Set(paths.map(({ hash }) => hash))])) {
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

function* chunksOf(values: string[]): Generator<string[]> {
  for (let start = 0; start < values.length; start += pathsAStatement) {
    yield values.slice(start, start + pathsAStatement)
  }
}
