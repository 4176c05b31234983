/** Keeps one MCP server running: started when it is needed, ended when it hangs, left alone for a while when it fails. */
import { redacted } from '../../system/redact.ts'
import { McpConnection, type ServerLink } from './mcp-connection.ts'

export interface KeptServerOptions {
  start: () => ServerLink
  timeoutMs: number
  coolDownMs: number
  secrets: string[]
}

export interface Failure {
  message: string
  /** In the midst of what it was asked. */
  hasDied: boolean
  /** False only where the server has certainly not been asked. */
  mayHaveRun: boolean
}
export type Reply<T> = { value: T; failure?: undefined } | { failure: Failure }

const hungGraceMs = 200
const gentleGraceMs = 4000
const closeGraceMs = 3000
const late = Symbol('late')

export class KeptServer {
  readonly coolDown: CoolDown
  readonly #options: KeptServerOptions
  #connection: McpConnection | undefined
  /** Servers that are on their way out; no other is started beside them. */
  #leaving: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(options: KeptServerOptions) {
    this.#options = options
    this.coolDown = new CoolDown(options.coolDownMs)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Asks something of the server before the deadline, by `performance.now()`.
   *
   * @param isGentle a server that takes too long for this is given a moment to finish
   */
  async ask<T>(
    deadline: number,
    isGentle: boolean,
    work: (connection: McpConnection) => Promise<T>,
  ): Promise<Reply<T>> {
    if (this.#isClosed) return failed('it was closed', false)
    if (this.coolDown.isOn) return failed(this.coolDown.message, false)
    const connection = this.#connect()
    let isAsked = false
    const answered = connection.ready.then(() => {
      isAsked = true
      return work(connection)
    })
    if (isGentle) connection.gentleCalls++
    try {
      const value = await inTime(deadline, answered)
      if (value === late) return failed(await this.#giveUp(connection, isAsked), isAsked)
      if (this.#connection === connection) this.coolDown.end()
      return { value }
    } catch (error) {
      const hasDied = isAsked && connection.hasEnded
      return failed(await this.#failure(connection, isAsked, error), isAsked, hasDied)
    } finally {
      if (isGentle) connection.gentleCalls--
    }
  }

  /** Ends the server. What is asked of it now or later fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#connection?.stop(closeGraceMs), this.#leaving])
  }

  #connect(): McpConnection {
    if (!this.#connection || this.#connection.hasEnded) {
      this.#connection = new McpConnection(this.#options.start, this.#leaving)
    }
    return this.#connection
  }

  async #giveUp(connection: McpConnection, isAsked: boolean): Promise<string> {
    const seconds = this.#options.timeoutMs / 1000
    const message = `it did not ${isAsked ? 'answer' : 'start'} within ${seconds} s`
    const isGentle = connection.gentleCalls > 0
    const gone = this.#leave(connection, message, isGentle ? gentleGraceMs : hungGraceMs)
    // It must not act any more when the same is done in another way.
    if (!isGentle) await gone
    return message
  }

  async #failure(connection: McpConnection, isAsked: boolean, error: unknown): Promise<string> {
    const reason = error instanceof Error ? error.message : String(error)
    if (isAsked) {
      const what = connection.hasEnded ? 'it ended before it answered' : `it answered: ${reason}`
      return this.#clean(what)
    }
    const told = connection.lastLine === '' ? reason : `${reason}: ${connection.lastLine}`
    const message = this.#clean(`it could not be started: ${told}`)
    await this.#leave(connection, message, hungGraceMs)
    return message
  }

  /** Ends a server that is of no use, and lets it be for a while. */
  #leave(connection: McpConnection, why: string, graceMs: number): Promise<unknown> {
    if (this.#connection === connection) {
      this.#connection = undefined
      this.coolDown.begin(why)
    }
    const gone = connection.stop(graceMs)
    this.#leaving = Promise.allSettled([gone, this.#leaving])
    return gone
  }

  #clean(text: string): string {
    return redacted(text, this.#options.secrets)
  }
}

const failed = (message: string, mayHaveRun: boolean, hasDied = false): { failure: Failure } => ({
  failure: { message, mayHaveRun, hasDied },
})

/** The value, or `late`. */
function inTime<T>(deadline: number, work: Promise<T>): Promise<T | typeof late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), Math.max(0, deadline - performance.now()))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const maxFactor = 10

class CoolDown {
  readonly #ms: number
  #failures = 0
  #until = 0
  #why = ''
  #told = new Set<string>()

  constructor(ms: number) {
    this.#ms = ms
  }

  get isOn(): boolean {
    return performance.now() < this.#until
  }

  get message(): string {
    const seconds = Math.ceil((this.#until - performance.now()) / 1000)
    return `it is not asked for another ${seconds} s, since ${this.#why}`
  }

  begin(why: string): void {
    this.#until = performance.now() + this.#ms * Math.min(2 ** this.#failures, maxFactor)
    this.#failures++
    this.#why = why
    this.#told.clear()
  }

  end(): void {
    this.#failures = 0
    this.#until = 0
  }

  /** Whether this is to be told: during a cool-down, once. */
  isNews(what: string): boolean {
    if (!this.isOn) return true
    const isNew = !this.#told.has(what)
    this.#told.add(what)
    return isNew
  }
}
