/** A service of models of our own: a real HTTP server that speaks the APIs of both makers, and answers as it is told to. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { isRecord, jsonOf } from '../../../src/system/text.ts'
import { apiErrors, completion, type Maker, message, refusalOf } from './llm-forms.ts'

export const llmKey = 'sk-fake-0123456789abcdefghij'

/** One fake for all tests of a file, with nothing in it at the start of each. */
export function sharedLlm(): () => FakeLlm {
  let fake: FakeLlm
  const ends: (() => void)[] = []
  beforeAll(async () => {
    fake = await FakeLlm.start((end) => ends.push(end))
  })
  beforeEach(() => {
    for (const list of [fake.requests, fake.told]) list.length = 0
    fake.otherwise = archive
  })
  afterAll(() => {
    for (const end of ends) end()
  })
  return () => fake
}

/** What the model says, or how the service fails. */
export type Told =
  | { says: string | null; stopped?: 'length' | 'refusal' | 'tool' }
  | { status: number; words?: string; headers?: Record<string, string> }
  | { raw: string; status?: number; type?: string }
  | { slowly: number; says: string }
  | 'hang'
  | 'trickle'
  | 'reset'
  | 'cut'
  | 'flood'

export interface LlmRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
  /** What it was asked, whichever API was spoken. */
  system: string
  user: string
}

const archive = (): Told => ({
  says: JSON.stringify({ decision: 'archive', reason: 'Nothing needs to be done.' }),
})

export class FakeLlm {
  readonly requests: LlmRequest[] = []
  /** For the requests to come, one each. */
  readonly told: Told[] = []
  /** For all others; as it comes, mail is archived. */
  otherwise: (request: LlmRequest) => Told = archive
  /** How many connections are open: none is left behind. */
  get connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_, count) => resolve(count ?? 0)))
  }

  readonly #server = createServer((request, response) => {
    this.#take(request, response).catch(() => response.destroy())
  })

  static async start(atEnd: (end: () => void) => void): Promise<FakeLlm> {
    const fake = new FakeLlm()
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    atEnd(() => {
      fake.#server.closeAllConnections()
      fake.#server.close()
    })
    return fake
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The fake is closed')
    return `http://127.0.0.1:${address.port}`
  }

  /** The settings under which a model of this maker is asked here. */
  env(maker: Maker) {
    return {
      AGENTMAIL_LLM: `${maker}:fake-model`,
      AGENTMAIL_LLM_API_KEY: llmKey,
      AGENTMAIL_LLM_BASE_URL: `${this.url}/v1`,
    }
  }

  get lastRequest(): LlmRequest {
    const request = this.requests.at(-1)
    if (!request) throw new Error('There was no request')
    return request
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const value = jsonOf(await text(request))
    const body = isRecord(value) ? value : {}
    const asked = { method, path, headers, body, ...askedIn(body) }
    this.requests.push(asked)
    const maker = path === '/v1/messages' ? 'anthropic' : 'openai'
    const refusal = refusalOf(maker, { method, path, headers, body }, llmKey)
    if (refusal) return answer(response, refusal.status, apiErrors[maker](refusal))
    await answerAsTold(response, maker, this.told.shift() ?? this.otherwise(asked))
  }
}

async function answerAsTold(response: ServerResponse, maker: Maker, told: Told): Promise<void> {
  if (told === 'hang') return
  if (told === 'reset') return void response.socket?.resetAndDestroy()
  if (told === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
    return void response.write('{"id":', () => response.destroy())
  }
  if (told === 'trickle' || told === 'flood') {
    response.writeHead(200, { 'content-type': 'application/json' })
    const [piece, pause] = told === 'flood' ? [' '.repeat(1 << 16), 0] : [' ', 20]
    while (!response.destroyed) {
      response.write(piece)
      await delay(pause)
    }
    return
  }
  if ('raw' in told)
    return answer(response, told.status ?? 200, told.raw, {
      'content-type': told.type ?? 'text/html',
    })
  if ('status' in told) {
    const { status, words = 'The service says no.', headers } = told
    return answer(response, status, apiErrors[maker]({ status, words }), headers)
  }
  if ('slowly' in told) await delay(told.slowly)
  const stopped = 'stopped' in told ? told.stopped : undefined
  answer(
    response,
    200,
    maker === 'anthropic' ? message(told.says, stopped) : completion(told.says, stopped),
  )
}

function askedIn({ system, messages }: Record<string, unknown>): { system: string; user: string } {
  const list = Array.isArray(messages) ? messages.filter(isRecord) : []
  const said = (role: string) => String(list.find((one) => one.role === role)?.content ?? '')
  return { system: typeof system === 'string' ? system : said('system'), user: said('user') }
}

function answer(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
