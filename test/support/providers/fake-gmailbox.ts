/** The mails and labels of the fake Gmail, with the rules that Gmail has for them. */
import { decodeWords, type Email } from 'postal-mime'
import { type MimePart, mimeTree } from '../email/mime-tree.ts'
import { matches } from './gmail-query.ts'

export class Refusal extends Error {
  readonly status: number
  readonly reason: string
  readonly word: string

  constructor(status: number, reason: string, word: string) {
    super(reason)
    this.status = status
    this.reason = reason
    this.word = word
  }
}

const notFound = () => new Refusal(404, 'notFound', 'NOT_FOUND')
const badArgument = () => new Refusal(400, 'invalidArgument', 'INVALID_ARGUMENT')

export interface StoredMail {
  id: string
  threadId: string
  labelIds: string[]
  internalDate: string
  snippet: string
  raw: Buffer
  payload: MimePart
}

export interface AddedMail {
  raw: string | Buffer
  labelIds?: string[]
  threadId?: string
  internalDate?: number
  snippet?: string
  /** Text bodies are to be fetched on their own, as Gmail does with large ones. */
  bodiesApart?: boolean
}

const systemLabels =
  'INBOX UNREAD STARRED IMPORTANT SPAM TRASH SENT DRAFT CHAT CATEGORY_PERSONAL CATEGORY_SOCIAL CATEGORY_PROMOTIONS CATEGORY_UPDATES CATEGORY_FORUMS'

export class FakeGmailbox {
  readonly mails = new Map<string, StoredMail>()
  readonly labels = new Map(
    systemLabels.split(' ').map((name) => [name, { id: name, name, type: 'system' }]),
  )
  readonly #attachments = new Map<string, Buffer>()
  #lastId = 0x18c2f00000

  /** Gives its id. Mails come a second after each other. */
  add({ raw, bodiesApart = false, ...given }: AddedMail): StoredMail {
    const id = this.#newId()
    const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw
    const payload = mimeTree(bytes, (body, part) => {
      if (part.filename === '' && !(bodiesApart && part.mimeType.startsWith('text/'))) return
      const attachmentId = `ANGj-${this.#newId()}`
      this.#attachments.set(attachmentId, body)
      return attachmentId
    })
    const mail: StoredMail = {
      id,
      threadId: given.threadId ?? id,
      labelIds: given.labelIds ?? ['INBOX', 'UNREAD'],
      internalDate: String(given.internalDate ?? Date.now() - 86_400_000 + this.mails.size * 1000),
      snippet: given.snippet ?? '',
      raw: bytes,
      payload,
    }
    this.mails.set(id, mail)
    return mail
  }

  /** Into the thread only where Gmail would see a reply: known id, same subject, and its References. */
  addSent(raw: Buffer, mail: Email, threadId: unknown): StoredMail {
    const thread = [...this.mails.values()].filter((other) => other.threadId === threadId)
    if (threadId !== undefined && thread.length === 0) throw notFound()
    const subject = (text = '') => text.replace(/^(re:\s*)+/i, '')
    const isReply = thread.some(
      (other) =>
        `${mail.inReplyTo} ${mail.references}`.includes(headerOf(other.payload, 'message-id')) &&
        subject(mail.subject) === subject(decodeWords(headerOf(other.payload, 'subject'))),
    )
    const id = `<${this.#newId()}@mail.gmail.com>`
    const rewritten = raw.toString('latin1').replace(/^Message-ID:.*$/im, `Message-ID: ${id}`)
    return this.add({
      raw: Buffer.from(rewritten, 'latin1'),
      labelIds: ['SENT'],
      internalDate: Date.now(),
      ...(isReply && { threadId: String(threadId) }),
    })
  }

  profile() {
    return { emailAddress: 'me@example.com', messagesTotal: this.mails.size, threadsTotal: 1 }
  }

  list(query: URLSearchParams) {
    const limit = Number(query.get('maxResults') ?? 100)
    const from = Number(query.get('pageToken') ?? 0)
    if (!(limit >= 1 && limit <= 500) || !Number.isInteger(from)) throw badArgument()
    const found = [...this.mails.values()]
      .filter((mail) => matches(query.get('q') ?? '', this.#searched(mail)))
      .sort((a, b) => Number(b.internalDate) - Number(a.internalDate))
    const page = found.slice(from, from + limit)
    return {
      ...(page.length > 0 && { messages: page.map(({ id, threadId }) => ({ id, threadId })) }),
      ...(from + limit < found.length && { nextPageToken: String(from + limit) }),
      resultSizeEstimate: found.length,
    }
  }

  get(id: string, query: URLSearchParams) {
    const mail = this.#mail(id)
    const { raw, payload, ...base } = mail
    const format = (query.get('format') ?? 'full').toLowerCase()
    if (format === 'minimal') return base
    if (format === 'raw') return { ...base, raw: raw.toString('base64url') }
    if (format === 'full') return { ...base, payload }
    const wanted = query.getAll('metadataHeaders').map((name) => name.toLowerCase())
    const { mimeType, headers } = payload
    const shown = headers.filter(
      ({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase()),
    )
    return { ...base, payload: { mimeType, headers: shown } }
  }

  modify(id: string, add: unknown = [], remove: unknown = []) {
    const mail = this.#mail(id)
    if (!Array.isArray(add) || !Array.isArray(remove)) throw badArgument()
    for (const label of [...add, ...remove]) {
      if (!this.labels.has(label) || /^(SENT|DRAFT)$/.test(label)) throw badArgument()
    }
    const kept = mail.labelIds.filter((label) => !remove.includes(label))
    mail.labelIds = [...new Set([...kept, ...add])]
    return { id, threadId: mail.threadId, labelIds: mail.labelIds }
  }

  createLabel(name: unknown) {
    if (typeof name !== 'string' || name.length > 225) throw badArgument()
    if (name.split('/').some((step) => step.trim() === '')) throw badArgument()
    if (this.labels.get(name.toUpperCase())?.type === 'system') throw badArgument()
    if ([...this.labels.values()].some((label) => label.name === name)) {
      throw new Refusal(409, 'aborted', 'ABORTED')
    }
    const label = { id: `Label_${this.labels.size}`, name, type: 'user' }
    this.labels.set(label.id, label)
    return label
  }

  attachment(id: string) {
    const bytes = this.#attachments.get(id)
    if (!bytes) throw notFound()
    return { size: bytes.length, data: bytes.toString('base64url') }
  }

  #mail(id: string): StoredMail {
    const mail = this.mails.get(id)
    if (!mail) throw notFound()
    return mail
  }

  #searched({ labelIds, payload, raw, internalDate }: StoredMail) {
    return {
      labels: labelIds.map((id) => this.labels.get(id)?.name ?? id),
      header: (name: string) => decodeWords(headerOf(payload, name)),
      text: raw.toString(),
      date: Number(internalDate),
      hasAttachment: (payload.parts ?? []).some(({ filename }) => filename !== ''),
    }
  }

  #newId(): string {
    return (++this.#lastId).toString(16)
  }
}

const headerOf = ({ headers }: MimePart, wanted: string): string =>
  headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())?.value ?? ''
