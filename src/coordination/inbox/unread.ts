/** Hands an agent what it was not handed yet: once, and marked before it is given. */
import type { Write } from '../../store/batch.ts'
import { integer, type Reader, type Row } from '../../store/store.ts'
import type { AgentName, Agents } from '../agents.ts'
import type { Desk } from '../desk.ts'
import {
  broadcast,
  directChannel,
  type MessageEntry,
  type MessagesPage,
  messageEntry,
  wantedIn,
} from '../messages.ts'
import { fillPage } from '../pages.ts'
import {
  beyondLong,
  countUnread,
  type MarkedPlace,
  markedPlaces,
  moveMark,
  moveMarkOf,
  ownChannels,
} from './marks.ts'
import type { Receipts } from './receipts.ts'

export interface UnreadRequest {
  /** Default: broadcast and the agent's own. */
  channel?: string | undefined
  limit?: number | undefined
  wait_seconds?: number | undefined
}

const rowsAtOnce = 51
/** So many rows, where what is handed over need only fit. */
const lookedThrough = 1000
/** So many are handed though one before them is too long, until that is read. */
const mostEarly = 500
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
    await this.#mark(write, agent, places, page.entries, [directChannel(agent.name)])
    return { messages: page.entries, has_more: page.has_more }
  }

  async #mark(
    write: Write,
    agent: AgentName,
    places: MarkedPlace[],
    messages: MessageEntry[],
    own: string[],
  ): Promise<void> {
    for (const { channel } of places) {
      const last = messages.findLast((message) => isIn(message, channel))
      const after = last?.id ?? 0
      if (last) await moveMarkOf(write, this.#desk.project, agent, { channel, after })
    }
    if (messages.length > 0) this.#tell(write)
    const direct = messages.filter((message) =>
      own.some((channel) => channel !== broadcast && isIn(message, channel)),
    )
    await this.#receipts.readIn(
      write,
      direct.map(({ id }) => id),
    )
  }

  /** What was said to all has no receipts, and yet it is unread no more. */
  #tell(write: Write): void {
    const { news, project } = this.#desk
    write.afterCommit(() => news.tell({ about: 'receipts', project }))
  }

  /**
   * As many as fit, the oldest first, in the transaction of whoever hands them on; of each channel
   * nothing that comes after one that does not fit, but what comes after one that never could.
   * @param options.isWorthIt whether they are handed over at all.
   */
  async handFitting(
    write: Write,
    agent: AgentName,
    { channels, fits, isTooLong, isWorthIt }: FittingRequest,
  ): Promise<FittingMessages> {
    const { project } = this.#desk
    const marked = await markedPlaces(write, project, agent, channels)
    const streams = marked.places.map((place) => rowsAfter(write, project, place, marked.notOwn))
    const messages: MessageEntry[] = []
    const early: MessageEntry[] = []
    const tooLong: MessageEntry[] = []
    const kept = new Set<string>()
    let looked = 0
    for await (const row of inOrder(streams)) {
      const message = messageEntry(row)
      const channel = message.channel.trimEnd()
      if (kept.size === channels.length || looked++ >= lookedThrough) break
      if (kept.has(channel)) continue
      const isEarly = tooLong.some((long) => isIn(long, channel))
      // So that up to the last of the early ones all was handed that could be.
      const isRefused = isEarly && (kept.size > 0 || marked.early + early.length >= mostEarly)
      if (isRefused || !fits(message)) kept.add(channel)
      else if (isTooLong(message)) tooLong.push(message)
      else (isEarly ? early : messages).push(message)
    }
    const all = [...messages, ...early].sort((one, other) => one.id - other.id)
    if (!isWorthIt(all)) return { messages: [], tooLong: [], isAll: true }
    await this.#mark(write, agent, marked.places, messages, channels)
    await this.#markEarly(write, agent, early)
    return { messages: all, tooLong, isAll: kept.size === 0 && tooLong.length === 0 }
  }

  async #markEarly(write: Write, { agent_id }: AgentName, early: MessageEntry[]): Promise<void> {
    const last = early.at(-1)
    if (!last) return
    const place = { channel: beyondLong, after: last.id }
    await moveMark(write, this.#desk.project, agent_id, place)
    const ids = early.map(({ id }) => id)
    await this.#receipts.readIn(write, ids)
  }
}

export interface FittingRequest {
  channels: string[]
  /** Asked of each in turn; what it remembers is of one attempt alone. */
  fits(message: MessageEntry): boolean
  /** Whether it is named alone, and stays unread. */
  isTooLong(message: MessageEntry): boolean
  isWorthIt(messages: MessageEntry[]): boolean
}

export interface FittingMessages {
  messages: MessageEntry[]
  tooLong: MessageEntry[]
  /** Whether nothing stays unread. */
  isAll: boolean
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
