/** The table of routes: what may be asked of the coordination server, with which methods, and who answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { checked, hereQuery } from '../connection/queries.ts'
import { hereHeader, projectHeader, unknownHeader } from '../connection/remote/server-line.ts'
import type { Project } from '../coordination/coordination.ts'
import { unknownAs } from '../coordination/projects/project-errors.ts'
import type { Projects } from '../coordination/projects/projects.ts'
import type { HookAnswering } from '../hooks/answering.ts'
import { isProjectName } from '../names.ts'
import { jsonOf } from '../system/text.ts'
import {
  agents,
  announceTo,
  call,
  difference,
  history,
  horizon,
  inbox,
  leave,
  messageAnswered,
  messages,
  messagesNotified,
  place,
  project,
  projectList,
  rename,
  search,
  sentMessages,
  session,
  sessionAgent,
  silence,
  standings,
  visit,
  waitingMessages,
} from './api.ts'
import type { Purpose } from './guards.ts'
import { sendHealth } from './health.ts'
import { answerHook } from './hooks.ts'
import { allow, type Exchange, HttpError, sendJson } from './http-exchange.ts'
import type { Inbound } from './inbound.ts'
import type { PageParts } from './page/page-call.ts'
import { PageRoutes } from './page/page-routes.ts'
import { SseSessions } from './sse.ts'
import { StreamableHttp } from './streamable-http.ts'

interface Route {
  /** Others are refused by name. Where the key begins with a method, others are not there at all. */
  methods?: string[]
  /** It needs no token, and answers whatever has become of the database. */
  isOpen?: true
  /** It looks itself what has become of the database. */
  isCareful?: true
  /** @param named what stands behind the name of the route. */
  answer(exchange: Exchange, named: string | undefined): Promise<void>
}

export interface RoutesOptions extends PageParts {
  hooks: HookAnswering
  /** Nothing: no mail comes in, and its routes are not there. */
  inbound?: Inbound | undefined
  staleSeconds: number
  uptimeSeconds(): number
}

export class Routes {
  readonly #options: RoutesOptions
  readonly #streamable: StreamableHttp
  readonly #sessions: SseSessions
  readonly #page: PageRoutes
  readonly #table: Record<string, Route>

  constructor(options: RoutesOptions) {
    this.#options = options
    this.#streamable = new StreamableHttp(options.coordination, options.book)
    this.#sessions = new SseSessions(options.book, options.track)
    this.#page = new PageRoutes(options)
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
      '/hooks': {
        methods: ['POST'],
        isCareful: true,
        answer: async (exchange, client) => {
          if (!client) throw notFound(exchange.request)
          await answerHook(options.hooks, client, exchange, options.track)
        },
      },
      '/health': {
        methods: ['GET', 'HEAD'],
        isOpen: true,
        answer: ({ request, response }) => sendHealth(response, options, options.mayCall(request)),
      },
      ...(options.inbound && { '/inbound': inboundRoute(options.inbound) }),
      // Its headers say who answers; nobody is told anything else.
      'GET /api/hello': { answer: async ({ response }) => sendJson(response, 200, {}) },
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
      'POST /api/call': this.#inProject((project, exchange) =>
        call({ project, book: options.book }, exchange),
      ),
      'POST /api/visit': this.#inProject(visit),
      'POST /api/place': this.#inProject(place),
      'POST /api/session/agent': this.#inProject(sessionAgent),
      'POST /api/waiting': this.#inProject(waitingMessages),
      'POST /api/notified': this.#inProject(messagesNotified),
      'POST /api/answered': this.#inProject(messageAnswered),
      'GET /api/session': this.#inProject(session),
      'POST /api/announce': this.#inProject(announceTo),
      'POST /api/leave': this.#inProject(leave),
      'POST /api/project': this.#ofAll(project),
      'GET /api/projects': this.#ofAll(projectList),
      'POST /api/projects/rename': this.#ofAll(rename),
    }
  }

  purposeOf(path: string): Purpose {
    const isForAll = this.#named(startOf(path).start)?.isOpen === true
    return { isForAll, isOpen: isForAll || this.#page.owns(path) }
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search = ''] = (request.url ?? '').split('?', 2)
    const { start, named } = startOf(path)
    const route = this.#named(start) ?? this.#named(`${request.method} ${path}`)
    if (!route?.isOpen && !route?.isCareful) this.#checkDatabase(request)
    const exchange = { request, response, query: new URLSearchParams(search) }
    if (this.#page.owns(path)) return this.#page.answer(exchange, path)
    if (!route) throw notFound(request)
    if (route.methods) allow(request, route.methods)
    await route.answer(exchange, named)
  }

  /** Ends the streams that are open. */
  closeStreams(): void {
    this.#sessions.close()
    this.#page.closeStreams()
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

  /** The project is named in the query, or by where the caller stands. */
  #inProject(answer: (project: Project, exchange: Exchange) => Promise<void>): Route {
    return {
      answer: async (exchange) => {
        const name = checkedName(exchange.query.get('project') ?? '')
        const key = (await this.#standing(exchange)) ?? (await this.#key(name, exchange.response))
        await answer(this.#options.coordination.project(key), exchange)
      },
    }
  }

  #ofAll(answer: (projects: Projects, exchange: Exchange) => Promise<void>): Route {
    return {
      answer: async (exchange) => {
        await this.#standing(exchange)
        await answer(this.#options.coordination.projects, exchange)
      },
    }
  }

  /** The project of where the caller stands, if it says so; its name goes with the answer. */
  async #standing({ request, response }: Exchange): Promise<string | undefined> {
    const { [hereHeader]: told } = request.headers
    if (typeof told !== 'string') return undefined
    const here = checked(hereQuery, jsonOf(Buffer.from(told, 'base64url').toString('utf8')))
    const { projects } = this.#options.coordination
    const key =
      'machine' in here
        ? await projects.find(here)
        : await this.#key(checkedName(here.project ?? ''), response)
    response.setHeader(projectHeader, encodeURIComponent(await projects.nameOf(key)))
    return key
  }

  /** Whoever names one that nobody knows is told so beside the answer. */
  async #key(name: string, response?: ServerResponse): Promise<string> {
    const { projects } = this.#options.coordination
    if (name === '') return this.#options.own.key
    const key = await projects.keyOf(name)
    const unknown = response && (await unknownAs(projects, name))
    if (unknown !== undefined) response?.setHeader(unknownHeader, encodeURIComponent(unknown))
    return key
  }
}

/** The name of a route, and what stands behind it. */
function startOf(path: string): { start: string; named: string | undefined } {
  const [, start = path, named] = /^(\/(?:mcp|sse|hooks|inbound))\/(.*)$/.exec(path) ?? []
  return { start, named }
}

/** It has a secret of its own, and needs nothing of the database. */
const inboundRoute = (inbound: Inbound): Route => ({
  methods: ['POST'],
  isOpen: true,
  answer: async (exchange, named = '') => {
    const [, form, secret] = /^(postmark|raw)\/(.+)$/.exec(named) ?? []
    if (secret === undefined) throw notFound(exchange.request)
    await inbound.take(form === 'raw' ? 'raw' : 'postmark', secret, exchange)
  },
})

function notFound(request: IncomingMessage): HttpError {
  request.resume()
  return new HttpError(404, 'not found: there are /mcp, /sse, /health and /')
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
