/** The table of routes: what may be asked of the coordination server, with which methods, and who answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressBook } from '../addresses/address-book.ts'
import type { OwnProject } from '../connection/open-coordination.ts'
import type { Coordination, Project } from '../coordination/coordination.ts'
import { isProjectName, type Projects } from '../coordination/projects/projects.ts'
import { systemClock } from '../system/clock.ts'
import {
  agents,
  difference,
  history,
  horizon,
  inbox,
  leave,
  messages,
  messagesNotified,
  place,
  project,
  projectList,
  rename,
  search,
  sentMessages,
  silence,
  standings,
  visit,
  waitingMessages,
} from './api.ts'
import { sendHealth } from './health.ts'
import { type Exchange, HttpError, sendText } from './http-exchange.ts'
import { pageHeaders, renderPage } from './page.ts'
import { SseSessions } from './sse.ts'
import { StreamableHttp } from './streamable-http.ts'

/** The page is for a look: whoever wants all asks for them. */
const projectsOnPage = 50
const agentsOnPage = 100

interface Route {
  /** Others are refused by name. Where the key begins with a method, others are not there at all. */
  methods?: string[]
  /** It needs no token, and answers whatever has become of the database. */
  isOpen?: true
  answer(exchange: Exchange, projectInPath: string | undefined): Promise<void>
}

export interface RoutesOptions {
  coordination: Coordination
  book: AddressBook
  /** The project of whoever names none: that of the folder in which the server was started. */
  own: OwnProject
  /** As people see it. */
  database: string
  /** Options by which others find it, where it is not the usual one. */
  place(url: string): string[]
  token: string | undefined
  /** Told by /health, so that whoever looks for this server knows it. */
  instance: string
  staleSeconds: number
  /** Whether whoever asks has the token, where there is one. */
  mayCall(request: IncomingMessage): boolean
  /** The address of this server. */
  url(): string
  uptimeSeconds(): number
  /** A stop waits for it. */
  track(work: Promise<unknown>): void
}

export class Routes {
  readonly #options: RoutesOptions
  readonly #streamable: StreamableHttp
  readonly #sessions: SseSessions
  readonly #table: Record<string, Route>

  constructor(options: RoutesOptions) {
    this.#options = options
    this.#streamable = new StreamableHttp(options.coordination, options.book)
    this.#sessions = new SseSessions(options.book, options.track)
    this.#table = {
      '/mcp': {
        methods: ['POST'],
        answer: async ({ request, response }, name) =>
          this.#streamable.handle(await this.#key(projectName(name)), request, response),
      },
      '/sse': {
        methods: ['GET'],
        answer: async ({ response }, name) =>
          this.#sessions.open(
            options.coordination.project(await this.#key(projectName(name))),
            response,
          ),
      },
      '/messages': {
        methods: ['POST'],
        answer: ({ request, response, query }) =>
          this.#sessions.receive(request, response, query.get('sessionId')),
      },
      '/health': {
        methods: ['GET', 'HEAD'],
        isOpen: true,
        answer: ({ request, response }) => sendHealth(response, options, options.mayCall(request)),
      },
      '/': {
        methods: ['GET', 'HEAD'],
        answer: ({ response }) => this.#page(response),
      },
      'GET /api/agents': this.#inProject(agents),
      'GET /api/standings': this.#inProject(standings),
      'GET /api/messages': this.#inProject(messages),
      'GET /api/sent': this.#inProject(sentMessages),
      'GET /api/inbox': this.#inProject(inbox),
      'GET /api/silence': this.#inProject(silence),
      'GET /api/history': this.#inProject(history),
      'GET /api/horizon': this.#inProject(horizon),
      'GET /api/difference': this.#inProject(difference),
      'GET /api/search': this.#inProject(search),
      'POST /api/visit': this.#inProject(visit),
      'POST /api/place': this.#inProject(place),
      'POST /api/waiting': this.#inProject(waitingMessages),
      'POST /api/notified': this.#inProject(messagesNotified),
      'POST /api/leave': this.#inProject(leave),
      'POST /api/project': this.#ofAll(project),
      'GET /api/projects': this.#ofAll(projectList),
      'POST /api/projects/rename': this.#ofAll(rename),
    }
  }

  isOpen(path: string): boolean {
    return this.#named(path)?.isOpen === true
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search = ''] = (request.url ?? '').split('?', 2)
    const [, start = path, projectInPath] = /^(\/(?:mcp|sse))\/(.*)$/.exec(path) ?? []
    const route = this.#named(start) ?? this.#named(`${request.method} ${path}`)
    if (!route?.isOpen) this.#checkDatabase(request)
    if (!route) {
      request.resume()
      throw new HttpError(404, 'not found: there are /mcp, /sse, /health and /')
    }
    if (route.methods) allow(request, route.methods)
    await route.answer({ request, response, query: new URLSearchParams(search) }, projectInPath)
  }

  /** Ends the streams that are open. */
  closeStreams(): void {
    this.#sessions.close()
  }

  close(): Promise<void> {
    return this.#streamable.close()
  }

  #checkDatabase(request: IncomingMessage): void {
    try {
      this.#options.coordination.checkFile()
    } catch (error) {
      request.resume()
      throw error
    }
  }

  #named(key: string): Route | undefined {
    return Object.hasOwn(this.#table, key) ? this.#table[key] : undefined
  }

  /** The project is named in the query. */
  #inProject(answer: (project: Project, exchange: Exchange) => Promise<void>): Route {
    return {
      answer: async (exchange) => {
        const key = await this.#key(checkedName(exchange.query.get('project') ?? ''))
        await answer(this.#options.coordination.project(key), exchange)
      },
    }
  }

  #ofAll(answer: (projects: Projects, exchange: Exchange) => Promise<void>): Route {
    return { answer: (exchange) => answer(this.#options.coordination.projects, exchange) }
  }

  async #key(name: string): Promise<string> {
    const { coordination, own } = this.#options
    return name === '' ? own.key : coordination.projects.keyOf(name)
  }

  async #page(response: ServerResponse): Promise<void> {
    const { coordination, own, database, place, token, url } = this.#options
    const all = await coordination.projects.names()
    const living = new Set(await coordination.liveProjects())
    const names = all.filter(({ key }) => living.has(key))
    const projects = await Promise.all(
      names.slice(0, projectsOnPage).map(async ({ key, name }) => ({
        name,
        ...(await coordination.project(key).agents.list({ limit: agentsOnPage })),
      })),
    )
    const html = renderPage({
      url: url(),
      engine: coordination.engine,
      database,
      place: place(url()),
      own: await coordination.projects.nameOf(own.key),
      projects,
      otherProjects: names.length - projects.length,
      silent: all.filter(({ key }) => !living.has(key)).map(({ name }) => name),
      now: systemClock.now(),
      hasToken: token !== undefined,
    })
    sendText(response, 200, html, pageHeaders)
  }
}

function allow(request: IncomingMessage, methods: string[]): void {
  if (methods.includes(request.method ?? '')) return
  request.resume()
  throw new HttpError(405, `method not allowed: use ${methods.join(' or ')}`, {
    headers: { allow: methods.join(', ') },
  })
}

/** The project that a path names, percent-encoded. */
function projectName(encoded: string | undefined): string {
  try {
    return checkedName(decodeURIComponent(encoded ?? ''))
  } catch (error) {
    throw error instanceof HttpError
      ? error
      : new HttpError(404, 'no such project: the path is not UTF-8')
  }
}

function checkedName(name: string): string {
  if (name === '' || isProjectName(name)) return name
  throw new HttpError(404, 'no such project: a name has up to 100 characters and no slash')
}
