/** The index of a vault's notes: one SQLite file that several processes may share, and that can be thrown away at any time. */
import { join } from 'node:path'
import { again, isAgain } from '../../store/again.ts'
import { openSqlite } from '../../store/sqlite.ts'
import { integer, type Store, StoreError, type Transaction, text } from '../../store/store.ts'
import type { Pause } from '../../system/clock.ts'
import { makeFolder, removeFolder } from '../../system/files.ts'
import { sha256 } from '../../system/text.ts'
import type { KnownNotes } from '../list.ts'
import { IndexWrite, type NoteChange } from './index-write.ts'
import { SeenTerms } from './seen-terms.ts'

const schema = '2'

const tables = [
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  `CREATE TABLE notes (id INTEGER PRIMARY KEY, folder TEXT NOT NULL, name TEXT NOT NULL,
    stamp TEXT NOT NULL, fields TEXT, UNIQUE (folder, name))`,
  `CREATE VIRTUAL TABLE texts USING fts5 (title, text, content = '', contentless_delete = 1,
    tokenize = 'ascii')`,
  'CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE)',
]

/** Where a note is, as it is stored. */
export interface NotePlace {
  folder: string
  name: string
}

export interface FoundNote extends NotePlace {
  id: number
  /** Of its file when it was read. */
  stamp: string
}

export class NoteIndex {
  readonly #store: Store
  /** Terms that are stored, so that few have to be offered again. */
  readonly #seen = new SeenTerms()

  private constructor(store: Store) {
    this.#store = store
  }

  /** One that is damaged, or of another vault or version, is made anew. */
  static async open(cacheFolder: string, vaultRoot: string): Promise<NoteIndex> {
    try {
      return await NoteIndex.#openFile(cacheFolder, vaultRoot)
    } catch (error) {
      // One that nobody lets go of is of no more use than a damaged one.
      if (!isAgain(error) && !(StoreError.is(error) && error.trouble === 'unreadable')) throw error
      NoteIndex.remove(cacheFolder, vaultRoot)
      return await NoteIndex.#openFile(cacheFolder, vaultRoot)
    }
  }

  static async #openFile(cacheFolder: string, vaultRoot: string): Promise<NoteIndex> {
    const folder = folderOf(cacheFolder, vaultRoot)
    makeFolder(folder, 0o700)
    const store = await openSqlite(join(folder, 'index.db'), { isCache: true })
    try {
      await again(() => store.transaction((transaction) => prepare(transaction, vaultRoot)))
      return new NoteIndex(store)
    } catch (error) {
      await store.close()
      throw error
    }
  }

  static remove(cacheFolder: string, vaultRoot: string): void {
    removeFolder(folderOf(cacheFolder, vaultRoot))
  }

  /** The notes of a folder by name, each with the stamp it had when it was read. */
  async notesIn(folder: string): Promise<Map<string, string>> {
    const rows = await this.#store.all('SELECT name, stamp FROM notes WHERE folder = ?', folder)
    return new Map(rows.map(({ name, stamp }) => [text(name), text(stamp)]))
  }

  /** The same, each with the fields of its front matter: as one value, since so many rows take three times as long. */
  async fieldsIn(folder: string): Promise<KnownNotes> {
    const [row] = await this.#store.all(
      'SELECT json_group_array(json_array(name, stamp, fields)) AS notes FROM notes WHERE folder = ?',
      folder,
    )
    const notes: [string, string, string | null][] = JSON.parse(text(row?.notes))
    return new Map(notes.map(([name, stamp, fields]) => [name, { stamp, fields }]))
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

  async write(changes: NoteChange[], pause: Pause): Promise<void> {
    try {
      const write = await IndexWrite.of(changes, this.#seen, pause)
      await again(() => this.#store.transaction((transaction) => write.run(transaction, pause)))
    } catch (error) {
      this.#seen.clear() // those that were not stored must be offered again
      throw error
    }
  }

  /** The notes that an expression of FTS5 finds, best first: in a title, it outweighs whatever is in a text. */
  async find(expression: string, limit: number): Promise<FoundNote[]> {
    const rows = await this.#store.all(
      `SELECT id, folder, name, stamp FROM notes JOIN (
        SELECT rowid AS id, bm25(texts, 1e9, 1) AS distance FROM texts WHERE texts MATCH ?
        ORDER BY distance LIMIT ?
      ) USING (id) ORDER BY distance, folder, name`,
      ...[expression, limit],
    )
    return rows.map(({ id, folder, name, stamp }) => ({
      id: integer(id),
      folder: text(folder),
      name: text(name),
      stamp: text(stamp),
    }))
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

const folderOf = (cacheFolder: string, vaultRoot: string): string =>
  join(cacheFolder, 'agentmail', 'vaults', sha256(vaultRoot).slice(0, 16))

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
