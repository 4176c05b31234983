/** The index of a vault's notes: one SQLite file that several processes may share, and that can be thrown away at any time. */
import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomId } from '../random.ts'
import { again } from '../store/again.ts'
import { openSqlite } from '../store/sqlite.ts'
import { integer, type Store, StoreError, type Transaction, text } from '../store/store.ts'
import { fold, spaced, tokensOf } from './fold.ts'
import type { Pause } from './pause.ts'
import type { Searchable } from './searchable.ts'

const schema = '1'

/** A title counts so much that no number of words in a text outweighs it. */
const tables = [
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  `CREATE TABLE notes (id INTEGER PRIMARY KEY, folder TEXT NOT NULL, name TEXT NOT NULL,
    stamp TEXT NOT NULL, UNIQUE (folder, name))`,
  `CREATE VIRTUAL TABLE texts USING fts5 (title, text, content = '', contentless_delete = 1,
    tokenize = 'ascii')`,
  `INSERT INTO texts (texts, rank) VALUES ('rank', 'bm25(1000000000.0, 1.0)')`,
  'CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE)',
]

/** Where a note is, as it is stored. */
export interface NotePlace {
  folder: string
  name: string
}

export interface IndexedNote extends NotePlace {
  note: Searchable
  stamp: string
}

/** Marks a note that may have changed since it was read, without its file showing it. */
export const unsure = ''

export class NoteIndex {
  readonly #store: Store
  /** Terms that are stored, so that few have to be offered again. */
  readonly #known = new Set<string>()

  private constructor(store: Store) {
    this.#store = store
  }

  /** Throws `unreadable` if it is none, or that of another vault or version. */
  static async open(cacheFolder: string, vaultRoot: string): Promise<NoteIndex> {
    const folder = folderOf(cacheFolder, vaultRoot)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const store = await openSqlite(join(folder, 'index.db'))
    try {
      await again(() => store.transaction((transaction) => prepare(transaction, vaultRoot)))
      return new NoteIndex(store)
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** In one step, so that no process takes what is left of it for an index. */
  static remove(cacheFolder: string, vaultRoot: string): void {
    const folder = folderOf(cacheFolder, vaultRoot)
    const removed = `${folder}.${randomId(8)}`
    renameSync(folder, removed)
    rmSync(removed, { recursive: true, force: true })
  }

  /** The notes of a folder by name, each with the stamp it had when it was read. */
  async notesIn(folder: string): Promise<Map<string, string>> {
    const rows = await this.#store.all('SELECT name, stamp FROM notes WHERE folder = ?', folder)
    return new Map(rows.map(({ name, stamp }) => [text(name), text(stamp)]))
  }

  /** The folders with notes at and below a path. */
  async foldersBelow(path: string): Promise<string[]> {
    const rows =
      path === ''
        ? await this.#store.all('SELECT DISTINCT folder FROM notes')
        : await this.#store.all(
            'SELECT DISTINCT folder FROM notes WHERE folder = ? OR (folder >= ? AND folder < ?)',
            ...[path, `${path}/`, `${path}0`], // 0 comes after the slash
          )
    return rows.map(({ folder }) => text(folder))
  }

  async write(puts: IndexedNote[], drops: NotePlace[], pause: Pause): Promise<void> {
    const offered = new Set<string>()
    await again(() =>
      this.#store.transaction(async (transaction) => {
        for (const place of drops) {
          await drop(transaction, place)
          await pause()
        }
        for (const put of puts) {
          await this.#put(transaction, put, offered)
          await pause()
        }
      }),
    )
    if (this.#known.size > 200_000) this.#known.clear()
    for (const term of offered) this.#known.add(term)
  }

  async #put(transaction: Transaction, put: IndexedNote, offered: Set<string>): Promise<void> {
    const { folder, name, stamp } = put
    const [old] = await transaction.all(
      'SELECT id, stamp FROM notes WHERE folder = ? AND name = ?',
      ...[folder, name],
    )
    if (old && stamp !== unsure && old.stamp === stamp) return // another process was first
    if (old) await drop(transaction, put)
    const [row] = await transaction.all(
      'INSERT INTO notes (folder, name, stamp) VALUES (?, ?, ?) RETURNING id',
      ...[folder, name, stamp],
    )
    const [title, body] = [spaced(fold(put.note.title)), spaced(fold(put.note.text))]
    await transaction.run(
      'INSERT INTO texts (rowid, title, text) VALUES (?, ?, ?)',
      ...[integer(row?.id), title, body],
    )
    for (const term of new Set(tokensOf(`${title}\n${body}`))) {
      if (this.#known.has(term) || offered.has(term)) continue
      offered.add(Buffer.from(term).toString()) // a slice would keep the whole text in memory
      await transaction.run('INSERT OR IGNORE INTO terms (term) VALUES (?)', term)
    }
  }

  /** The notes that an expression of FTS5 finds, best first. */
  async find(expression: string, limit: number): Promise<number[]> {
    const rows = await this.#store.all(
      'SELECT rowid AS id FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?',
      ...[expression, limit],
    )
    return rows.map(({ id }) => integer(id))
  }

  async placeOf(id: number): Promise<NotePlace | undefined> {
    const [row] = await this.#store.all('SELECT folder, name FROM notes WHERE id = ?', id)
    return row && { folder: text(row.folder), name: text(row.name) }
  }

  /** Some of the terms that came after one, each on a line. */
  async termsAfter(id: number): Promise<{ terms: string; last: number } | undefined> {
    const [row] = await this.#store.all(
      `SELECT group_concat(term, char(10)) AS terms, max(id) AS last
        FROM (SELECT id, term FROM terms WHERE id > ? ORDER BY id LIMIT 20000)`,
      id,
    )
    return row?.terms ? { terms: text(row.terms), last: integer(row.last) } : undefined
  }

  async close(): Promise<void> {
    await this.#store.close()
  }
}

const folderOf = (cacheFolder: string, vaultRoot: string): string => {
  const hash = createHash('sha256').update(vaultRoot).digest('hex').slice(0, 16)
  return join(cacheFolder, 'agentmail', 'vaults', hash)
}

async function prepare(transaction: Transaction, vaultRoot: string): Promise<void> {
  const [made] = await transaction.all("SELECT name FROM sqlite_master WHERE name = 'meta'")
  if (!made) {
    for (const statement of tables) await transaction.run(statement)
    const insert = 'INSERT INTO meta (name, value) VALUES (?, ?), (?, ?)'
    await transaction.run(insert, 'schema', schema, 'vault', vaultRoot)
  }
  const rows = await transaction.all('SELECT name, value FROM meta')
  const meta = new Map(rows.map(({ name, value }) => [name, value]))
  if (meta.get('schema') === schema && meta.get('vault') === vaultRoot) return
  throw new StoreError('unreadable', 'it is of another vault or version')
}

async function drop(transaction: Transaction, { folder, name }: NotePlace): Promise<void> {
  const rows = await transaction.all(
    'DELETE FROM notes WHERE folder = ? AND name = ? RETURNING id',
    ...[folder, name],
  )
  for (const { id } of rows) {
    await transaction.run('DELETE FROM texts WHERE rowid = ?', integer(id))
  }
}
