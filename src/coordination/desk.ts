/** What the parts of one project's coordination work with. */
import type { Clock } from '../clock.ts'
import type { Reader } from '../store/store.ts'
import type { WriteQueue } from '../store/write-queue.ts'
import type { News } from './news.ts'
import type { Presence } from './presence.ts'

export interface Desk {
  project: string
  store: Reader
  queue: WriteQueue
  clock: Clock
  news: News
  presence: Presence
  /** The normal form of each path; one that leaves the project is refused, and the call with it. */
  normalPaths(spellings: string[]): Promise<string[]>
}
