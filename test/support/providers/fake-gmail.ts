/** A Gmail in this process: stateful, over real HTTP, and able to fail in every way a network can. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import PostalMime, { type Email } from 'postal-mime'
import { breakReply, type FaultRule, googleError } from './fake-gmail-faults.ts'
import { FakeGmailTokens } from './fake-gmail-tokens.ts'
import { type AddedMail, FakeGmailbox, Refusal } from './fake-gmailbox.ts'

export interface SeenRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

/** What would have gone out, read again from the bytes that came. */
export interface SentMail {
  id: string
  threadId: string
  raw: Buffer
  mail: Email
}

const api = '/gmail/v1/users/me/'
/** Where mails are given to it. */
export const sendPath = /\/messages\/send$/

export class FakeGmail {
  readonly login = new FakeGmailTokens()
  readonly mailbox = new FakeGmailbox()
  readonly requests: SeenRequest[] = []
  readonly sent: SentMail[] = []
  /** Called when a request has arrived, before anything is done. */
  onRequest: ((request: SeenRequest) => void) | undefined
  /** Called once a mail is taken, before that is answered. */
  onSend: ((sent: SentMail) => void | Promise<void>) | undefined
  /** Called when the system has all of an answer. */
  onReply: ((path: string) => void) | undefined
  readonly #server: Server
  readonly #prefix: string
  #rules: (FaultRule & { left: number })[] = []

  private constructor(prefix: string) {
    this.#prefix = prefix
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        const reply = googleError(500, 'fakeBroken', 'INTERNAL', String(error))
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
      })
    })
  }

  /** @param prefix a path that stands before everything, as behind a proxy. */
  static async start(prefix = ''): Promise<FakeGmail> {
    const gmail = new FakeGmail(prefix)
    await new Promise<void>((resolve) => gmail.#server.listen(0, '127.0.0.1', resolve))
    return gmail
  }

  get url(): string {
    const address = this.#server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return `http://127.0.0.1:${port}${this.#prefix}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  addMail(mail: AddedMail): string {
    return this.mailbox.add(mail).id
  }

  fail(rule: FaultRule): void {
    this.#rules.push({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY })
  }

  /** Forgets faults, hooks and requests; the mails stay. */
  heal(): void {
    this.#rules = []
    this.onRequest = this.onSend = this.onReply = undefined
    this.requests.length = 0
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake')
    const { method = 'GET', headers } = request
    const path = pathname.startsWith(this.#prefix) ? pathname.slice(this.#prefix.length) : '/'
    const seen = { method, path, query: searchParams, headers, body }
    this.requests.push(seen)
    this.onRequest?.(seen)
    const rule = this.#ruleFor(method, path)
    const isDone = rule === undefined || rule.fault === 'lost-reply' || rule.fault === 'slow'
    if (!isDone) return breakReply(rule, response)
    const { status, reply, location } = await this.#answer(request, path, searchParams, body)
    if (rule?.fault === 'lost-reply') return void response.destroy()
    if (rule) await new Promise((resolve) => setTimeout(resolve, rule.delayMs ?? 300))
    response.writeHead(status, {
      'content-type': 'application/json; charset=UTF-8',
      ...(location && { location }),
    })
    response.end(JSON.stringify(reply ?? {}), () => this.onReply?.(path))
  }

  #ruleFor(method: string, path: string) {
    const rule = this.#rules.find(
      (rule) =>
        rule.left > 0 && (rule.path ?? /./).test(path) && (rule.method ?? method) === method,
    )
    if (rule) rule.left--
    return rule
  }

  async #answer(request: IncomingMessage, path: string, query: URLSearchParams, body: string) {
    const { method = 'GET', headers } = request
    if (!path.startsWith('/gmail/')) {
      const {
        status,
        body: reply,
        location,
      } = this.login.answer(method, path, query, new URLSearchParams(body))
      return { status, reply, location }
    }
    try {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
      if (!this.login.accessTokens.has(token)) {
        throw new Refusal(401, 'authError', 'UNAUTHENTICATED')
      }
      if (method === 'POST' && !/^application\/json/.test(headers['content-type'] ?? '')) {
        throw new Refusal(400, 'badContent', 'INVALID_ARGUMENT')
      }
      const given: Record<string, unknown> = body === '' ? {} : JSON.parse(body)
      return { status: 200, reply: await this.#route(`${method} ${path}`, query, given) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, reason, word } = error
      return { status, reply: googleError(status, reason, word) }
    }
  }

  async #route(route: string, query: URLSearchParams, body: Record<string, unknown>) {
    const { mailbox } = this
    if (route === `GET ${api}profile`) return mailbox.profile()
    if (route === `GET ${api}messages`) return mailbox.list(query)
    if (route === `GET ${api}labels`) return { labels: [...mailbox.labels.values()] }
    if (route === `POST ${api}labels`) return mailbox.createLabel(body.name)
    if (route === `POST ${api}messages/send`) return this.#send(body)
    const id = '([\\w-]+)'
    const [, attachment, attachmentId] =
      new RegExp(`^GET ${api}messages/${id}/attachments/${id}$`).exec(route) ?? []
    if (attachment && attachmentId) return mailbox.attachment(attachmentId)
    const [, modified] = new RegExp(`^POST ${api}messages/${id}/modify$`).exec(route) ?? []
    if (modified) return mailbox.modify(modified, body.addLabelIds, body.removeLabelIds)
    const [, read] = new RegExp(`^GET ${api}messages/${id}$`).exec(route) ?? []
    if (read) return mailbox.get(read, query)
    throw new Refusal(404, 'notFound', 'NOT_FOUND')
  }

  async #send(body: Record<string, unknown>) {
    if (typeof body.raw !== 'string') throw new Refusal(400, 'invalidArgument', 'INVALID_ARGUMENT')
    const raw = Buffer.from(body.raw, 'base64url')
    const mail = await PostalMime.parse(raw)
    const recipients = [mail.to, mail.cc, mail.bcc].flatMap((list) => list ?? [])
    if (recipients.length === 0) throw new Refusal(400, 'invalidArgument', 'INVALID_ARGUMENT')
    const message = this.mailbox.addSent(raw, mail, body.threadId)
    const sent = { id: message.id, threadId: message.threadId, raw, mail }
    this.sent.push(sent)
    await this.onSend?.(sent)
    return { id: message.id, threadId: message.threadId, labelIds: message.labelIds }
  }
}
