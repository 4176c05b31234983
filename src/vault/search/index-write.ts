/** One write to the index: notes that were read, and notes that are gone. */

import { integer, type Transaction } from '../../store/store.ts'
import type { Pause } from '../../system/clock.ts'
import { fold, spaced } from './fold.ts'
import type { NotePlace } from './note-index.ts'
import type { Searchable } from './searchable.ts'
import type { SeenTerms } from './seen-terms.ts'
import { unsure } from './stamp.ts'

export interface NoteChange extends NotePlace {
  /** Missing where the note is gone. */
  read?: { note: Searchable; stamp: string; fields: string | null }
}

interface FoldedChange extends NotePlace {
  read?: { stamp: string; fields: string | null; title: string; text: string }
}

export class IndexWrite {
  readonly #changes: FoldedChange[] = []
  readonly #terms: string[] = []

  /** All that needs no database is done before it is locked. */
  static async of(changes: NoteChange[], seen: SeenTerms, pause: Pause): Promise<IndexWrite> {
    const write = new IndexWrite()
    for (const { folder, name, read } of changes) {
      if (read) {
        const [title, text] = [spaced(fold(read.note.title)), spaced(fold(read.note.text))]
        seen.collect(title, write.#terms)
        seen.collect(text, write.#terms)
        const { stamp, fields } = read
        write.#changes.push({ folder, name, read: { stamp, fields, title, text } })
      } else write.#changes.push({ folder, name })
      await pause()
    }
    return write
  }

  /** The texts come last: while some are waiting to be stored, other statements are slow. */
  async run(transaction: Transaction, pause: Pause): Promise<void> {
    const [row] = await transaction.all('SELECT coalesce(max(id), 0) AS last FROM notes')
    let id = integer(row?.last)
    const outdated: number[] = []
    const inserts: [number, string, string][] = []
    for (const { folder, name, read } of this.#changes) {
      const [old] = await transaction.all(
        'SELECT id, stamp FROM notes WHERE folder = ? AND name = ?',
        ...[folder, name],
      )
      if (old && read && read.stamp !== unsure && read.stamp === old.stamp) continue // another process was first
      if (old) {
        await transaction.run('DELETE FROM notes WHERE id = ?', integer(old.id))
        outdated.push(integer(old.id))
      }
      if (read) {
        await transaction.run(
          'INSERT INTO notes (id, folder, name, stamp, fields) VALUES (?, ?, ?, ?, ?)',
          ...[++id, folder, name, read.stamp, read.fields],
        )
        inserts.push([id, read.title, read.text])
      }
      await pause()
    }
    for (const term of this.#terms) {
      await transaction.run('INSERT OR IGNORE INTO terms (term) VALUES (?)', term)
      await pause()
    }
    for (const old of outdated) {
      await transaction.run('DELETE FROM texts WHERE rowid = ?', old)
      await pause()
    }
    for (const insert of inserts) {
      await transaction.run('INSERT INTO texts (rowid, title, text) VALUES (?, ?, ?)', ...insert)
      await pause()
    }
  }
}
