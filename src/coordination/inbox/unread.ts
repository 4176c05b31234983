/** Hands an agent what it was not handed yet: once, and marked before it is given. */
import type { Write } from '../../store/batch.ts'
import { integer, type Reader, type Row } from '../../store/store.ts'
import type { AgentName, Agents } from '../agents.ts'
import type { Desk } from '../desk.ts'
import {
  directChannel,
  type MessageEntry,
  type MessagesPage,
  messageEntry,
  wantedIn,
} from '../messages.ts'
import { fillPage } from '../pages.ts'
import { countUnread, type MarkedPlace, markedPlaces, moveMark, ownChannels } from './marks.ts'
import type { Receipts } from './receipts.ts'

export interface UnreadRequest {
  /** Default: broadcast and the agent's own. */
  channel?: string | undefined
  limit?: number | undefined
  wait_seconds?: number | undefined
}

const rowsAtOnce = 51
const nothing: MessagesPage = { messages: [], has_more: false }

export class Unread {
  readonly #desk: Desk
  readonly #agents: Agents
  readonly #receipts: Receipts

  constructor(desk: Desk, agents: Agents, receipts: Receipts) {
    this.#desk = desk
    this.#agents = agents
    this.#receipts = receipts
  }

  /** The oldest first. Nobody gets them again but by a cursor. */
  async read(
    { agent_id, channel, limit = 50, wait_seconds = 0 }: UnreadRequest & { agent_id: string },
    signal?: AbortSignal,
  ): Promise<MessagesPage> {
    const agent = await this.#agents.checkRegistered(agent_id)
    const channels = channel === undefined ? ownChannels(agent.name) : [channel]
    const { project, news, presence } = this.#desk
    const letGo = presence.hold(project, agent_id)
    try {
      const look = async () => {
        // A look that finds nothing costs no write.
        if ((await countUnread(this.#desk, agent, channels)) === 0) return nothing
        return this.#take(agent, channels, limit, signal)
      }
      const wanted = wantedIn(project, channels)
      return await news.until(look, ({ messages }) => messages.length > 0, {
        ...{ wanted, waitMs: wait_seconds * 1000, signal },
      })
    } finally {
      letGo()
    }
  }

  #take(
    agent: AgentName,
    channels: string[],
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<MessagesPage> {
    const { queue } = this.#desk
    return queue.writeWith([this.#agents.alive(agent.agent_id)], async (write) => {
      if (signal?.aborted) return nothing // nobody is there to be handed anything
      await this.#agents.touch(write, agent.agent_id)
      return this.#hand(write, agent, channels, limit)
    })
  }

  async #hand(
    write: Write,
    agent: AgentName,
    channels: string[],
    limit: number,
  ): Promise<MessagesPage> {
    const { project } = this.#desk
    const { places, notOwn } = await markedPlaces(write, project, agent, channels)
    const streams = places.map((place) => rowsAfter(write, project, place, notOwn))
    const rows = inOrder(streams)
    const page = await fillPage(limit, rowsAtOnce, () => some(rows), messageEntry)
    for (const { channel } of places) {
      const last = page.entries.findLast((message) => isIn(message, channel))
      if (last) await moveMark(write, project, agent.agent_id, { channel, after: last.id })
    }
    const direct = page.entries.filter((message) => isIn(message, directChannel(agent.name)))
    await this.#receipts.readIn(
      write,
      direct.map(({ id }) => id),
    )
    return { messages: page.entries, has_more: page.has_more }
  }
}

/** Some engines do not tell spaces at the end apart. */
const isIn = (message: MessageEntry, channel: string): boolean =>
  message.channel.trimEnd() === channel.trimEnd()

async function* rowsAfter(
  reader: Reader,
  project: string,
  { channel, after }: MarkedPlace,
  notOwn: { sql: string; values: (string | number)[] },
): AsyncGenerator<Row> {
  for (let cursor = after; ; ) {
    const rows = await reader.all(
      `SELECT * FROM messages WHERE project = ? AND channel = ? AND id > ? AND ${notOwn.sql}
        ORDER BY project, channel, id LIMIT ${rowsAtOnce}`,
      ...[project, channel, cursor, ...notOwn.values],
    )
    yield* rows
    if (rows.length < rowsAtOnce) return
    cursor = integer(rows.at(-1)?.id)
  }
}

/** The rows of several channels as one stream, by their ids. */
async function* inOrder(streams: AsyncGenerator<Row>[]): AsyncGenerator<Row> {
  const heads: { stream: AsyncGenerator<Row>; next: IteratorResult<Row, void> }[] = []
  for (const stream of streams) heads.push({ stream, next: await stream.next() })
  for (;;) {
    const open = heads.filter((head) => !head.next.done)
    const first = open.sort((a, b) => integer(a.next.value?.id) - integer(b.next.value?.id))[0]
    if (!first?.next.value) return
    yield first.next.value
    first.next = await first.stream.next()
  }
}

async function some(rows: AsyncGenerator<Row>): Promise<Row[]> {
  const taken: Row[] = []
  while (taken.length < rowsAtOnce) {
    const { value, done } = await rows.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
