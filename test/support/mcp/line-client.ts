/** A client of `agentmail mcp [toolset]` that writes and reads raw lines. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { start } from '../agentmail.ts'
import type { ServerOptions } from './mcp-client.ts'
import {
  type Answer,
  answerSchema,
  type Era,
  type Id,
  type Notification,
  notificationSchema,
  requestLine,
  revisions,
} from './protocol.ts'

export interface Exit {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stderr: string
}

/** Writes whatever lines it is told to, and holds what the server says against JSON-RPC. */
export class LineClient {
  readonly child: ChildProcessWithoutNullStreams
  readonly era: Era
  readonly answers: Answer[] = []
  readonly notifications: Notification[] = []
  /** What stood on stdout and is not MCP. */
  readonly faults: string[] = []
  readonly ended: Promise<Exit>
  onAnswer: (answer: Answer) => void = () => {}

  #stderr = ''
  #line = ''
  #lastId = 0
  readonly #waiting = new Map<Id, (answer: Answer) => void>()

  constructor(options: ServerOptions & { era?: Era }) {
    this.era = options.era ?? 'legacy'
    const child = start(options.args ?? ['mcp'], options)
    this.child = child
    child.stdin.on('error', () => {}) // the server may end first: `ended` tells
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    const decoder = new TextDecoder('utf-8', { fatal: true })
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        this.#read(decoder.decode(chunk, { stream: true }))
      } catch {
        this.faults.push('bytes that are not UTF-8')
      }
    })
    this.ended = new Promise((resolve) => {
      child.on('close', (exitCode, signal) => {
        if (this.#line !== '') this.faults.push(this.#line)
        resolve({ exitCode, signal, stderr: this.#stderr })
      })
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
  }

  /** Starts a server and says hello in the way of the era. */
  static async open(options: ServerOptions & { era?: Era }): Promise<LineClient> {
    const client = new LineClient(options)
    if (client.era === 'modern') {
      await client.request('server/discover')
    } else {
      const clientInfo = { name: 'test', version: '1' }
      const protocolVersion = revisions.legacy
      await client.request('initialize', { protocolVersion, capabilities: {}, clientInfo })
      client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    }
    return client
  }

  get stderr(): string {
    return this.#stderr
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  write(...lines: (string | Buffer)[]): void {
    const newline = Buffer.from('\n')
    this.child.stdin.write(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), newline])))
  }

  /** Writes as fast as the server reads. */
  async stream(bytes: string | Buffer): Promise<void> {
    if (this.child.stdin.write(bytes)) return
    await Promise.race([
      new Promise((resolve) => this.child.stdin.once('drain', resolve)),
      this.ended,
    ])
  }

  line(id: Id, method: string, params?: object): string {
    return requestLine(id, method, params, this.era)
  }

  request(method: string, params?: object): Promise<Answer> {
    const id = `request-${++this.#lastId}`
    this.write(this.line(id, method, params))
    return this.answer(id)
  }

  call(name: string, args: object = {}): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args })
  }

  /** The answer to that id, or an error if the server ends without it. */
  async answer(id: Id): Promise<Answer> {
    const given = this.answers.find((answer) => answer.id === id)
    if (given) return given
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    const ended = this.ended.then(({ exitCode, stderr }) => {
      throw new Error(`ended with ${exitCode} before it answered ${id}: ${stderr.slice(-500)}`)
    })
    return Promise.race([answered, ended])
  }

  answersTo(id: Id): Answer[] {
    return this.answers.filter((answer) => answer.id === id)
  }

  /** Closes the server's input and waits for its end. */
  finish(): Promise<Exit> {
    this.child.stdin.end()
    return this.ended
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
  }

  #take(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      this.faults.push(line)
      return
    }
    const answer = answerSchema.safeParse(value)
    if (answer.success) {
      this.answers.push(answer.data)
      this.onAnswer(answer.data)
      this.#waiting.get(answer.data.id)?.(answer.data)
      this.#waiting.delete(answer.data.id)
      return
    }
    const notification = notificationSchema.safeParse(value)
    if (notification.success) this.notifications.push(notification.data)
    else this.faults.push(line)
  }
}
