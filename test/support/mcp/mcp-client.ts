/** Clients of `agentmail mcp [toolset]`: the official one in both protocol eras, and one that writes and reads raw lines. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { binary, type Env, plainEnv, start } from '../agentmail.ts'

export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]
export const revisions: Record<Era, string> = { legacy: '2025-11-25', modern: '2026-07-28' }

export interface ServerOptions {
  env: Env
  cwd?: string
  /** What starts the server; `mcp` without it. */
  args?: string[]
}

/** The official client, connected to a server of its own. */
export async function connect(
  era: Era | 'auto',
  options: ServerOptions,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Client> {
  const mode = era === 'modern' ? { pin: revisions.modern } : era
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, ...(options.args ?? ['mcp'])],
    env: Object.fromEntries(
      Object.entries(plainEnv(options.env)).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value]],
      ),
    ),
    stderr: 'ignore',
    ...(options.cwd ? { cwd: options.cwd } : {}),
  })
  atEnd(() => client.close())
  await client.connect(transport)
  return client
}

const version = z.literal('2.0')
export const answerSchema = z
  .strictObject({
    jsonrpc: version,
    id: z.union([z.string(), z.int(), z.null()]),
    result: z.looseObject({}).optional(),
    error: z
      .strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() })
      .optional(),
  })
  .refine(({ result, error }) => (result === undefined) !== (error === undefined))
export const notificationSchema = z.strictObject({
  jsonrpc: version,
  method: z.string(),
  params: z.looseObject({}).optional(),
})

export type Answer = z.infer<typeof answerSchema>
export type Id = Answer['id']
export type Notification = z.infer<typeof notificationSchema>

export interface Exit {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stderr: string
}

export const meta = {
  'io.modelcontextprotocol/protocolVersion': revisions.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request as it stands on a line; in the modern era each carries its own envelope. */
export function requestLine(id: Id, method: string, params?: object, era: Era = 'legacy'): string {
  const sent = era === 'modern' ? { ...params, _meta: meta } : params
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(sent ? { params: sent } : {}) })
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

/** Resident memory of a process in MiB, now and at its highest. */
export function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (key: string) =>
    Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}
