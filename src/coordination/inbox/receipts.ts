/** What became of messages to a name: queued, then notified, then read. A row only where something happened. */
import type { Write } from '../../store/batch.ts'
import {
  chunksOf,
  integer,
  marks as placeholders,
  type Reader,
  type Row,
  StoreError,
  text,
} from '../../store/store.ts'
import { uuid } from '../../system/random.ts'
import type { Desk } from '../desk.ts'
import { directChannel } from '../messages.ts'
import { timeText } from '../time.ts'

export interface MessageReceipt {
  state: 'queued' | 'notified' | 'read'
  /** When it came to that; nothing is known of what is queued. */
  state_at: string | null
}

const idsAStatement = 200
/** No more are marked at once as told. */
const toldAtOnce = 1000

export class Receipts {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** The messages to a name up to this one were told to whoever has the name; those that are read stay so. */
  async notified(name: string, upTo: number): Promise<void> {
    const { project, store, queue } = this.#desk
    const rows = await store.all(
      `SELECT id FROM messages WHERE project = ? AND channel = ? AND id > ? AND id <= ?
        ORDER BY project DESC, channel DESC, id DESC LIMIT ${toldAtOnce}`,
      ...[project, directChannel(name), await handedTo(store, project, name), upTo],
    )
    const ids = await this.#without('notified_us', rows.map(idOf))
    if (ids.length > 0) await queue.write((write) => this.#note(write, 'notified_us', ids))
  }

  /** Handed over, in the transaction in which that is so. */
  async readIn(write: Write, ids: number[]): Promise<void> {
    if (ids.length > 0) await this.#note(write, 'read_us', ids)
  }

  /** Handed over by a cursor. Nothing is written where that is known. */
  async read(ids: number[]): Promise<void> {
    const unknown = ids.length > 0 ? await this.#without('read_us', ids) : []
    if (unknown.length > 0) await this.#desk.queue.write((write) => this.readIn(write, unknown))
  }

  async states(ids: number[]): Promise<Map<number, MessageReceipt>> {
    const { project, store } = this.#desk
    const rows = await receiptsOf(store, project, ids)
    return new Map(ids.map((id) => [id, receiptOf(rows.get(id))]))
  }

  /** Those of which it is not known yet; what is read needs no word on having been told. */
  async #without(column: Column, ids: number[]): Promise<number[]> {
    const rows = await receiptsOf(this.#desk.store, this.#desk.project, ids)
    return ids.filter((id) => isNews(rows.get(id), column))
  }

  async #note(write: Write, column: Column, ids: number[]): Promise<void> {
    const { project, clock } = this.#desk
    const us = clock.now() * 1000
    const rows = await receiptsOf(write, project, ids)
    for (const id of ids) {
      const row = rows.get(id)
      const token = uuid()
      if (!row) {
        const none = { notified_us: null, read_us: null }
        write.append('receipts', { project, message_id: id, ...none, [column]: us, token })
      } else if (isNews(row, column)) {
        const noted = await write.run(
          `UPDATE receipts SET ${column} = ?, token = ? WHERE project = ? AND message_id = ? AND token = ?`,
          ...[us, token, project, id, text(row.token)],
        )
        if (noted !== 1) throw new StoreError('again', 'another process changed the receipt')
      }
    }
  }
}

type Column = 'notified_us' | 'read_us'

const idOf = (row: Row): number => integer(row.id)

const isNews = (row: Row | undefined, column: Column): boolean =>
  !row || (row[column] === null && row.read_us === null)

function receiptOf(row: Row | undefined): MessageReceipt {
  const us = row?.read_us ?? row?.notified_us ?? null
  if (us === null) return { state: 'queued', state_at: null }
  const state = row?.read_us === null ? 'notified' : 'read'
  return { state, state_at: timeText(integer(us)) }
}

async function receiptsOf(
  reader: Reader,
  project: string,
  ids: number[],
): Promise<Map<number, Row>> {
  const found = new Map<number, Row>()
  for (const some of chunksOf(ids, idsAStatement)) {
    const rows = await reader.all(
      `SELECT message_id, notified_us, read_us, token FROM receipts
        WHERE project = ? AND message_id IN (${placeholders(some.length)})`,
      ...[project, ...some],
    )
    for (const row of rows) found.set(integer(row.message_id), row)
  }
  return found
}

/** Up to where everybody of the name was handed the messages to it. */
export async function handedTo(reader: Reader, project: string, name: string): Promise<number> {
  const [row] = await reader.all(
    `SELECT MIN(m.last_id) AS last FROM agents a
      JOIN marks m ON m.project = a.project AND m.agent_id = a.agent_id
      WHERE a.project = ? AND a.name = ? AND m.channel = ?`,
    ...[project, name, directChannel(name)],
  )
  return row?.last == null ? 0 : integer(row.last)
}
