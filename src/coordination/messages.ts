/** Messages in the channels of a project. */

import { AgentMailError } from '../errors.ts'
import type { Write } from '../store/batch.ts'
import { integer, type Row, text } from '../store/store.ts'
import { sha256 } from '../system/text.ts'
import type { AgentName, Agents } from './agents.ts'
import type { Desk } from './desk.ts'
import { KeyedWrites } from './idempotency.ts'
import type { Receipts } from './inbox/receipts.ts'
import { type JournalEvent, Ledger } from './ledger.ts'
import type { NewsItem } from './news.ts'
import { readPage, type Stream } from './pages.ts'
import { timeText } from './time.ts'

export const broadcast = 'broadcast'
/** The channel of a name. */
export const directChannel = (name: string): string => `@${name}`

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

const titleLength = 80

/** The first line of a text that says something, for a message that was given no subject. */
export function titleOf(body: string): string {
  const first = [...firstLineOf(body)]
  const isLong = first.length > titleLength
  return isLong ? `${first.slice(0, titleLength - 1).join('')}…` : first.join('')
}

const firstLineOf = (body: string): string => (body.trim().split(/\r?\n/, 1)[0] ?? '').trim()

/** Whether its subject is the first line of its text, and says nothing more. */
export const isUntitled = ({ subject, body }: Pick<Letter, 'subject' | 'body'>): boolean =>
  [firstLineOf(body), titleOf(body)].includes(subject.trim())

/** As it is stored. */
export interface PostedLetter extends Letter {
  /** Whether its reader gets it by a mailbox too, and need not be handed it here. */
  isByMailbox?: boolean
}

/** Why its reader need not be handed a message from the channel, as `by_mailbox` says; null where it must be. */
export const handedBy = { mailbox: 1, answer: 2 } as const

/** Whether its reader gets a message by a mailbox. */
export const isByMailbox = ({ by_mailbox }: Row): boolean => by_mailbox === handedBy.mailbox

/** What a message is called in a mailbox, whenever it is put there; in the form of other mail's ids. */
export const letterIdOf = (project: string, messageId: number): string =>
  Buffer.from(sha256(`${project} ${messageId}`), 'hex')
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 8)

export interface MessagesRequest {
  since?: string | undefined
  channel?: string | undefined
  after_id?: number | undefined
  limit?: number | undefined
  wait_seconds?: number | undefined
}

export interface MessagesPage {
  messages: MessageEntry[]
  has_more: boolean
}

export const messageStream: Stream = { table: 'messages', time: 'created_us', filter: 'channel' }

export class Messages {
  readonly #desk: Desk
  readonly #agents: Agents
  readonly #receipts: Receipts
  readonly #writes: KeyedWrites

  constructor(desk: Desk, agents: Agents, receipts: Receipts) {
    this.#desk = desk
    this.#agents = agents
    this.#receipts = receipts
    this.#writes = new KeyedWrites(desk, agents)
  }

  async send({
    agent_id,
    idempotency_key,
    ...letter
  }: PostedLetter & { agent_id: string; idempotency_key?: string | undefined }): Promise<{
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

  /** Whether its reader gets a message by a mailbox. */
  async isByMailbox(id: number): Promise<boolean> {
    const { project, store } = this.#desk
    const [row] = await store.all(
      'SELECT by_mailbox FROM messages WHERE project = ? AND id = ?',
      ...[project, id],
    )
    return row !== undefined && isByMailbox(row)
  }

  /** No mailbox took it: its reader is handed it from the channel. */
  async keepInChannel(id: number): Promise<void> {
    const { project, queue } = this.#desk
    await queue.write((write) =>
      write.run(
        'UPDATE messages SET by_mailbox = NULL WHERE project = ? AND id = ?',
        ...[project, id],
      ),
    )
  }

  /** For an agent, which must be registered. */
  async read(
    { agent_id, ...request }: MessagesRequest & { agent_id: string },
    signal?: AbortSignal,
  ): Promise<MessagesPage> {
    const { name } = await this.#agents.checkRegistered(agent_id)
    const letGo = this.#desk.presence.hold(this.#desk.project, agent_id)
    try {
      const page = await this.look(request, signal)
      const toItself = page.messages.filter(
        ({ channel, sender_id }) => channel === directChannel(name) && sender_id !== agent_id,
      )
      await this.#receipts.read(toItself.map(({ id }) => id)).catch((error) => {
        if (!AgentMailError.is(error, 'storage')) throw error // reading goes on
      })
      return page
    } finally {
      letGo()
    }
  }

  /** Returns at once if there is anything, and waits for it as long as it may if not. */
  async look(
    { wait_seconds = 0, channel, ...request }: MessagesRequest,
    signal?: AbortSignal,
  ): Promise<MessagesPage> {
    const { project, store, news } = this.#desk
    const wanted = wantedIn(project, channel === undefined ? undefined : [channel])
    const look = () =>
      readPage(store, messageStream, project, { ...request, only: channel }, messageEntry)
    const page = await news.until(look, ({ entries }) => entries.length > 0, {
      ...{ wanted, waitMs: wait_seconds * 1000, signal },
    })
    return { messages: page.entries, has_more: page.has_more }
  }
}

/** Whether there may be a message in these channels, or in any. */
export const wantedIn =
  (project: string, channels: string[] | undefined) =>
  (item: NewsItem): boolean =>
    item.project === project &&
    item.stream === 'messages' &&
    (item.channel === undefined || (channels?.includes(item.channel) ?? true))

/** Adds a message to what a transaction stores, and gives its id. */
export async function store(
  write: Write,
  desk: Desk,
  sender: AgentName,
  { channel, subject, body, isByMailbox: isInMailbox = false }: PostedLetter,
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
    by_mailbox: isInMailbox ? handedBy.mailbox : null,
  })
  ledger.record(sender, event, { at, message_id: id })
  write.afterCommit(() => news.stored({ project, stream: 'messages', channel }, id))
  return id
}

export const messageEntry = (row: Row): MessageEntry => ({
  id: integer(row.id),
  sender_id: text(row.sender_id),
  channel: text(row.channel),
  subject: text(row.subject),
  body: text(row.body),
  created_at: timeText(integer(row.created_us)),
  sender_name: text(row.sender_name),
})
