/** Reading a Gmail account, and sorting it by labels. Nothing here marks a mail as read. */
import { AgentMailError } from '../../errors.ts'
import type { Original } from '../../mime/mail.ts'
import { settable } from '../label-names.ts'
import type { Inbox, IncomingMail, ListRequest, MailHead } from '../provider.ts'
import type { GmailApi } from './api.ts'
import { checkedLabelName, GmailLabels } from './labels.ts'
import { incomingMail, mailHeadOf, originalOf } from './message.ts'
import { attachmentIn, type GmailMessage, isId, messageIn, pageIn } from './reply.ts'

const atOnce = 8
const mostBodies = 20

type Format = 'full' | 'metadata' | 'minimal'

export class GmailInbox implements Inbox {
  readonly #api: GmailApi

  constructor(api: GmailApi) {
    this.#api = api
  }

  list({ query, limit, page_token }: ListRequest) {
    return this.#api.call(async (signal) => {
      const { ids, nextPageToken } = await this.page(query, limit, signal, page_token)
      const headers = ['Subject', 'From', 'Date']
      const found = await inOrder(ids, (id) => this.messageIfThere(id, signal, headers))
      const mails: MailHead[] = found.filter((mail) => mail !== undefined).map(mailHeadOf)
      return { mails, ...(nextPageToken !== '' && { next_page_token: nextPageToken }) }
    })
  }

  get(id: string): Promise<IncomingMail> {
    return this.#api.call(async (signal) => {
      const message = await this.#message(id, 'full', signal)
      let bodies = 0
      return incomingMail(message, async (attachmentId) => {
        if (++bodies > mostBodies) return ''
        const params = { userId: 'me', messageId: message.id, id: attachmentId }
        const reply = await this.#api.ask(
          (users, options) => users.messages.attachments.get(params, options),
          signal,
        )
        return attachmentIn(reply)
      })
    })
  }

  async original(id: string): Promise<Original> {
    // With all headers: a filter by name would have to spell Message-ID as the sender did.
    return originalOf(await this.#api.call((signal) => this.#message(id, 'metadata', signal)))
  }

  move(id: string, label: string): Promise<string[]> {
    return this.#addLabel(id, label, (labelId) => (labelId === 'INBOX' ? [] : ['INBOX']))
  }

  label(id: string, label: string): Promise<string[]> {
    return this.#addLabel(id, label, () => [])
  }

  async page(query: string, limit: number, signal: AbortSignal, pageToken?: string) {
    const params = {
      userId: 'me',
      maxResults: limit,
      ...(query && { q: query }),
      ...(pageToken && { pageToken }),
    }
    return pageIn(
      await this.#api.ask((users, options) => users.messages.list(params, options), signal),
    )
  }

  /** Its metadata; nothing where it has vanished since it was listed. @param headers all where none is given. */
  async messageIfThere(
    id: string,
    signal: AbortSignal,
    headers: string[] = [],
  ): Promise<GmailMessage | undefined> {
    try {
      return await this.#message(id, 'metadata', signal, headers)
    } catch (error) {
      if (AgentMailError.is(error) && error.code === 'not_found') return undefined
      throw error
    }
  }

  async #message(
    id: string,
    format: Format,
    signal: AbortSignal,
    headers: string[] = [],
  ): Promise<GmailMessage> {
    const params = {
      userId: 'me',
      id: checkedId(id),
      format,
      ...(headers.length > 0 && { metadataHeaders: headers }),
    }
    return messageIn(
      await this.#api.ask((users, options) => users.messages.get(params, options), signal),
    )
  }

  async #addLabel(id: string, label: string, leaving: (labelId: string) => string[]) {
    const name = checkedLabelName(label)
    checkedId(id)
    return this.#api.call(async (signal) => {
      const labels = await GmailLabels.load(this.#api, signal)
      let known = labels.find(name)
      if (known) settable(known.id)
      if (!known) {
        await this.#message(id, 'minimal', signal) // no new label for a mail that is not there
        known = await labels.create(name)
      }
      const requestBody = { addLabelIds: [known.id], removeLabelIds: leaving(known.id) }
      const reply = await this.#api.ask(
        (users, options) => users.messages.modify({ userId: 'me', id, requestBody }, options),
        signal,
      )
      return labels.namesOf(messageIn(reply).labelIds)
    })
  }
}

function checkedId(id: string): string {
  if (isId(id)) return id
  const next = 'Give the id of a mail as list_emails tells it.'
  throw new AgentMailError('invalid_request', 'this is no id of a mail', next)
}

/** Several at once, the results in the order of the items. After a failure no other is begun. */
export async function inOrder<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let hasFailed = false
  const waiting = items.entries()
  const worker = async () => {
    // All workers take from the same iterator, so that each item is taken once.
    for (const [index, item] of waiting) {
      if (hasFailed) return
      results[index] = await work(item).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
