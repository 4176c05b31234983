/** Makes a version of the database every so often while something changes, where its engine keeps versions: of several servers, one does. */
import { hostname } from 'node:os'
import { versionedTables } from '../../store/schema.ts'
import {
  integer,
  type Reader,
  type Store,
  StoreError,
  text,
  type VersionMessage,
  type Versions,
} from '../../store/store.ts'
import { log } from '../../system/log.ts'

const maxNames = 10
const patientLooks = 3

/** AgentMail on this machine. */
export const versionAuthor = (): string =>
  `AgentMail <agentmail@${hostname().replace(/[<>\s]/g, '') || 'localhost'}>`

export class VersionKeeper {
  readonly #store: Reader
  readonly #versions: Versions
  readonly #timer: NodeJS.Timeout
  #keeping: Promise<void> | undefined
  #lastTrouble = ''
  /** The newest version, and for how many looks there has been something newer than it. */
  #newest: string | undefined
  #looks = 0

  constructor(store: Store, versions: Versions, everyMs: number) {
    this.#store = store
    this.#versions = versions
    this.#timer = setInterval(() => this.keep(), everyMs)
    this.#timer.unref()
  }

  /** Nothing is lost if it fails: the next version holds what this one would have. */
  keep(): Promise<void> {
    this.#keeping ??= this.#keep()
      .then(() => this.#tell(''))
      .catch((error) => this.#tell(error.message))
      .finally(() => {
        this.#keeping = undefined
      })
    return this.#keeping
  }

  /** The last version, of what came since the one before. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#keeping
    await this.keep()
  }

  /** Once, not every few seconds. */
  #tell(trouble: string): void {
    if (trouble !== '' && trouble !== this.#lastTrouble) {
      log(`no version of the database could be made, and it will be tried again: ${trouble}`)
    }
    this.#lastTrouble = trouble
  }

  async #keep(): Promise<void> {
    if (!(await this.#versions.isKeeper()) && !(await this.#isNeglected())) return
    await this.#versions.keep(
      versionedTables,
      (...tables) => this.#news(...tables),
      versionAuthor(),
    )
  }

  /** Whether the keeper, wherever it is, has left something out for so long that it must be gone. */
  async #isNeglected(): Promise<boolean> {
    const newest = await this.#versions.find('HEAD')
    const table = newest && this.#versions.table('projects', newest)
    const [now, kept] = [await this.#entries('projects'), table && (await this.#entries(table))]
    const isNewer = [...now].some(([project, entry]) => !kept || kept.get(project) !== entry)
    this.#looks = isNewer && newest === this.#newest ? this.#looks + 1 : 0
    this.#newest = newest
    return this.#looks > patientLooks
  }

  /** What happened since the last version, in one line. */
  async #news(...[tableNow, tableBefore]: Parameters<VersionMessage>): Promise<string> {
    const now = await this.#entries(tableNow('projects'))
    const before = await this.#entries(tableBefore('projects'))
    const parts: string[] = []
    for (const [project, last] of now) {
      const first = before.get(project) ?? 0
      if (last === first) continue
      const rows = await this.#store.all(
        'SELECT agent_name, event, COUNT(*) AS times FROM journal WHERE project = ? AND entry > ? AND entry <= ? GROUP BY agent_name, event',
        ...[project, first, last],
      )
      const counts = new Map<string, number>()
      const names = new Set<string>()
      for (const row of rows) {
        const event = text(row.event)
        counts.set(event, (counts.get(event) ?? 0) + integer(row.times))
        names.add(text(row.agent_name))
      }
      const events = [...counts].map(([event, times]) => `${times} ${event}`).join(', ')
      const people = [...names].sort().slice(0, maxNames).join(', ')
      const others = names.size > maxNames ? ` and ${names.size - maxNames} others` : ''
      parts.push(`${project ? `${project}: ` : ''}${events} (${people}${others})`)
    }
    return parts.length > 0 ? parts.join('; ') : 'AgentMail: the tables'
  }

  /** The last entry of each project's journal. */
  async #entries(projects: string): Promise<Map<string, number>> {
    try {
      const rows = await this.#store.all(`SELECT project, last_entry FROM ${projects}`)
      return new Map(rows.map((row) => [text(row.project), integer(row.last_entry)]))
    } catch (error) {
      if (StoreError.is(error) && error.trouble === 'failed') return new Map() // before the first
      throw error
    }
  }
}
