/** Claims on files and folders: one holder a path, whatever its spelling, and nobody else's below a folder. */

import { AgentMailError } from '../../errors.ts'
import { chunksOf, integer, marks, type Reader, type Row, text } from '../../store/store.ts'
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
import { tellRefused } from './refused.ts'
import { type ReleaseByPerson, releaseByPerson } from './release-by-person.ts'
import { heldAsSeenBy, keepAsOwn, take } from './taking.ts'

export interface Conflict {
  file: string
  held_by: string
  holder_name: string
  claimed_at: string
}

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
    const { queue } = this.#desk
    const places = await this.#toWrite(files)
    return queue.writeWith([this.#agents.alive(agent_id)], async (write) => {
      const agent = await this.#agents.touch(write, agent_id)
      const held = await heldAsSeenBy(write, this.#desk, places, agent_id)
      const inTheWay = await this.#inTheWay(write, places, held, agent_id)
      const isOurs = (place: NamedPlace) => inTheWay.get(place)?.length === 0
      const free = new Map<string, NamedPlace>()
      for (const place of places) {
        if (!held.has(place.path) && isOurs(place)) free.set(place.hash, place)
      }
      await take(write, this.#desk, agent, [...free.values()])
      await keepAsOwn(write, this.#desk, agent, places.filter(isOurs), held)
      const refused = [...inTheWay].flatMap(([{ path }, [row]]) => (row ? [{ path, row }] : []))
      tellRefused(write, this.#desk, agent, refused)
      return {
        claimed: places.filter(isOurs).map(({ spelling }) => spelling),
        conflicts: conflictsOf(inTheWay),
      }
    })
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

  /** A person takes away what another holds, who is told; refused where that one holds it no longer. */
  releaseByPerson(request: ReleaseByPerson): Promise<{ message_id: number }> {
    return releaseByPerson(this.#desk, this.#agents, request)
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
}

/** Under the caller's spellings where it named that very path alone; what is above or below any of its places, by its own path and once. */
function conflictsOf(inTheWay: Map<NamedPlace, Row[]>): Conflict[] {
  const met = [...inTheWay].flatMap(([place, rows]) =>
    rows.map((row) => ({ row, hash: text(row.path_hash), place })),
  )
  const isExact = ({ hash, place }: (typeof met)[number]) => hash === place.hash
  const around = new Set(met.filter((one) => !isExact(one)).map(({ hash }) => hash))
  const named = new Set<string>()
  return met.flatMap(({ row, hash, place }) => {
    if (named.has(hash)) return []
    if (around.has(hash)) named.add(hash)
    return {
      file: around.has(hash) ? text(row.file_path) : place.spelling,
      held_by: text(row.agent_id),
      holder_name: text(row.agent_name),
      claimed_at: timeText(integer(row.claimed_us)),
    }
  })
}
