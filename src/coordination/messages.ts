/** Messages in the channels of a project. */

import type { Write } from '../store/batch.ts'
import { integer, type Row, text } from '../store/store.ts'
import type { AgentName, Agents } from './agents.ts'
import type { Desk } from './desk.ts'
import { KeyedWrites } from './idempotency.ts'
import { type JournalEvent, Ledger } from './ledger.ts'
import type { NewsItem } from './news.ts'
import { readPage, type Stream } from './pages.ts'
import { timeText } from './time.ts'

export const broadcast = 'broadcast'

export interface MessageEntry {
  id: number
  sender_id: string
  channel: string
  subject: string
  body: string
  created_at: string
  sender_name: string
}

export interface Letter {
  channel: string
  subject: string
  body: string
}

export interface MessagesRequest {
  since?: string | undefined
  channel?: string | undefined
  after_id?: number | undefined
  limit?: number | undefined
  wait_seconds?: number | undefined
}

const stream: Stream = { table: 'messages', time: 'created_us', filter: 'channel' }

export class Messages {
  readonly #desk: Desk
  readonly #agents: Agents
  readonly #writes: KeyedWrites

  constructor(desk: Desk, agents: Agents) {
    this.#desk = desk
    this.#agents = agents
    this.#writes = new KeyedWrites(desk, agents)
  }

  async send({
    agent_id,
    idempotency_key,
    ...letter
  }: Letter & { agent_id: string; idempotency_key?: string | undefined }): Promise<{
    message_id: number
  }> {
    const call = {
      agent_id,
      tool: 'send_message' as const,
      key: idempotency_key,
      content: [letter.channel, letter.subject, letter.body],
    }
    const message_id = await this.#writes.once(call, (write, agent) =>
      store(write, this.#desk, agent, letter, 'said'),
    )
    return { message_id }
  }

  /** For an agent, which must be registered. */
  async read(
    { agent_id, ...request }: MessagesRequest & { agent_id: string },
    signal?: AbortSignal,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    await this.#agents.checkRegistered(agent_id)
    const letGo = this.#desk.presence.hold(this.#desk.project, agent_id)
    try {
      return await this.look(request, signal)
    } finally {
      letGo()
    }
  }

  /** Returns at once if there is anything, and waits for it as long as it may if not. */
  async look(
    { wait_seconds = 0, channel, ...request }: MessagesRequest,
    signal?: AbortSignal,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    const { project, store, news } = this.#desk
    const isWanted = (item: NewsItem) =>
      item.project === project &&
      item.stream === 'messages' &&
      (channel === undefined || item.channel === undefined || item.channel === channel)
    const endsAt = performance.now() + wait_seconds * 1000
    for (;;) {
      const remaining = endsAt - performance.now()
      // Listening starts before the look, so that nothing is stored unnoticed in between.
      const wait = remaining > 0 && !signal?.aborted ? news.wait(isWanted, remaining) : undefined
      if (wait) signal?.addEventListener('abort', wait.cancel)
      try {
        const page = await readPage(store, stream, project, { ...request, only: channel }, entryOf)
        if (page.entries.length > 0 || !wait || news.isClosed) {
          return { messages: page.entries, has_more: page.has_more }
        }
        await wait.ended
      } finally {
        if (wait) signal?.removeEventListener('abort', wait.cancel)
        wait?.cancel()
      }
    }
  }
}

/** Adds a message to what a transaction stores, and gives its id. */
export async function store(
  write: Write,
  desk: Desk,
  sender: AgentName,
  { channel, subject, body }: Letter,
  event: JournalEvent,
): Promise<number> {
  const { project, news } = desk
  const ledger = await Ledger.open(write, desk)
  const id = ledger.nextMessageId()
  const at = ledger.nextTime()
  write.append('messages', {
    project,
    id,
    created_us: at,
    sender_id: sender.agent_id,
    sender_name: sender.name,
    channel,
    subject,
    body,
  })
  ledger.record(sender, event, { at, message_id: id })
  write.afterCommit(() => news.stored({ project, stream: 'messages', channel }, id))
  return id
}

const entryOf = (row: Row): MessageEntry => ({
  id: integer(row.id),
  sender_id: text(row.sender_id),
  channel: text(row.channel),
  subject: text(row.subject),
  body: text(row.body),
  created_at: timeText(integer(row.created_us)),
  sender_name: text(row.sender_name),
})
