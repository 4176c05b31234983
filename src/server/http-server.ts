/** The life of the coordination server: it listens, takes requests in turn through the guards to the routes, and stops in order. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { instanceHeader, staleHeader } from '../connection/remote/server-line.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { logSeldom } from '../system/log.ts'
import { asHost, isLoopback, isWildcard, ownAddresses } from '../system/network.ts'
import { checkDoor, type GuardOptions, Guards } from './guards.ts'
import { HttpError, requestName, sendHttpError } from './http-exchange.ts'
import { Routes, type RoutesOptions } from './routes.ts'
import { portInUse } from './running.ts'

/** A request must arrive whole within this time, its headers within the shorter one. */
const headersMs = 8_000
const requestMs = 20_000
/** Where mail comes in: one of 25 MB, over a slow line. */
const mailMs = 120_000
/** Longer than the longest wait for messages. */
const silentSocketMs = 75_000
/** What is under way when the server is told to stop may take this long. */
const stopMs = 5_000
const maxPipelined = 100

type HttpServerOptions = Omit<GuardOptions, 'takesMail'> &
  Pick<
    RoutesOptions,
    | 'config'
    | 'coordination'
    | 'book'
    | 'hooks'
    | 'inbound'
    | 'own'
    | 'database'
    | 'place'
    | 'instance'
    | 'staleSeconds'
  > & {
    port: number
  }

export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #guards: Guards
  readonly #routes: Routes
  readonly #underWay = new Set<Promise<void>>()
  /** The requests of a connection that are not answered yet. */
  readonly #lines = new WeakMap<Socket, { length: number; last: Promise<void> | undefined }>()
  #isStopping = false
  #listeningSince = 0

  private constructor(options: HttpServerOptions) {
    this.#options = options
    this.#guards = new Guards({ ...options, takesMail: options.inbound !== undefined })
    this.#routes = new Routes({
      ...options,
      mayCall: (request) => this.#guards.mayCall(request),
      isToken: (given) => this.#guards.isToken(given),
      isByHttps: (request) => this.#guards.isByHttps(request),
      url: () => this.url,
      uptimeSeconds: () => (performance.now() - this.#listeningSince) / 1000,
      track: (work) => this.#track(work),
    })
    this.#server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: options.inbound ? mailMs : requestMs,
        connectionsCheckingInterval: 1000,
      },
      (request, response) => this.#take(request, response),
    )
    options.coordination.lost?.addEventListener('abort', () => this.#endStreams())
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
    await this.#endStreams()
    this.#server.closeIdleConnections()
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500).unref())])
    this.#server.closeAllConnections()
    await this.#routes.close()
  }

  /** When what is under way is answered on them. */
  async #endStreams(): Promise<void> {
    const answered = Promise.all(this.#underWay)
    const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref())
    await Promise.race([answered, late])
    await new Promise((resolve) => setTimeout(resolve, 20)) // for answers to reach their streams
    this.#routes.closeStreams()
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
        this.#server.on('error', (error) =>
          logSeldom('errors of the server', `server: ${error.message}`),
        )
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
    response.setHeader(instanceHeader, this.#options.instance)
    response.setHeader(staleHeader, String(this.#options.staleSeconds))
    if (this.#isStopping) response.setHeader('connection', 'close')
    const work = this.#answer(request, response).catch((error) => {
      if (error instanceof HttpError) return sendHttpError(response, error)
      if (AgentMailError.is(error)) {
        const { httpStatus, text, code } = error
        return sendHttpError(response, new HttpError(httpStatus, text, { data: { code } }))
      }
      const reason = error instanceof Error ? error.stack : error
      logSeldom('requests that failed', `${requestName(request)} failed: ${reason}`)
      sendHttpError(
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
    const refusal = this.#guards.check(request, this.#routes.purposeOf(pathOf(request)))
    if (!refusal) return this.#routes.answer(request, response)
    request.resume()
    const { status, message, headers = {} } = refusal
    throw new HttpError(status, message, { headers })
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

function explained(error: Error, host: string, port: number): AgentMailError {
  if (hasCode(error, 'EADDRINUSE')) return portInUse({ host, port })
  const code = 'code' in error ? String(error.code) : error.message
  return new AgentMailError(
    'server_config',
    `cannot listen on ${host} port ${port} (${code})`,
    'Choose an address of this machine with --host, and a port above 1023 with --port.',
  )
}
