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

/** How a reader was told of what waits: by a hook that wakes its session, by `codex queue`, by the mailman's keys or line, by an answer of a hook. */
export const notifiedWays = ['rewake', 'codex', 'keys', 'line', 'hook'] as const
export type NotifiedWay = (typeof notifiedWays)[number]

export interface MessageReceipt {
  state: 'queued' | 'notified' | 'read'
  /** When it came to that; nothing is known of what is queued. */
  state_at: string | null
  /** How its reader was told of it, where that was noted. */
  notified_by?: string
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
  async notified(name: string, upTo: number, by?: NotifiedWay): Promise<void> {
    const { project, store, queue } = this.#desk
    const rows = await store.all(
      `SELECT id FROM messages WHERE project = ? AND channel = ? AND id > ? AND id <= ?
        ORDER BY project DESC, channel DESC, id DESC LIMIT ${toldAtOnce}`,
      ...[project, directChannel(name), await handedTo(store, project, name), upTo],
    )
    const ids = await this.#without('notified_us', rows.map(idOf))
    if (ids.length > 0) await queue.write((write) => this.#note(write, 'notified_us', ids, by))
  }

  /** Handed over, in the transaction in which that is so. */
  async readIn(write: Write, ids: number[]): Promise<void> {
    if (ids.length > 0) await this.#note(write, 'read_us', ids)
  }

  /** Told of, in the transaction in which that is so; gives those of which nobody was told before. */
  async notifiedIn(write: Write, ids: number[], by: NotifiedWay): Promise<number[]> {
    return ids.length > 0 ? this.#note(write, 'notified_us', ids, by) : []
  }

  /** The readers of these were told of them; where one was faster to read than this is noted, how it was told is noted all the same. */
  async told(ids: number[], by: NotifiedWay): Promise<void> {
    const { queue, project, clock, news } = this.#desk
    if (ids.length === 0) return
    await queue.write(async (write) => {
      const rows = await receiptsOf(write, project, ids)
      const isRead = (id: number) => rows.get(id)?.read_us != null
      await this.notifiedIn(
        write,
        ids.filter((id) => !isRead(id)),
        by,
      )
      for (const id of ids.filter(isRead)) {
        await write.run(
          `UPDATE receipts SET notified_us = ?, notified_by = ?, token = ?
            WHERE project = ? AND message_id = ? AND notified_us IS NULL`,
          ...[clock.now() * 1000, by, uuid(), project, id],
        )
      }
      write.afterCommit(() => news.tell({ about: 'receipts', project }))
    })
  }

  /** Handed over by a cursor. Nothing is written where that is known. */
  async read(ids: number[]): Promise<void> {
    const unknown = ids.length > 0 ? await this.#without('read_us', ids) : []
    if (unknown.length > 0) await this.#desk.queue.write((write) => this.readIn(write, unknown))
  }

  /** @param reader the transaction of whoever is in one. */
  async states(
    ids: number[],
    reader: Reader = this.#desk.store,
  ): Promise<Map<number, MessageReceipt>> {
    const rows = await receiptsOf(reader, this.#desk.project, ids)
    return new Map(ids.map((id) => [id, receiptOf(rows.get(id))]))
  }

  /** Those of which it is not known yet; what is read needs no word on having been told. */
  async #without(column: Column, ids: number[]): Promise<number[]> {
    const rows = await receiptsOf(this.#desk.store, this.#desk.project, ids)
    return ids.filter((id) => isNews(rows.get(id), column))
  }

  /** Gives those of which it was news. */
  async #note(
    write: Write,
    column: Column,
    ids: number[],
    by: NotifiedWay | null = null,
  ): Promise<number[]> {
    const { project, clock } = this.#desk
    const us = clock.now() * 1000
    const rows = await receiptsOf(write, project, ids)
    const news = ids.filter((id) => isNews(rows.get(id), column))
    const told = { about: 'receipts', project } as const
    if (news.length > 0) write.afterCommit(() => this.#desk.news.tell(told))
    for (const id of news) {
      const row = rows.get(id)
      const token = uuid()
      if (!row) {
        const none = { notified_us: null, read_us: null, notified_by: by }
        write.append('receipts', { project, message_id: id, ...none, [column]: us, token })
      } else {
        const noted = await write.run(
          `UPDATE receipts SET ${column} = ?, notified_by = ?, token = ?
            WHERE project = ? AND message_id = ? AND token = ?`,
          ...[us, by ?? wayIn(row) ?? null, token, project, id, text(row.token)],
        )
        if (noted !== 1) throw new StoreError('again', 'another process changed the receipt')
      }
    }
    return news
  }
}

type Column = 'notified_us' | 'read_us'

const idOf = (row: Row): number => integer(row.id)

const isNews = (row: Row | undefined, column: Column): boolean =>
  !row || (row[column] === null && row.read_us === null)

function receiptOf(row: Row | undefined): MessageReceipt {
  const us = row?.read_us ?? row?.notified_us ?? null
  if (!row || us === null) return { state: 'queued', state_at: null }
  const state = row.read_us === null ? 'notified' : 'read'
  const notified_by = wayIn(row)
  return { state, state_at: timeText(integer(us)), ...(notified_by && { notified_by }) }
}

const wayIn = ({ notified_by }: Row): string | undefined =>
  typeof notified_by === 'string' ? notified_by : undefined

async function receiptsOf(
  reader: Reader,
  project: string,
  ids: number[],
): Promise<Map<number, Row>> {
  const found = new Map<number, Row>()
  for (const some of chunksOf(ids, idsAStatement)) {
    const rows = await reader.all(
      `SELECT message_id, notified_us, read_us, notified_by, token FROM receipts
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
