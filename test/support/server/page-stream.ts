/** A page that listens to the server's events, raw: it keeps what comes, and goes on from where it was. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import type { Hint, JournalView } from '../../../src/person/shapes.ts'
import { eventually } from '../eventually.ts'
import { PageVisitor } from './page-visitor.ts'

export interface PageEvent {
  name: string
  id: string | undefined
  data: Record<string, unknown>
}

const entrySchema = z.looseObject({ project: z.string(), entry: z.int() })
const hintSchema = z.looseObject({ about: z.string(), project: z.string().optional() })

interface Opening {
  cursor?: string | undefined
  lastEventId?: string | undefined
}

export class PageStream {
  readonly events: PageEvent[] = []
  readonly closed: Promise<void>
  isClosed = false
  /** Where it would go on. */
  cursor: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly #asking: ClientRequest
  readonly #stream: IncomingMessage
  #rest = ''

  private constructor(asking: ClientRequest, stream: IncomingMessage, { cursor }: Opening) {
    this.#asking = asking
    this.#stream = stream
    this.cursor = cursor
    this.headers = stream.headers
    this.closed = new Promise((resolve) => {
      stream.on('close', () => {
        this.isClosed = true
        resolve()
      })
    })
    stream.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    stream.on('error', () => {}) // `closed` tells
  }

  /** Rejects where the server cannot be reached, or refuses. */
  static async open(url: string, opening: Opening = {}): Promise<PageStream> {
    const { cursor, lastEventId } = opening
    const { cookie } = await PageVisitor.enter(url)
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
    const path = `${url}/api/page/events${query}`
    return new Promise((resolve, reject) => {
      const asking = request(path, { agent: false, headers }, (stream) => {
        if (stream.statusCode === 200) return resolve(new PageStream(asking, stream, opening))
        stream.resume()
        reject(new Error(`The stream was refused with ${stream.statusCode}`))
      })
      onTestFinished(() => {
        asking.destroy()
      })
      asking.on('error', reject)
      asking.end()
    })
  }

  get names(): string[] {
    return this.events.map(({ name }) => name)
  }

  get entries(): Pick<JournalView, 'project' | 'entry'>[] {
    return this.of('entry').map((data) => entrySchema.parse(data))
  }

  of(name: string): Record<string, unknown>[] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data)
  }

  hints(about: Hint['about']): (string | undefined)[] {
    const hints = this.of('hint').map((data) => hintSchema.parse(data))
    return hints.filter((hint) => hint.about === about).map(({ project }) => project)
  }

  /** Waits for so many events of a name. */
  until(name: string, count = 1): Promise<Record<string, unknown>[]> {
    return eventually(`${count} × ${name} on the stream`, () => {
      const found = this.of(name)
      return found.length >= count && found
    })
  }

  untilHint(about: Hint['about'], count = 1): Promise<unknown> {
    return eventually(`a hint about ${about}`, () => this.hints(about).length >= count)
  }

  /** Reads no more, and stays. */
  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  close(): void {
    this.#asking.destroy()
  }

  #read(text: string): void {
    const events = (this.#rest + text).split('\n\n')
    this.#rest = events.pop() ?? ''
    for (const event of events) this.#take(event)
  }

  #take(text: string): void {
    if (/^(?::|retry:)/.test(text)) return
    const [, name = '', , id, data = ''] =
      /^event: (\w+)\n(id: ([^\n]*)\n)?data: ([^\n]+)$/.exec(text) ?? []
    this.cursor = id ?? this.cursor
    this.events.push({ name, id, data: z.record(z.string(), z.unknown()).parse(JSON.parse(data)) })
  }
}
