/** GET /api/page/events: what happens in all projects as server-sent events, which go on where a page was. */
import type { ServerResponse } from 'node:http'
import type { WatchEvent } from '../../person/events/events.ts'
import { Watch } from '../../person/events/watch.ts'
import type { Viewer } from '../../person/events/watch-edge.ts'
import { logSeldom } from '../../system/log.ts'
import { HttpError } from '../http-exchange.ts'
import type { PageCall, PageParts, PageTable } from './page-call.ts'

const keepAliveMs = 15_000
/** How long a page that lost its stream waits before it comes back. */
const returnMs = 1000
const maxStreams = 200
/** A page that does not read its stream is let go at this much. */
const maxUnreadBytes = 8 << 20

export class PageStreams {
  /** Whoever has more to tell the pages tells it to this. */
  readonly watch: Watch
  readonly table: PageTable = { 'GET /events': async (call) => this.#open(call) }
  readonly #streams = new Set<PageStream>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: PageParts) {
    this.watch = new Watch(parts)
  }

  /** Ends those that are open; the pages come back to whoever serves then. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const stream of this.#streams) stream.end()
  }

  #open({ request, response, query }: PageCall): undefined {
    if (this.#isClosed) throw new HttpError(503, 'the server stops: try again')
    if (this.#streams.size >= maxStreams) {
      throw new HttpError(503, 'too many pages are open: close some and try again')
    }
    const { 'last-event-id': last } = request.headers
    const cursor = (typeof last === 'string' && last) || query.get('cursor') || undefined
    const stream = new PageStream(response)
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => this.#keepAlive(), keepAliveMs).unref()
    response.on('close', () => {
      this.#streams.delete(stream)
      this.watch.leave(stream)
      if (this.#streams.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
    this.watch.open(stream, cursor).catch((error) => {
      const reason = error instanceof Error ? error.message : error
      logSeldom('pages that were let go', `a page was let go, and will come back: ${reason}`)
      stream.end()
    })
  }

  #keepAlive(): void {
    for (const stream of this.#streams) stream.keepAlive()
  }
}

class PageStream implements Viewer {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    this.#write(`retry: ${returnMs}\n\n`)
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  tell(event: WatchEvent): void {
    this.#write(textOf(event))
  }

  /** Not to one that does not read: it is let go when nothing has gone out for long. */
  keepAlive(): void {
    if (!this.#response.writableNeedDrain) this.#write(': still here\n\n')
  }

  async hasRoom(): Promise<void> {
    const response = this.#response
    if (this.isGone || !response.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.on('drain', done)
      response.on('close', done)
    })
  }

  end(): void {
    if (!this.isGone) this.#response.end()
  }

  #write(text: string): void {
    if (this.isGone) return
    this.#response.write(text)
    if (this.#response.writableLength > maxUnreadBytes) this.#response.destroy()
  }
}

/** Many pages are told the same: it is put into words once. */
const texts = new WeakMap<WatchEvent, string>()

function textOf(event: WatchEvent): string {
  const known = texts.get(event)
  if (known !== undefined) return known
  const id = event.cursor === undefined ? '' : `id: ${event.cursor}\n`
  const text = `event: ${event.name}\n${id}data: ${JSON.stringify(event.data)}\n\n`
  texts.set(event, text)
  return text
}
