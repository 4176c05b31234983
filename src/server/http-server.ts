/** The coordination server: routes behind the guards, and an orderly start and stop. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import {
  type Coordination,
  isProjectName,
  ownProject,
  type Project,
} from '../coordination/coordination.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { makeServer } from '../mcp/server.ts'
import { agentOf, coordinationToolset } from '../mcp/toolsets/coordination.ts'
import { rfc3339, sleep, systemClock } from '../system/clock.ts'
import { log } from '../system/log.ts'
import { asHost, isLoopback, isWildcard, ownAddresses } from '../system/network.ts'
import { version } from '../version.ts'
import { serveApi } from './api.ts'
import { Guards } from './guards.ts'
import { HttpError, send, sendError, sendJson } from './http-exchange.ts'
import { pageHeaders, renderPage } from './page.ts'
import { SseSessions } from './sse.ts'
import { StreamableHttp } from './streamable-http.ts'

/** A request must arrive whole within this time, its headers within the shorter one. */
const headersMs = 8_000
const requestMs = 20_000
/** Longer than the longest wait for messages. */
const silentSocketMs = 75_000
/** What is under way when the server is told to stop may take this long. */
const stopMs = 5_000
/** A database that takes longer to say anything is told as unavailable. */
const healthMs = 2_000
const maxPipelined = 100
const maxHandlers = 1000

export interface HttpServerOptions {
  coordination: Coordination
  host: string
  port: number
  token: string | undefined
  allowedHosts: string[]
  requestsPerMinute: number
  /** Told by /health, so that whoever looks for this server knows it. */
  instance: string
  staleSeconds: number
}

export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #guards: Guards
  readonly #sessions = new SseSessions()
  readonly #handlers = new Map<string, StreamableHttp>()
  readonly #underWay = new Set<Promise<void>>()
  /** The requests of a connection that are not answered yet. */
  readonly #lines = new WeakMap<Socket, { length: number; last: Promise<void> | undefined }>()
  #isStopping = false
  #listeningSince = 0

  private constructor(options: HttpServerOptions) {
    this.#options = options
    this.#guards = new Guards(options)
    this.#server = createServer(
      { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: 1000 },
      (request, response) => this.#take(request, response),
    )
    this.#server.timeout = silentSocketMs
    this.#server.keepAliveTimeout = silentSocketMs
  }

  /** Resolves when it listens. */
  static async start(options: HttpServerOptions): Promise<HttpServer> {
    checkDoor(options)
    const server = new HttpServer(options)
    await server.#listen()
    return server
  }

  /** How clients on this machine reach it. */
  get url(): string {
    const { port } = this.#address
    const { host } = this.#options
    return `http://${isWildcard(host) ? '127.0.0.1' : asHost(host)}:${port}`
  }

  /** How clients on other machines may reach it. */
  get others(): string[] {
    if (!isWildcard(this.#options.host)) return []
    const { port } = this.#address
    // One that begins with fe80 means nothing without the name of a network card.
    const addresses = ownAddresses().filter(
      (address) => !isLoopback(address) && !/^fe80:/i.test(address),
    )
    return addresses.map((address) => `http://${asHost(address)}:${port}`)
  }

  /** Takes nothing new, answers what is under way and whoever waits, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#options.coordination.stopWaiting()
    const answered = Promise.all(this.#underWay)
    const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref())
    await Promise.race([answered, late])
    await new Promise((resolve) => setTimeout(resolve, 20)) // for answers to reach their streams
    this.#sessions.close()
    this.#server.closeIdleConnections()
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500).unref())])
    this.#server.closeAllConnections()
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close()))
  }

  get #address(): AddressInfo {
    const address = this.#server.address()
    if (address === null || typeof address === 'string')
      throw new Error('The server does not listen')
    return address
  }

  #listen(): Promise<void> {
    const { host, port } = this.#options
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(explained(error, host, port)))
      this.#server.listen({ host: host.replace(/^\[|\]$/g, ''), port }, () => {
        this.#listeningSince = performance.now()
        this.#server.on('error', (error) => log(`server: ${error.message}`))
        resolve()
      })
    })
  }

  /** One request of a connection at a time: the answers to those that wait would pile up in memory. */
  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const line = this.#lines.get(socket) ?? { length: 0, last: undefined }
    this.#lines.set(socket, line)
    if (line.length >= maxPipelined) {
      socket.destroy()
      return
    }
    const { last } = line
    line.length++
    line.last = new Promise((resolve) => {
      response.on('close', () => {
        line.length--
        resolve()
      })
    })
    if (line.length === 1 || !last) this.#handle(request, response)
    else last.then(() => this.#handle(request, response))
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {}) // the client has gone
    if (this.#isStopping) response.setHeader('connection', 'close')
    const work = this.#answer(request, response).catch((error) => {
      if (error instanceof HttpError) return sendError(response, error)
      if (AgentMailError.is(error)) {
        return sendError(response, new HttpError(error.httpStatus, error.text))
      }
      log(
        `${request.method} ${request.url?.split('?')[0]} failed: ${error instanceof Error ? error.stack : error}`,
      )
      sendError(
        response,
        new HttpError(500, 'internal error: the server has logged the details', { code: -32603 }),
      )
    })
    this.#track(work)
  }

  #track(work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      () => {},
    )
    this.#underWay.add(done)
    done.then(() => this.#underWay.delete(done))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search = ''] = (request.url ?? '').split('?', 2)
    const refusal = this.#guards.check(request, path === '/health')
    if (refusal) {
      request.resume()
      throw new HttpError(
        refusal.status,
        refusal.message,
        refusal.headers ? { headers: refusal.headers } : {},
      )
    }
    const query = new URLSearchParams(search)
    const [, route, name] = /^(\/[a-z]*)(?:\/(.*))?$/.exec(path) ?? []
    if (route === '/mcp' || route === '/sse') {
      allow(request, route === '/mcp' ? ['POST'] : ['GET'])
      const project = projectName(name)
      if (route === '/mcp') return this.#handlerOf(project).handle(request, response)
      return this.#openStream(project, response)
    }
    if (path === '/messages') {
      allow(request, ['POST'])
      return this.#sessions.receive(request, response, query.get('sessionId'))
    }
    if (path === '/health') {
      allow(request, ['GET', 'HEAD'])
      return this.#health(response)
    }
    if (path === '/') {
      allow(request, ['GET', 'HEAD'])
      return this.#page(response)
    }
    const projectNamed = (given: string) => this.#project(checkedName(given))
    if (await serveApi(path, query, projectNamed, request, response)) return
    request.resume()
    throw new HttpError(404, 'not found: there are /mcp, /sse, /health and /')
  }

  #project(name: string): Project {
    return this.#options.coordination.project(name)
  }

  #handlerOf(name: string): StreamableHttp {
    const known = this.#handlers.get(name)
    if (known) return known
    if (this.#handlers.size >= maxHandlers) this.#handlers.clear() // a request keeps its own
    const handler = new StreamableHttp(() =>
      makeServer(coordinationToolset, (tool, args, signal) =>
        tool.call(async () => ({ project: this.#project(name), signal }), args),
      ),
    )
    this.#handlers.set(name, handler)
    return handler
  }

  /** While its stream is open, an agent is alive. */
  async #openStream(name: string, response: ServerResponse): Promise<void> {
    const project = this.#project(name)
    const held = new Map<string, () => void>()
    response.on('close', () => {
      for (const letGo of held.values()) letGo()
    })
    const server = makeServer(coordinationToolset, async (tool, args, signal) => {
      const answering = tool.call(async () => ({ project, signal }), args)
      this.#track(answering)
      const result = await answering
      const agent = agentOf(tool.name, args, result)
      if (agent && !held.has(agent) && !response.destroyed) held.set(agent, project.hold(agent))
      return result
    })
    await this.#sessions.open(response, server)
  }

  async #health(response: ServerResponse): Promise<void> {
    const { coordination, instance, staleSeconds } = this.#options
    const { downSince } = coordination
    // One that is known to be gone is not waited for.
    const isWell =
      downSince === undefined &&
      (await Promise.race([
        coordination.check().then(
          () => true,
          () => false,
        ),
        sleep(healthMs).then(() => false),
      ]))
    sendJson(
      response,
      isWell ? 200 : 503,
      {
        status: isWell ? 'ok' : 'database_unavailable',
        version,
        database: coordination.engine,
        ...(downSince === undefined ? {} : { database_down_since: rfc3339(downSince) }),
        uptime_seconds: Math.floor((performance.now() - this.#listeningSince) / 1000),
        stale_seconds: staleSeconds,
        instance,
      },
      { 'cache-control': 'no-store' },
    )
  }

  async #page(response: ServerResponse): Promise<void> {
    const { coordination, token } = this.#options
    const names = await coordination.liveProjects()
    const projects = await Promise.all(
      names.map(async (name) => ({ name, ...(await this.#project(name).agents.list()) })),
    )
    const html = renderPage({
      url: this.url,
      engine: coordination.engine,
      projects,
      now: systemClock.now(),
      hasToken: token !== undefined,
    })
    send(response, 200, html, pageHeaders)
  }
}

/** Beyond loopback nobody gets in without a token. */
export function checkDoor({ host, token }: { host: string; token: string | undefined }): void {
  if (isLoopback(host) || token !== undefined) return
  throw new AgentMailError(
    'server_config',
    `refusing to listen on ${host} without a token`,
    'Set AGENTMAIL_TOKEN to a secret that clients must send, or listen on 127.0.0.1.',
  )
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
  if (name === '') return ownProject
  if (isProjectName(name)) return name
  throw new HttpError(404, 'no such project: a name has up to 100 characters and no slash')
}

function explained(error: Error, host: string, port: number): AgentMailError {
  if (hasCode(error, 'EADDRINUSE')) {
    return new AgentMailError(
      'port_in_use',
      `port ${port} on ${host} is in use`,
      `Perhaps AgentMail runs already: look at http://${asHost(host)}:${port}/health. Else choose another port with --port; 0 takes a free one.`,
    )
  }
  const code = 'code' in error ? String(error.code) : error.message
  return new AgentMailError(
    'server_config',
    `cannot listen on ${host} port ${port} (${code})`,
    'Choose an address of this machine with --host, and a port above 1023 with --port.',
  )
}
