/** The mailbox through the gmail server: pages of an inbox, one mail, and sending. */
import * as z from 'zod'
import { versionsIn } from '../../email/fence.ts'
import type { MailRequest } from '../../email/outgoing/mail-request.ts'
import { cleanText } from '../../email/visible-text/clean-text.ts'
import { AgentMailError } from '../../errors.ts'
import { settings } from '../../settings.ts'
import type { McpClient } from './mcp-client.ts'

const headSchema = z.object({
  id: z.string().min(1),
  subject: z.string().default(''),
  date: z.string().default(''),
})
const listSchema = z.object({
  emails: z.array(headSchema),
  next_page_token: z.string().nullish(),
})
const mailSchema = z.object({
  id: z.string(),
  subject: z.string().default(''),
  sender: z.string().default(''),
  to: z.string().default(''),
  date: z.string().default(''),
  body: z.string().default(''),
  attachment_names: z.array(z.string()).default([]),
  alternatives_differ: z.boolean().nullish(),
})
/** An answer with neither an id nor a time is none: nobody could say whether the mail was sent. */
const sentSchema = z.union([
  z.object({ message_id: z.string().min(1), sent_at: z.string().nullish() }),
  // A person who settled it as sent may not have known its id.
  z.object({ message_id: z.literal(''), sent_at: z.string().min(1) }),
  z.object({ status: z.literal('pending_approval'), draft: z.string() }),
])

export type Head = z.infer<typeof headSchema>
/** Its body is fenced as untrusted only by a server of ours. */
export type FetchedMail = z.infer<typeof mailSchema>
export interface MailPage {
  heads: Head[]
  /** Nothing after the last page. */
  next: string | undefined
}
export interface SentMail {
  message_id: string
  sent_at: string | undefined
}

const pageSize = 100
const mostSenders = 10_000
/** A server that pages for ever is left. */
const maxPages = 100_000
/** How far the clocks of a service and of this machine may be apart. */
const slackMs = 120_000
/** How many of the sent mails are looked through. */
const mostLookedAt = 50

export class MailClient {
  readonly #client: McpClient
  /** Of mails that were just fetched. */
  readonly #senders = new Map<string, string>()

  constructor(client: McpClient) {
    this.#client = client
  }

  /** Page by page, newest first, as far as the caller goes on; from a page on that was the next one before. */
  async *inboxPages(query: string, from?: string): AsyncGenerator<MailPage> {
    let isFirst = from === undefined
    try {
      for await (const page of this.#pages(query, from)) {
        isFirst = false
        yield page
      }
    } catch (error) {
      // On a later page, the token may be what is refused.
      if (!isFirst || !AgentMailError.is(error, 'invalid_request')) throw error
      const { code, message, next, details = {} } = error
      throw new AgentMailError(code, `${settings.inboxQuery.env}: ${message}`, next, { details })
    }
  }

  async *#pages(query: string, from?: string): AsyncGenerator<MailPage> {
    const seen = new Set<string>()
    for (let token = from; seen.size < maxPages; ) {
      const { emails, next_page_token } = await this.#client.call(
        'list_emails',
        { query, max_results: pageSize, ...(token !== undefined && { page_token: token }) },
        { schema: listSchema, isSafe: true },
      )
      const isLast = !next_page_token || seen.has(next_page_token)
      token = isLast ? undefined : next_page_token
      yield { heads: emails, next: token }
      if (token === undefined) return
      seen.add(token)
    }
  }

  async get(id: string): Promise<FetchedMail> {
    const how = { schema: mailSchema, isSafe: true }
    const mail = await this.#client.call('get_email', { message_id: id }, how)
    if (this.#senders.size >= mostSenders) this.#senders.clear()
    this.#senders.set(id, mail.sender)
    return mail
  }

  /** From whom a mail is, by the mailbox itself; nothing where it is not there any more. */
  async senderOf(id: string): Promise<string | undefined> {
    const known = this.#senders.get(id)
    if (known !== undefined) return known
    try {
      return (await this.get(id)).sender
    } catch (error) {
      if (AgentMailError.is(error, 'not_found', 'invalid_request')) return undefined
      throw error
    }
  }

  takesKey(): Promise<boolean> {
    return this.#client.takes('send_email', 'idempotency_key', true)
  }

  /** Which fields of the mail this server has no argument for. */
  async lacking(request: MailRequest): Promise<string[]> {
    const given = (['from', 'cc', 'bcc', 'reply_to', 'attachments', 'postmark'] as const).filter(
      (field) => isFilled(request[field]),
    )
    const taken = await Promise.all(
      given.map((field) => this.#client.takes('send_email', field, true)),
    )
    return given.filter((field, index) => field === 'attachments' || !taken[index])
  }

  /**
   * @param key nothing where the server takes none.
   * @throws mcp_unavailable, or what the server's tool says.
   */
  async send(request: MailRequest, key: string | undefined): Promise<SentMail> {
    const { to, cc, bcc, from, reply_to, subject, reply_to_message_id } = request
    const optional = { cc, bcc, from, reply_to, reply_to_message_id }
    const given = Object.entries(optional).filter(([, value]) => isFilled(value))
    const sent = await this.#client.call(
      'send_email',
      {
        to,
        subject,
        body: request.html ?? request.text ?? '',
        ...Object.fromEntries(given),
        ...(key !== undefined && { idempotency_key: key }),
      },
      { schema: sentSchema, isSafe: false, isGentle: true },
    )
    if ('message_id' in sent) {
      return { message_id: sent.message_id, sent_at: sent.sent_at ?? undefined }
    }
    throw new AgentMailError(
      'send_failed',
      `the mail server made a draft of it (${sent.draft}) instead of sending it`,
      'Start it with AGENTMAIL_SEND_POLICY=direct: what is sent here was approved already.',
      { details: { outcome: 'held' } },
    )
  }

  /** Looks through the sent mail for one that must have left since then, and is not known as another. */
  async findSent(
    request: MailRequest,
    sinceMs: number,
    isOther: (id: string) => boolean,
  ): Promise<SentMail | undefined> {
    let looked = 0
    for await (const { heads } of this.#pages('in:sent')) {
      for (const head of heads) {
        const isOld = Date.parse(head.date) < sinceMs - slackMs
        if (isOld || ++looked > mostLookedAt) return undefined
        if (isOther(head.id) || head.subject.trim() !== request.subject.trim()) continue
        const mail = await this.get(head.id)
        if (isSameMail(mail, request)) return { message_id: mail.id, sent_at: mail.date }
      }
    }
    return undefined
  }
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)

/** Services change blanks and line ends of what they are given. */
function isSameMail(mail: FetchedMail, request: MailRequest): boolean {
  const plain = (text: string) => cleanText(text).replace(/\s+/g, ' ').trim().toLowerCase()
  const addresses = (text: string): string[] =>
    text.toLowerCase().match(/[^\s<>",;]+@[^\s<>",;]+/g) ?? []
  const to = addresses(mail.to)
  return (
    addresses(request.to).every((address) => to.includes(address)) &&
    versionsIn(mail.body).some(({ text }) => plain(text) === plain(request.text ?? ''))
  )
}
