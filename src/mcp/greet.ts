/** Greets a client with the answers that the build has kept, so that it need not wait until the server is loaded. */
import { isRecord, jsonOf } from '../system/text.ts'
import type { Greeting } from './greetings.ts'

/** What is left for the server itself. */
export interface Greeted {
  /** What it has to know of the greeting, then all that the client says. */
  input: AsyncIterable<Buffer>
  /** The request in it that has its answer already. */
  answered?: Id
}

type Id = string | number

interface Output {
  write(line: string, done: () => void): unknown
}

/** No greeting is longer. */
const maxBytes = 1 << 16

/**
 * Answers a greeting that is word for word as the protocol has it, and leaves all else to the server.
 *
 * @param onGreeted is called when the client knows the tools.
 * @returns nothing where the client has left and wants no more.
 */
export async function greet(
  input: AsyncIterable<Buffer>,
  output: Output,
  greeting: Greeting,
  onGreeted: () => void,
): Promise<Greeted | undefined> {
  const talk = new Talk(greeting)
  const chunks = input[Symbol.asyncIterator]()
  for (let unread = Buffer.alloc(0); ; ) {
    const { value, done } = await chunks.next()
    unread = done ? unread : Buffer.concat([unread, value])
    for (let end = unread.indexOf('\n'); end !== -1; end = unread.indexOf('\n')) {
      const answer = talk.answer(unread.toString('utf8', 0, end))
      if (answer === undefined) break
      unread = unread.subarray(end + 1)
      if (answer === '') continue
      await new Promise<void>((resolve) => output.write(answer, resolve))
      if (talk.isOver) onGreeted()
    }
    if (done && unread.length === 0) return undefined
    if (!done && !unread.includes('\n') && unread.length <= maxBytes) continue
    const known = Buffer.from(talk.heard.map((line) => `${line}\n`).join(''))
    return { input: rest(Buffer.concat([known, unread]), chunks), ...talk.asked }
  }
}

async function* rest(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}

class Talk {
  readonly #greeting: Greeting
  /** What the server has to hear, too. */
  readonly heard: string[] = []
  asked: Pick<Greeted, 'answered'> = {}
  isOver = false

  constructor(greeting: Greeting) {
    this.#greeting = greeting
  }

  /** A line to answer with, or '' where there is nothing to say; nothing where the server has to answer. */
  answer(line: string): string | undefined {
    if (line.trim() === '') return ''
    const message = jsonOf(line)
    if (!isRecord(message) || !hasOnly(message, 'jsonrpc', 'id', 'method', 'params'))
      return undefined
    const { jsonrpc, id, method, params = {} } = message
    if (jsonrpc !== '2.0' || !isRecord(params)) return undefined
    const step = `${this.heard.length} ${method}`
    if (step === '0 initialize' && isId(id)) return this.#welcome(line, id, params)
    if (Object.keys(params).length > 0) return undefined
    if (step === '1 notifications/initialized' && id === undefined) {
      this.heard.push(line)
      return ''
    }
    if (step !== '2 tools/list' || !isId(id)) return undefined
    this.isOver = true
    return answerTo(id, this.#greeting.tools)
  }

  #welcome(line: string, id: Id, params: Record<string, unknown>): string | undefined {
    const { protocolVersion: revision, capabilities, clientInfo } = params
    const isUsual =
      hasOnly(params, 'protocolVersion', 'capabilities', 'clientInfo') &&
      isRecord(capabilities) &&
      areCapabilities(capabilities) &&
      isRecord(clientInfo) &&
      hasOnly(clientInfo, 'name', 'version', 'title') &&
      typeof clientInfo.name === 'string' &&
      typeof clientInfo.version === 'string' &&
      typeof (clientInfo.title ?? '') === 'string'
    if (!isUsual || typeof revision !== 'string') return undefined
    if (!Object.hasOwn(this.#greeting.initialize, revision)) return undefined
    this.heard.push(line)
    this.asked = { answered: id }
    return answerTo(id, this.#greeting.initialize[revision] ?? '')
  }
}

const isId = (id: unknown): id is Id => typeof id === 'string' || Number.isSafeInteger(id)

const hasOnly = (value: object, ...names: string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name))

/** Objects in objects, and flags that say whether changes are told. */
const areCapabilities = (value: Record<string, unknown>, depth = 0): boolean =>
  Object.entries(value).every(([name, one]) =>
    name === 'listChanged'
      ? typeof one === 'boolean'
      : isRecord(one) && depth < 5 && areCapabilities(one, depth + 1),
  )

const answerTo = (id: Id, result: string): string =>
  `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`
