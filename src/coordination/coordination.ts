/** The coordination of all projects in one database, and what each project offers. */
import { identityOf } from '../store/identity.ts'
import { tell, withWords } from '../store/reading.ts'
import { migrate } from '../store/schema.ts'
import { type Reader, type Store, text } from '../store/store.ts'
import { WriteQueue } from '../store/write-queue.ts'
import { type Clock, systemClock } from '../system/clock.ts'
import { sha256 } from '../system/text.ts'
import { Refusals } from './claims/refused.ts'
import { type SettableClock, SharedClock, WatchedClock } from './clocks.ts'
import type { Desk, DeskVersions } from './desk.ts'
import { Journals } from './journal.ts'
import { ProjectCounters } from './ledger.ts'
import { News } from './news.ts'
import { Roots } from './paths.ts'
import { Presence } from './presence.ts'
import { type Project, projectAt } from './projects/project.ts'
import { Projects } from './projects/projects.ts'
import { homeOf, type SessionName } from './sessions/session-rows.ts'
import { bringBack, Sweeper, sweepProject } from './sweeper.ts'
import { type Pruned, type PruneRequest, pruneDatabase } from './upkeep/prune.ts'
import { VersionFinder } from './upkeep/version-finder.ts'
import { VersionKeeper } from './upkeep/version-keeper.ts'

export type { Project }

const maxOpenProjects = 1000
const noRoots = new Roots(async () => [])

export interface CoordinationOptions {
  store: Store
  /** An agent is stale when nothing was heard of it for this long. */
  staleMs: number
  /** By default the database's own, where machines share it. */
  clock?: Clock
  /** An id of this machine, by which the roots of projects are kept. */
  machine?: string
  /** Where a project lies on this machine. @param known its roots, as far as they were seen. */
  rootsOf?: (project: string, known: () => Promise<string[]>) => Roots
}

export class Coordination {
  readonly projects: Projects
  readonly journals: Journals
  readonly refusals = new Refusals()
  readonly #options: CoordinationOptions
  readonly #clock: WatchedClock
  readonly #reader: Reader
  readonly #queue: WriteQueue
  readonly #news: News
  readonly #presence: Presence
  readonly #opened = new Map<string, { desk: Desk; project: Project }>()
  #sweeper: Sweeper | undefined
  #versionKeeper: VersionKeeper | undefined

  private constructor(options: CoordinationOptions, clock: SettableClock) {
    this.#options = options
    this.#clock = new WatchedClock(clock, options.staleMs)
    this.#reader = withWords(options.store)
    this.#queue = new WriteQueue(options.store)
    this.#news = new News(this.#reader, options.store.others)
    this.journals = new Journals(this.#reader, this.#news)
    const { machine = '' } = options
    const onChange = () => this.#news.tell({ about: 'projects' })
    this.projects = new Projects({ reader: this.#reader, queue: this.#queue, machine, onChange })
    this.#presence = new Presence(this.#queue, this.#clock, options.staleMs, this.#news)
    this.lost?.addEventListener('abort', () => this.#stop())
    this.refusals.listen(({ project }) => this.#news.tell({ about: 'conflicts', project }))
  }

  static async open(options: CoordinationOptions): Promise<Coordination> {
    const { store } = options
    await migrate(store)
    const clock = options.clock ?? (store.clock ? await SharedClock.open(store.clock) : systemClock)
    return new Coordination(options, clock)
  }

  get engine(): string {
    return this.#options.store.engine
  }

  /** @param key which project; nothing is said about whether anything is in it yet. */
  project(key: string): Project {
    return this.#open(key).project
  }

  /** Tells whoever knows the database, and nobody else, that it is this one. */
  async proof(instance: string): Promise<string> {
    const identity = await identityOf(this.#reader)
    return sha256(`${identity?.database_id} ${instance}`)
  }

  /** Sweeps every so often from now on. */
  startSweeping(everyMs: number): void {
    const { staleMs, store } = this.#options
    const sweep = () => this.sweep()
    const attend = async () => store.attend?.()
    const isDown = () => this.downSince !== undefined || this.lost?.aborted === true
    this.#sweeper ??= new Sweeper({
      ...{ sweep, attend, isDown, staleMs, everyMs },
      clock: this.#clock,
    })
  }

  /** From now on, and once more at the end, where the database keeps versions. */
  startKeepingVersions(everyMs: number): void {
    const { store } = this.#options
    if (store.versions) this.#versionKeeper ??= new VersionKeeper(store, store.versions, everyMs)
  }

  /** Whether a server looks after the agents, wherever it is. */
  async isAttended(): Promise<boolean> {
    return (await this.#options.store.isAttended?.()) ?? false
  }

  /** Since when the database cannot be reached, in Unix milliseconds; nothing while it can. */
  get downSince(): number | undefined {
    return this.#options.store.downSince
  }

  /** Where the database is a file: aborted when that was taken away, and nothing is done any more. */
  get lost(): AbortSignal | undefined {
    return this.#options.store.file?.lost
  }

  /** Throws where the database is a file that was taken away. */
  checkFile(): void {
    this.#options.store.file?.check()
  }

  /** Removes whoever is stale now, in every project, and gives their number. */
  async sweep(): Promise<number> {
    const { staleMs } = this.#options
    const silentSinceUs = (this.#clock.now() - staleMs) * 1000
    const desks = (await this.liveProjects()).map((name) => this.#open(name).desk)
    for (const desk of desks) await bringBack(desk, staleMs)
    await this.#presence.flush()
    let swept = 0
    for (const desk of desks) swept += await sweepProject(desk, silentSinceUs)
    return swept
  }

  /** Removes what is old; nothing is told where another process is at it. */
  prune(request: PruneRequest): Promise<Pruned | undefined> {
    const desk = (name: string) => this.#open(name).desk
    const { store } = this.#options
    const parts = { store, reader: this.#reader, queue: this.#queue, clock: this.#clock, desk }
    return pruneDatabase(parts, request)
  }

  /** The projects that have registered agents. */
  async liveProjects(): Promise<string[]> {
    const rows = await this.#reader.all('SELECT DISTINCT project FROM presence ORDER BY project')
    return rows.map((row) => text(row.project))
  }

  /** The folder in which a session began that has not ended. */
  homeOf(session: SessionName): Promise<string | undefined> {
    return homeOf(this.#reader, session)
  }

  /** Whether the database answers. */
  async check(): Promise<void> {
    await this.#reader.all('SELECT value FROM meta')
  }

  /** Answers whoever waits for news, now and from now on. */
  stopWaiting(): void {
    this.#news.close()
  }

  /** Ends what waits, finishes what is being written, and closes the database. */
  async close(): Promise<void> {
    this.#stop()
    await this.#presence.flush().catch(() => {})
    await this.#queue.drained()
    await this.#versionKeeper?.stop()
    await this.#options.store.close()
  }

  #stop(): void {
    this.stopWaiting()
    this.#sweeper?.stop()
    this.#presence.stop()
  }

  #open(name: string): { desk: Desk; project: Project } {
    const known = this.#opened.get(name)
    if (known) return known
    if (this.#opened.size >= maxOpenProjects) this.#opened.clear() // they hold nothing but caches
    const roots = this.#options.rootsOf?.(name, () => this.projects.rootsOf(name)) ?? noRoots
    const desk: Desk = {
      project: name,
      store: this.#reader,
      queue: this.#queue,
      clock: this.#clock,
      news: this.#news,
      presence: this.#presence,
      refusals: this.refusals,
      counters: new ProjectCounters(name, this.#news),
      versions: this.#versionsOf(name),
      normalPaths: (spellings) => roots.normal(spellings),
      foldersAmong: (paths) => roots.foldersAmong(paths),
    }
    const project = projectAt(desk)
    const opened = { desk, project }
    this.#opened.set(name, opened)
    return opened
  }

  #versionsOf(project: string): DeskVersions | undefined {
    const { store } = this.#options
    const { versions } = store
    return (
      versions && {
        find: (name) => versions.find(name).catch(tell),
        table: (name, id) => versions.table(name, id),
        finder: () => VersionFinder.open(store, versions, project).catch(tell),
      }
    )
  }
}
