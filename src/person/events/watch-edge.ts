/** Where all journals end for those who watch them: what is new is read once, in order, and told to all who have come so far. */
import type { Coordination } from '../../coordination/coordination.ts'
import { entriesALook, type JournalEntry } from '../../coordination/journal.ts'
import { sleep } from '../../system/clock.ts'
import { cursorText, type Positions } from './cursor.ts'
import { journalView, type WatchEvent } from './events.ts'

/** Whoever looks at the page, at one stream of events. */
export interface Viewer {
  readonly isGone: boolean
  tell(event: WatchEvent): void
  /** Resolves when it has read most of what it was told, or has gone. */
  hasRoom(): Promise<void>
}

interface EdgeOptions {
  journals: Coordination['journals']
  nameOf(key: string): Promise<string>
}

/** Somebody who comes back is told so many entries of a project; of more it asks anew for everything. */
const mostBehind = 50_000
/** What could not be read is read again after this time. */
const failedMs = 1000

export class WatchEdge {
  readonly #options: EdgeOptions
  /** The last entries that those who are live were told. */
  readonly #positions = new Map<string, number>()
  /** The last entries that there are, of projects of which not all was told. */
  readonly #ahead = new Map<string, number>()
  readonly #live = new Set<Viewer>()
  /** Those who are almost live. */
  #joining: Replay[] = []
  #isWorking = false
  #isClosed = false

  private constructor(options: EdgeOptions) {
    this.#options = options
  }

  /** Nothing that happened before it is told but to those who come back. */
  static async begin(options: EdgeOptions): Promise<WatchEdge> {
    const edge = new WatchEdge(options)
    edge.#moveTo(await options.journals.lastEntries())
    return edge
  }

  get cursor(): string {
    return cursorText(this.#positions)
  }

  /** That the journal of a project ends there now. */
  reach(project: string, last: number): void {
    if (last <= (this.#positions.get(project) ?? 0)) return
    this.#ahead.set(project, Math.max(last, this.#ahead.get(project) ?? 0))
    this.#work()
  }

  /** From now on. */
  join(viewer: Viewer): void {
    if (!viewer.isGone) this.#live.add(viewer)
  }

  /**
   * After what has happened since it was there, or all anew where nobody can tell that.
   * @param from where it was; nothing where that cannot be read.
   */
  async comeBack(viewer: Viewer, from: Positions | undefined): Promise<void> {
    const last = await this.#options.journals.lastEntries()
    for (const [project, entry] of last) this.reach(project, entry)
    const replay = from && canGoOn(from, last) ? new Replay(viewer, from) : undefined
    let isWhole = replay !== undefined
    while (replay && isWhole && replay.isFarFrom(this.#positions)) {
      isWhole = await replay.next(this.#options, this.#positions)
    }
    if (replay && isWhole) this.#joining.push(replay)
    else this.#reset([viewer])
    this.#work()
  }

  leave(viewer: Viewer): void {
    this.#live.delete(viewer)
    this.#joining = this.#joining.filter((replay) => replay.viewer !== viewer)
  }

  close(): void {
    this.#isClosed = true
    this.#live.clear()
    this.#joining = []
  }

  #work(): void {
    if (this.#isWorking) return
    this.#isWorking = true
    void this.#catchUp()
  }

  /** One thing after the other: while somebody joins, the edge stands. */
  async #catchUp(): Promise<void> {
    while (!this.#isClosed && (this.#ahead.size > 0 || this.#joining.length > 0)) {
      try {
        for (const project of [...this.#ahead.keys()]) await this.#advance(project)
        const replay = this.#joining.find((one) => !one.isBeyond(this.#positions))
        if (!replay) {
          if (this.#ahead.size === 0) this.#startAnew()
          continue
        }
        const isWhole = await replay.finish(this.#options, this.#positions)
        this.#joining = this.#joining.filter((one) => one !== replay)
        if (isWhole) this.join(replay.viewer)
        else this.#reset([replay.viewer])
      } catch {
        await sleep(failedMs) // it was logged
      }
    }
    this.#isWorking = false
  }

  async #advance(project: string): Promise<void> {
    const upTo = this.#ahead.get(project) ?? 0
    const position = this.#positions.get(project) ?? 0
    const entries = await this.#options.journals.after(project, position, upTo)
    const name = await this.#options.nameOf(project)
    if (!isGapless(entries, position)) return this.#moveOn()
    for (const entry of entries) {
      this.#positions.set(project, entry.entry)
      const event = eventOf(name, entry, this.#positions)
      for (const viewer of event ? this.#live : []) if (event) viewer.tell(event)
    }
    const last = this.#ahead.get(project) ?? 0
    if ((this.#positions.get(project) ?? 0) >= last) this.#ahead.delete(project)
    else await new Promise((resolve) => setImmediate(resolve)) // a long journal must not keep others waiting
  }

  /** What was to be told was pruned. */
  async #moveOn(): Promise<void> {
    this.#moveTo(await this.#options.journals.lastEntries())
    this.#reset([...this.#live])
  }

  /** Those who were told what is there no more. */
  #startAnew(): void {
    const viewers = this.#joining.map(({ viewer }) => viewer)
    this.#joining = []
    this.#reset(viewers)
  }

  #moveTo(last: Positions): void {
    this.#ahead.clear()
    for (const [project, entry] of last) this.#positions.set(project, entry)
  }

  #reset(viewers: Viewer[]): void {
    const { cursor } = this
    for (const viewer of viewers) {
      viewer.tell({ name: 'reset', data: { cursor }, cursor })
      this.join(viewer)
    }
  }
}

/** The way of one who has come back to the edge. */
class Replay {
  readonly viewer: Viewer
  readonly #positions: Map<string, number>

  constructor(viewer: Viewer, from: Positions) {
    this.viewer = viewer
    this.#positions = new Map(from)
  }

  isFarFrom(edge: Positions): boolean {
    return !this.viewer.isGone && this.#missing(edge).reduce(sum, 0) > entriesALook
  }

  /** Whether it was told by whoever had read further. */
  isBeyond(edge: Positions): boolean {
    return [...this.#positions].some(([key, entry]) => entry > (edge.get(key) ?? 0))
  }

  /** All that is missing up to there; false where some of it was pruned. */
  async finish(options: EdgeOptions, edge: Positions): Promise<boolean> {
    while (this.#missing(edge).length > 0 && !this.viewer.isGone) {
      if (!(await this.#tell(options, edge))) return false
    }
    return true
  }

  /** Some more, when there is room for it. */
  async next(options: EdgeOptions, edge: Positions): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve)) // a long way must not keep others waiting
    await this.viewer.hasRoom()
    return this.#tell(options, edge)
  }

  async #tell({ journals, nameOf }: EdgeOptions, edge: Positions): Promise<boolean> {
    const behind = [...edge].find(([key, entry]) => entry > this.#at(key))
    if (!behind || this.viewer.isGone) return true
    const [project, upTo] = behind
    const entries = await journals.after(project, this.#at(project), upTo)
    if (!isGapless(entries, this.#at(project))) return false
    const name = await nameOf(project)
    for (const entry of entries) {
      this.#positions.set(project, entry.entry)
      const event = eventOf(name, entry, this.#positions)
      if (event) this.viewer.tell(event)
    }
    return true
  }

  #at(project: string): number {
    return this.#positions.get(project) ?? 0
  }

  #missing(edge: Positions): number[] {
    return [...edge].map(([key, entry]) => entry - this.#at(key)).filter((count) => count > 0)
  }
}

const sum = (one: number, other: number): number => one + other

function eventOf(name: string, entry: JournalEntry, after: Positions): WatchEvent | undefined {
  const data = journalView(name, entry)
  return data && { name: 'entry', data, cursor: cursorText(after) }
}

/** What was pruned left a gap, or nothing at all. */
const isGapless = (entries: JournalEntry[], before: number): boolean =>
  entries.length > 0 && entries.every(({ entry }, index) => entry === before + index + 1)

/** One of another database is beyond what is there, and one of long ago too far behind. */
const canGoOn = (from: Positions, last: Positions): boolean =>
  [...from].every(([project, entry]) => entry <= (last.get(project) ?? 0)) &&
  [...last].every(([project, entry]) => entry - (from.get(project) ?? 0) <= mostBehind)
