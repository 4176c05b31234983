/** What the routes of the page share: the parts of the server that they use, and one call of the page. */
import type { IncomingMessage } from 'node:http'
import type { AddressBook } from '../../addresses/address-book.ts'
import type { Config } from '../../config.ts'
import type { OwnProject } from '../../connection/open-coordination.ts'
import type { Coordination } from '../../coordination/coordination.ts'
import type { Exchange } from '../http-exchange.ts'
import type { PageSession } from './door-sessions.ts'

export interface PageParts {
  /** Of the user; what a repository says of itself is not in it. */
  config: Config
  coordination: Coordination
  book: AddressBook
  own: OwnProject
  /** As people see it. */
  database: string
  /** Options by which others find it, where it is not the usual one. */
  place(url: string): string[]
  token: string | undefined
  instance: string
  /** Whether whoever asks has the token, where there is one. */
  mayCall(request: IncomingMessage): boolean
  /** Whether it is the token; never, where there is none. */
  isToken(given: string): boolean
  /** Whether it came by https, through a proxy. */
  isByHttps(request: IncomingMessage): boolean
  /** The address of this server. */
  url(): string
  /** A stop waits for it. */
  track(work: Promise<unknown>): void
}

/** Somebody at the page who has come in through the door. */
export interface PageCall extends Exchange {
  /** The name under which they decide. */
  who: string
  /** Nothing for whoever brings the token with each call. */
  session: PageSession | undefined
}

/** Gives what is answered as JSON; nothing where it has answered itself. */
export type PageHandler = (call: PageCall) => Promise<unknown>

/** By method and what stands behind /api/page, as in `GET /agents`. */
export type PageTable = Record<string, PageHandler>
