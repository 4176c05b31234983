/** What the parts of one project's coordination work with. */

import type { Reader, Versions } from '../store/store.ts'
import type { WriteQueue } from '../store/write-queue.ts'
import type { Clock } from '../system/clock.ts'
import type { Refusals } from './claims/refused.ts'
import type { ProjectCounters } from './ledger.ts'
import type { News } from './news.ts'
import type { Presence } from './presence.ts'
import type { VersionFinder } from './upkeep/version-finder.ts'

export interface DeskVersions extends Pick<Versions, 'find' | 'table'> {
  finder(): Promise<VersionFinder>
}

export interface Desk {
  project: string
  store: Reader
  queue: WriteQueue
  clock: Clock
  news: News
  presence: Presence
  refusals: Refusals
  counters: ProjectCounters
  /** Where the database keeps versions. */
  versions: DeskVersions | undefined
  /** The normal form of each path; one that leaves the project is refused, and the call with it. */
  normalPaths(spellings: string[]): Promise<string[]>
  /** Which of these normal paths are folders of the project on this machine. */
  foldersAmong(paths: string[]): Promise<Set<string>>
}
