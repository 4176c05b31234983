/** Claims on files and folders: one holder a path, whatever its spelling, and nobody else's below a folder. */

import { AgentMailError } from '../../errors.ts'
import type { Write } from '../../store/batch.ts'
import {
  chunksOf,
  integer,
  marks,
  type Reader,
  type Row,
  type SqlValue,
  text,
} from '../../store/store.ts'
import type { Agents } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { leaveIfDone } from '../leaving.ts'
import { Ledger } from '../ledger.ts'
import { entriesAPage, fillPage } from '../pages.ts'
import { timeText } from '../time.ts'
import {
  byPath,
  type ClaimEntry,
  entryOf,
  type Held,
  heldAt,
  heldBelow,
  heldBy,
  othersBelow,
  othersOver,
  outermost,
  pathsAStatement,
} from './held.ts'
import { type NamedPlace, pathsNamedBy, placesOf } from './places.ts'

export interface Conflict {
  file: string
  held_by: string
  holder_name: string
  claimed_at: string
}

const claimsAnAgent = 10_000
const claimsAProject = 100_000
/** So many are named that are in the way of one folder, and of all folders of a call; of each, one at least. */
const conflictsAFolder = 100
const conflictsACall = 1000

export class Claims {
  readonly #desk: Desk
  readonly #agents: Agents

  constructor(desk: Desk, agents: Agents) {
    this.#desk = desk
    this.#agents = agents
  }

  /** Where it cannot be read what is a folder: whoever writes is told what becomes of a write. */
  #toWrite(files: string[]): Promise<NamedPlace[]> {
    const { queue } = this.#desk
    return placesOf(this.#desk, files).catch((error) => {
      if (!AgentMailError.is(error, 'storage')) throw error
      return queue.write(() => Promise.reject(error))
    })
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
    const places = await this.#toWrite(files)
    return queue.writeWith([this.#agents.alive(agent_id)], async (write) => {
      const agent = await this.#agents.touch(write, agent_id)
      const held = await this.#heldAsSeenBy(write, places, agent_id)
      const inTheWay = await this.#inTheWay(write, places, held, agent_id)
      const isOurs = (place: NamedPlace) => inTheWay.get(place)?.length === 0
      const free = new Map<string, NamedPlace>()
      for (const place of places) {
        if (!held.has(place.path) && isOurs(place)) free.set(place.hash, place)
      }
      if (free.size > 0) {
        await this.#checkRoom(write, agent_id, free.size)
        // Without a free path nothing changes, so nothing is taken from the ledger.
        const ledger = await Ledger.open(write, this.#desk)
        for (const { path, hash } of free.values()) {
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
      }
      return {
        claimed: places.filter(isOurs).map(({ spelling }) => spelling),
        conflicts: conflictsOf(inTheWay),
      }
    })
  }

  /**
   * The claims at these places and above them. Where one may be free, they are read once the counters
   * are taken: whoever claims takes those too, so no claim on a folder comes between.
   */
  async #heldAsSeenBy(write: Write, places: NamedPlace[], agentId: string): Promise<Held> {
    const { project } = this.#desk
    const held = await heldAt(write, project, places)
    const isPerhapsFree = (place: NamedPlace) =>
      !held.has(place.path) && othersOver(place, held, agentId).length === 0
    if (!places.some(isPerhapsFree)) return held
    await Ledger.lookedAt(write, this.#desk)
    return heldAt(write, project, places)
  }

  /** What others hold that is in the way of each of these places: the very path, else what is above and below it. */
  async #inTheWay(
    reader: Reader,
    places: NamedPlace[],
    held: Held,
    agentId: string,
  ): Promise<Map<NamedPlace, Row[]>> {
    const { project } = this.#desk
    const folders = places.filter(({ isFolder }) => isFolder).length
    const most = Math.max(1, Math.min(conflictsAFolder, Math.floor(conflictsACall / folders)))
    const found = new Map<NamedPlace, Row[]>()
    for (const place of places) {
      const exact = held.get(place.path)
      const over = othersOver(place, exact ? new Map([[place.path, exact]]) : held, agentId)
      const below =
        place.isFolder && !exact ? await othersBelow(reader, project, place, { agentId, most }) : []
      found.set(place, [...over, ...below].slice(0, most))
    }
    return found
  }

  /** Releases what is yours of these, and tells which that was. What was claimed singly below a folder stays. */
  async release({
    agent_id,
    files,
  }: {
    agent_id: string
    files: string[]
  }): Promise<{ released: string[] }> {
    const { project, queue } = this.#desk
    const places = await this.#toWrite(files)
    return queue.writeWith([this.#agents.alive(agent_id)], async (write) => {
      const agent = await this.#agents.touch(write, agent_id)
      const named = [...new Set(places.flatMap(pathsNamedBy))]
      const held = await heldBy(write, project, named)
      const own = named.filter((path) => held.get(path)?.agent_id === agent_id)
      if (own.length === 0) return { released: [] }
      const ledger = await Ledger.open(write, this.#desk)
      for (const some of chunksOf(own, pathsAStatement)) {
        await write.run(
          `DELETE FROM file_claims WHERE project = ? AND agent_id = ? AND path_hash IN (${marks(some.length)})`,
          project,
          agent_id,
          ...some.map((path) => text(held.get(path)?.path_hash)),
        )
      }
      for (const path of own) {
        ledger.record(agent, 'released', { file_path: text(held.get(path)?.file_path) })
      }
      await leaveIfDone(write, this.#desk, agent)
      const gone = new Set(own)
      const isReleased = (place: NamedPlace) => pathsNamedBy(place).some((path) => gone.has(path))
      return { released: places.filter(isReleased).map(({ spelling }) => spelling) }
    })
  }

  /**
   * Without `files` a page of all claims, in the order of their paths. With them all claims on these
   * paths and on the folders above them, and then a page of what is below those that are folders.
   */
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
    const [start = ''] = after === undefined ? [] : await this.#desk.normalPaths([after])
    if (files) return this.#getAt(await placesOf(this.#desk, files), { limit, start })
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

  async #getAt(
    places: NamedPlace[],
    { limit, start }: { limit: number; start: string },
  ): Promise<{ claims: ClaimEntry[]; has_more: boolean }> {
    const { project, store } = this.#desk
    const held = [...(await heldAt(store, project, places)).values()].sort(byPath)
    const folders = outermost(places.filter(({ isFolder }) => isFolder))
    const entries = held.map(entryOf)
    if (folders.length === 0) return { claims: entries, has_more: false }
    const hashes = new Set(held.map((row) => row.path_hash))
    const but = (row: Row) => hashes.has(text(row.path_hash))
    const below = await heldBelow(this.#desk, folders, { start, most: limit + 1, but })
    const page = await fillPage(limit, below.length + 1, async () => below, entryOf)
    // Whoever goes on after a path had the others with the page before.
    return { claims: [...(start === '' ? entries : []), ...page.entries], has_more: page.has_more }
  }

  /** Refuses what would be too many. Counts only where it could be: a count goes through all claims. */
  async #checkRoom(write: Write, agentId: string, more: number): Promise<void> {
    const { project } = this.#desk
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
}

/** Under the caller's spelling where it named that very path; what is held above or below, by its own path and once. */
function conflictsOf(inTheWay: Map<NamedPlace, Row[]>): Conflict[] {
  const named = new Set<string>()
  return [...inTheWay].flatMap(([place, rows]) =>
    rows.flatMap((row) => {
      const hash = text(row.path_hash)
      const isExact = hash === place.hash
      if (named.has(hash) && !isExact) return []
      named.add(hash)
      return {
        file: isExact ? place.spelling : text(row.file_path),
        held_by: text(row.agent_id),
        holder_name: text(row.agent_name),
        claimed_at: timeText(integer(row.claimed_us)),
      }
    }),
  )
}

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
