/** The way to one server: on connections that are kept for a moment, and nothing that matters is said before it has shown that it is the one. */
import { setMaxListeners } from 'node:events'
import { elapsedMs } from '../../system/clock.ts'
import {
  exchange,
  type HttpReply,
  NoReply,
  type OpenReply,
  openReply,
} from '../../system/http-request.ts'
import { HttpLine } from '../../system/plain-http/http-line.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { isOwnProcess } from '../server-note.ts'
import { reasonOf, refusal, unreachable } from './remote-errors.ts'

/** What a server tells of itself with every answer. */
export const instanceHeader = 'agentmail-instance'
export const staleHeader = 'agentmail-stale-seconds'
/** Where somebody stands, with a first question; and the project that it was answered in. */
export const hereHeader = 'agentmail-here'
export const projectHeader = 'agentmail-project'
/** That nobody has used the project that was named, in words. */
export const unknownHeader = 'agentmail-unknown-project'

const greeting = '/api/hello'
const helloMs = 2_000
/** More than any answer of a server of ours that is not read while it comes. */
const maxAnswerBytes = 64 << 20

export interface ServerAddress {
  url: string
  token: string | undefined
  /** The very start of a server that must answer; any of AgentMail will do without it. */
  instance?: string | undefined
  /** Its process: everybody can ask for the instance, and nobody else has this. */
  pid?: number | undefined
}

export interface Question {
  /** In milliseconds. */
  limit: number
  outer?: readonly (AbortSignal | undefined)[]
  headers?: Record<string, string>
  /** JSON, which is posted; without it the request is a GET. */
  body?: string | undefined
  /** It says nothing that another program may not hear, and can be asked twice. */
  isGreeting?: boolean
}

export class ServerLine {
  readonly url: string
  /** After which a silent agent is removed there. */
  staleSeconds = 120
  /** Whether it takes the calls of commands at /api/call; an older one takes them at /mcp alone. */
  takesCalls = false
  readonly #address: ServerAddress
  readonly #lines: HttpLine[] = []
  /** Those that somebody asks on, also between the greeting and the question. */
  readonly #taken = new Set<HttpLine>()
  #isKnown = false
  #isClosed = false
  #closing: AbortController | undefined

  constructor(address: ServerAddress) {
    this.#address = address
    this.url = address.url.replace(/\/+$/, '')
  }

  /** Connects already, for a question that comes soon. */
  dial(): void {
    if (!this.url.startsWith('https:')) this.#line().dial()
  }

  /** Finds out whether it is the one, for a question that comes soon. Throws as `ask` does. */
  async greet(): Promise<void> {
    const line = this.#line()
    this.#taken.add(line)
    try {
      await this.#greet(line, greeting, { limit: helloMs })
    } finally {
      this.#taken.delete(line)
    }
  }

  /** Throws `server_unreachable` where no server of ours has answered. */
  async ask(path: string, asked: Question): Promise<HttpReply> {
    const until = elapsedMs() + asked.limit
    const line = this.#line()
    this.#taken.add(line)
    try {
      // Whoever takes the port after it is on a connection that is new.
      const isSure = this.#isKnown && (line.isKept || this.#address.instance === undefined)
      if (!isSure) {
        const reply = await this.#greet(line, path, asked)
        if (reply) return reply
      }
      const limit = Math.max(1, until - elapsedMs())
      const reply = await this.#send(line, path, { ...asked, limit })
      this.#checkAnswer(reply.headers)
      return reply
    } finally {
      this.#taken.delete(line)
    }
  }

  /** Of one that has answered before: what is read while it comes. Throws `NoReply` as well. */
  async open(path: string, limit: number): Promise<OpenReply> {
    this.#checkProcess()
    const url = new URL(`${this.url}${path}`)
    const headers = this.#headers({}, this.#isKnown)
    const reply = await openReply({ url, limit, headers, outer: [this.#closed()] })
    this.#checkAnswer(reply.headers)
    return reply
  }

  /** Ends everything that is under way, and takes nothing more. */
  close(): void {
    this.#isClosed = true
    for (const line of this.#lines) line.close()
    this.#closing?.abort()
  }

  /** With its token once that may be shown. */
  #headers(others: Record<string, string>, isShown: boolean): Record<string, string> {
    const { token } = this.#address
    return { ...others, ...(isShown && token ? { authorization: `Bearer ${token}` } : {}) }
  }

  /** Before anything is said to whoever is there: one that has gone may have another after it. */
  #checkProcess(): void {
    if (isOwnProcess(this.#address.pid)) return
    throw unreachable(this.url, 'its process has ended', true)
  }

  /** One that says which start it is says so with every answer. */
  #checkAnswer({ [instanceHeader]: told }: HttpReply['headers']): void {
    const { instance } = this.#address
    const isSilent = told === undefined && !this.takesCalls
    if (instance === undefined || isSilent || told === instance) return
    throw unreachable(this.url, 'another program has answered')
  }

  /** Made where it is needed: it takes a millisecond. */
  #closed(): AbortSignal {
    if (!this.#closing) {
      this.#closing = new AbortController()
      setMaxListeners(0, this.#closing.signal) // each request that is under way is one
      if (this.#isClosed) this.#closing.abort()
    }
    return this.#closing.signal
  }

  /** Gives the answer where that was to the question itself. */
  async #greet(line: HttpLine, path: string, asked: Question): Promise<HttpReply | undefined> {
    const limit = Math.min(helloMs, asked.limit)
    const hello = { ...(asked.isGreeting ? asked : {}), limit, outer: asked.outer ?? [] }
    const greeted = asked.isGreeting ? path : greeting
    const reply = await this.#send(line, greeted, hello, true)
    const isIt = this.#isIt(reply.headers) ?? (await this.#isHealthy(line, limit))
    this.#isKnown = isIt
    if (!isIt) throw unreachable(this.url, 'what answers there is another program', true)
    const isAnswer = asked.isGreeting && !(reply.status === 401 && this.#address.token)
    return isAnswer ? reply : undefined
  }

  /** Nothing where it does not say, as an older one. */
  #isIt(headers: HttpReply['headers']): boolean | undefined {
    const { [instanceHeader]: instance, [staleHeader]: seconds } = headers
    if (typeof instance !== 'string') return undefined
    this.#takeStale(seconds)
    this.takesCalls = true
    return this.#isInstance(instance)
  }

  async #isHealthy(line: HttpLine, limit: number): Promise<boolean> {
    const reply = await this.#send(line, '/health', { limit }, true)
    const health = jsonOf(reply.body ?? '')
    const isIt = isRecord(health) && typeof health.stale_seconds === 'number'
    if (!isIt && (reply.status < 200 || reply.status > 299)) throw refusal(reply, this.url)
    if (!isIt) return false
    this.#takeStale(health.stale_seconds)
    return this.#isInstance(health.instance)
  }

  #isInstance(instance: unknown): boolean {
    const wanted = this.#address.instance
    return wanted === undefined || instance === wanted
  }

  #takeStale(told: unknown): void {
    const seconds = Number(told)
    if (seconds > 0) this.staleSeconds = seconds
  }

  /** @param isHello nothing is asked yet, whether it was heard or not. */
  async #send(line: HttpLine, path: string, asked: Question, isHello = false): Promise<HttpReply> {
    const { body, limit, outer = [] } = asked
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = this.#headers({ ...type, ...asked.headers }, !isHello)
    this.#checkProcess()
    try {
      if (this.#isClosed) throw new NoReply(false, false, new Error('This operation was aborted'))
      if (this.url.startsWith('https:')) {
        const url = new URL(`${this.url}${path}`)
        const bounds = { limit, outer: [...outer, this.#closed()] }
        return await exchange({ url, headers, text: body, ...bounds }, maxAnswerBytes)
      }
      const method = body === undefined ? 'GET' : 'POST'
      return await line.ask({ method, path, headers, body, limit, outer })
    } catch (error) {
      const isUnasked = isHello || (error instanceof NoReply && !error.mayHaveGoneOut)
      throw unreachable(this.url, reasonOf(error), isUnasked)
    }
  }

  #line(): HttpLine {
    const free = this.#lines.find((line) => !line.isBusy && !this.#taken.has(line))
    if (free) return free
    const line = new HttpLine(new URL(this.url), maxAnswerBytes)
    this.#lines.push(line)
    return line
  }
}
