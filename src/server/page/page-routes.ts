/** The page at / and what it asks: the built files, the door that lets a person in, and the table of /api/page. */
import { type Exchange, HttpError, sendJson } from '../http-exchange.ts'
import { deciding } from './deciding.ts'
import { helping, ownUser } from './helping.ts'
import type { PageHandler, PageParts, PageTable } from './page-call.ts'
import { isPageFile, sendPageFile } from './page-files.ts'
import { PageStreams } from './stream.ts'
import { watching } from './watching.ts'

export class PageRoutes {
  readonly #table: PageTable
  readonly #streams: PageStreams

  constructor(parts: PageParts) {
    this.#streams = new PageStreams(parts)
    this.#table = {
      ...helping(parts),
      ...watching(parts),
      ...deciding(parts),
      ...this.#streams.table,
    }
  }

  owns(path: string): boolean {
    return isPageFile(path) || /^\/api\/page(\/|$)/.test(path)
  }

  /** Ends the streams of events that are open. */
  closeStreams(): void {
    this.#streams.close()
  }

  async answer(exchange: Exchange, path: string): Promise<void> {
    const { request, response } = exchange
    if (isPageFile(path)) return sendPageFile(response, path)
    const handler = this.#handler(`${request.method} ${path.slice('/api/page'.length)}`)
    const answer = await handler({ ...exchange, who: ownUser() })
    if (answer !== undefined) sendJson(response, 200, answer)
  }

  #handler(key: string): PageHandler {
    const handler = Object.hasOwn(this.#table, key) ? this.#table[key] : undefined
    if (handler) return handler
    throw new HttpError(404, 'not found: the page asks for nothing like that')
  }
}
