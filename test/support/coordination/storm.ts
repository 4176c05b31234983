/** Generated lines for an MCP server: calls, distorted and damaged calls, and what nobody asked for; the same for the same seed. */
import { type Era, type Id, requestLine } from '../mcp/protocol.ts'
import { choiceFrom } from '../seeded-random.ts'

/** What a toolset calls things. */
interface Words {
  tools: string[]
  arguments: string[]
}

const mailbox: Words = {
  tools: ['send', 'receive', 'status', 'list-recipients'],
  arguments: ['recipient', 'message', 'status'],
}

export class Storm {
  readonly #random: (below: number) => number
  readonly #era: Era
  readonly #words: Words
  #count = 0

  constructor(seed: number, era: Era, words = mailbox) {
    this.#random = choiceFrom(seed)
    this.#era = era
    this.#words = words
  }

  /** A line without a newline in it. */
  next(): Buffer {
    const kinds = [
      () => Buffer.from(this.#call()),
      () => Buffer.from(this.#call()),
      () => Buffer.from(this.#distorted()),
      () => Buffer.from(this.#distorted()),
      () => this.#damaged(Buffer.from(this.#call())),
      () => this.#damaged(Buffer.from(this.#distorted())),
      () => Buffer.from(this.#unasked()),
      () => Buffer.from(JSON.stringify(this.#value(4)) ?? 'undefined'),
      () => Buffer.from(Array.from({ length: this.#random(60) }, () => this.#random(256))),
    ]
    const line = this.#pick(kinds)()
    return Buffer.from(line.map((byte) => (byte === 0x0a ? 0x20 : byte)))
  }

  #pick<T>(from: readonly [T, ...T[]] | T[]): T {
    const [first] = from
    const picked = from[this.#random(from.length)] ?? first
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }

  #id(): Id {
    const number = ++this.#count
    return this.#random(2) ? number : `storm-${number}`
  }

  #text(): string {
    const texts = [
      ...['', 'a', 'b', 'ready', 'Ready', '\0', '\ud800', '\u2028', '../..', '__proto__', '🐦'],
      ...['%n', '$(id)', '-', '{"a":1}', 'x'.repeat(this.#random(3000)), ' ', 'constructor'],
    ]
    return this.#pick(texts)
  }

  #value(depth: number): unknown {
    const kind = this.#random(depth > 0 ? 9 : 6)
    if (kind === 0) return null
    if (kind === 1) return this.#random(2) === 1
    if (kind === 2) return this.#pick([0, -1, 1.5, 1e300, -0, 2 ** 53, this.#random(1e6)])
    if (kind < 6) return this.#text()
    const length = this.#random(4)
    if (kind === 6) return Array.from({ length }, () => this.#value(depth - 1))
    return this.#object(length, depth)
  }

  #object(length: number, depth: number): object {
    const names = [...this.#words.arguments, 'name', 'arguments', '_meta', 'id']
    const key = () => this.#pick([...names, this.#text()])
    return Object.fromEntries(Array.from({ length }, () => [key(), this.#value(depth - 1)]))
  }

  #arguments(): unknown {
    if (this.#random(4) === 0) return this.#value(3)
    const named = this.#words.arguments.filter(() => this.#random(2))
    const sent = Object.fromEntries(named.map((name) => [name, this.#text()]))
    return this.#pick([sent, sent, {}, { ...sent, ...this.#object(2, 2) }])
  }

  #call(): string {
    const name = this.#random(8) ? this.#pick(this.#words.tools) : this.#value(1)
    const params = { name, arguments: this.#arguments() }
    return requestLine(this.#id(), 'tools/call', params, this.#random(8) ? this.#era : 'legacy')
  }

  /** A request of which one part is not what it should be. */
  #distorted(): string {
    const methods = ['ping', 'tools/list', 'tools/call', 'initialize', 'prompts/list', this.#text()]
    const parts: Record<string, unknown> = {
      jsonrpc: '2.0',
      id: this.#id(),
      method: this.#pick(methods),
      params: this.#value(3),
    }
    const part = this.#pick([...Object.keys(parts), this.#text()])
    const distorted = { ...parts, [part]: this.#random(4) ? this.#value(3) : undefined }
    return JSON.stringify(distorted)
  }

  /** What nobody asked for, or nobody answers. */
  #unasked(): string {
    const method = this.#pick(['notifications/cancelled', 'notifications/initialized', 'x'])
    const jsonrpc = '2.0'
    const requestId = this.#random(4) ? this.#value(1) : Math.max(1, this.#count - this.#random(20))
    return JSON.stringify(
      this.#pick<object>([
        { jsonrpc, method, params: { requestId } },
        { jsonrpc, method, params: this.#value(2) },
        { jsonrpc, id: this.#value(0), result: this.#object(2, 2) },
        { jsonrpc, id: this.#value(0), error: { code: -1, message: this.#text() } },
      ]),
    )
  }

  #damaged(line: Buffer): Buffer {
    const at = this.#random(line.length)
    const insert = Buffer.from([this.#random(256)])
    return this.#pick([
      line.subarray(0, at),
      Buffer.concat([line.subarray(0, at), insert, line.subarray(at)]),
      Buffer.concat([line.subarray(0, at), insert, line.subarray(at + 1)]),
      Buffer.concat([line.subarray(0, at), line.subarray(at + 1)]),
    ])
  }
}
