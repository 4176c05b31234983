/** Makes one table like another, by both in the order of their key: adds, replaces and removes rows, and passes over what is the same. */
import { again } from '../../store/again.ts'
import { charactersOf, insertAll, removeAll } from '../../store/insert.ts'
import type { Table } from '../../store/schema.ts'
import type { Reader, Row, Store } from '../../store/store.ts'
import { compareKeys, pagesOf, rowsOf } from '../../store/table-walk.ts'

const maxRows = 1000
const maxCharacters = 2 << 20
/** Longer than a database pauses to collect garbage. */
const patienceMs = 30_000

export type CopyTarget = Pick<Store, 'all' | 'transaction'>

/**
 * Gives the number of rows that were written.
 * @param pass hears of the rows of the source that were passed.
 */
export async function copyTable(
  source: Reader,
  target: CopyTarget,
  table: Table,
  pass: (rows: number) => void,
): Promise<number> {
  const changes = new Changes(target, table)
  const found = rowsOf(target, table)
  let other = (await found.next()).value
  for await (const page of pagesOf(source, table)) {
    for (const row of page) {
      while (other && compareKeys(table, other, row) < 0) {
        changes.remove(other)
        other = (await found.next()).value
      }
      if (other && compareKeys(table, other, row) === 0) {
        if (!isSame(row, other)) changes.replace(row)
        other = (await found.next()).value
      } else changes.add(row)
      if (changes.isLarge) await changes.write()
    }
    pass(page.length)
  }
  for (; other; other = (await found.next()).value) {
    changes.remove(other)
    if (changes.isLarge) await changes.write()
  }
  await changes.write()
  return changes.written
}

const isSame = (one: Row, other: Row): boolean =>
  Object.keys(one).every((column) => one[column] === other[column])

/** What waits to be written to a table, in transactions that no engine finds too large. */
class Changes {
  readonly #target: CopyTarget
  readonly #table: Table
  #added: Row[] = []
  #removed: Row[] = []
  #characters = 0
  written = 0

  constructor(target: CopyTarget, table: Table) {
    this.#target = target
    this.#table = table
  }

  get isLarge(): boolean {
    return (
      this.#added.length >= maxRows ||
      this.#removed.length >= maxRows ||
      this.#characters >= maxCharacters
    )
  }

  add(row: Row): void {
    this.#added.push(row)
    this.#characters += charactersOf(row)
  }

  remove(row: Row): void {
    this.#removed.push(row)
  }

  replace(row: Row): void {
    this.remove(row)
    this.add(row)
  }

  async write(): Promise<void> {
    const [added, removed] = [this.#added, this.#removed]
    if (added.length + removed.length === 0) return
    await again(
      () =>
        this.#target.transaction(async (transaction) => {
          await removeAll(transaction, this.#table, removed)
          await insertAll(transaction, this.#table.name, added)
        }),
      patienceMs,
    )
    this.written += added.length
    this.#added = []
    this.#removed = []
    this.#characters = 0
  }
}
