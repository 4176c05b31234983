/** A coordination that is watched for pages, and pages that keep what they are told. */
import { onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { addressBookOf } from '../../../src/connection/address-book-of.ts'
import type { Coordination } from '../../../src/coordination/coordination.ts'
import type { WatchEvent } from '../../../src/person/events/events.ts'
import { Watch } from '../../../src/person/events/watch.ts'
import type { Viewer } from '../../../src/person/events/watch-edge.ts'
import type { Hint } from '../../../src/person/shapes.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { Store, Transaction } from '../../../src/store/store.ts'
import { eventually } from '../eventually.ts'
import { TestDatabase, type Through } from '../store/databases.ts'
import { newPath } from '../store/sqlite-files.ts'

/** A page without a network. */
export class TestViewer implements Viewer {
  readonly events: WatchEvent[] = []
  isGone = false

  tell(event: WatchEvent): void {
    this.events.push(event)
  }

  async hasRoom(): Promise<void> {}

  get entries() {
    return this.events.flatMap((event) => (event.name === 'entry' ? [event.data] : []))
  }

  get resets() {
    return this.events.flatMap((event) => (event.name === 'reset' ? [event.data] : []))
  }

  get seen() {
    return this.events.flatMap((event) => (event.name === 'seen' ? [event.data] : []))
  }

  get hints() {
    return this.events.flatMap((event) => (event.name === 'hint' ? [event.data] : []))
  }

  /** How many it got about this. */
  hinted(about: Hint['about']): number {
    return this.hints.filter((hint) => hint.about === about).length
  }

  /** Where it would go on. */
  get cursor(): string | undefined {
    return this.events.findLast((event) => event.cursor !== undefined)?.cursor
  }

  until(name: WatchEvent['name'], count = 1): Promise<unknown> {
    return eventually(
      `${count} × ${name}`,
      () => this.events.filter((event) => event.name === name).length >= count,
    )
  }

  untilHint(about: Hint['about'], project?: string): Promise<unknown> {
    return eventually(`a hint about ${about}`, () =>
      this.hints.some((hint) => hint.about === about && hint.project === project),
    )
  }
}

export const newDatabase = () => {
  const path = newPath()
  return TestDatabase.create(async () => () => openSqlite(path))
}

/** Opens pages on a coordination. */
export function watched(coordination: Coordination, config = new Config()) {
  const book = addressBookOf(config, coordination, () => false)
  const watch = new Watch({ config, coordination, book, instance: 'this one' })
  const open = async (cursor?: string) => {
    const viewer = new TestViewer()
    onTestFinished(() => leave(viewer))
    await watch.open(viewer, cursor)
    return viewer
  }
  const leave = (viewer: TestViewer) => {
    viewer.isGone = true
    watch.leave(viewer)
  }
  return { watch, open, leave }
}

/** The same store, which notes each statement. */
export const counting =
  (statements: string[], options: { isDeaf?: boolean } = {}): Through =>
  (store: Store) => {
    const noted = (through: Transaction): Transaction => ({
      all(sql, ...values) {
        statements.push(sql)
        return through.all(sql, ...values)
      },
      run(sql, ...values) {
        statements.push(sql)
        return through.run(sql, ...values)
      },
    })
    return {
      engine: store.engine,
      ...(store.others && !options.isDeaf && { others: store.others }),
      all(sql, ...values) {
        statements.push(sql)
        return store.all(sql, ...values)
      },
      transaction: (work) => store.transaction((transaction) => work(noted(transaction))),
      define: (these, record) => store.define(these, record),
      close: () => store.close(),
    }
  }
