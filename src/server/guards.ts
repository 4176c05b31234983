/** Who may ask the HTTP server anything: by address, by origin, by rate, by token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AgentMailError } from '../errors.ts'
import {
  asHost,
  isLoopback,
  isLoopbackAddress,
  isWildcard,
  ownAddresses,
} from '../system/network.ts'

export interface Refusal {
  status: 400 | 401 | 403 | 429
  message: string
  headers?: Record<string, string>
}

export interface GuardOptions {
  /** The address that the server is bound to. */
  host: string
  allowedHosts: string[]
  token: string | undefined
  /** Of one client beyond loopback. */
  requestsPerMinute: number
  /** Whether mail comes in, for which a proxy or a tunnel may lead here from everywhere. */
  takesMail: boolean
}

/** What a request is for, as far as its path tells. */
export interface Purpose {
  /** It needs no token. */
  isOpen: boolean
  /** It brings a mail, or asks whether the server lives. */
  isForAll: boolean
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
/** What proxies add. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']
const maxClients = 10_000

export class Guards {
  readonly #hosts: Set<string>
  /** Those of them that somebody has named. */
  readonly #allowed: Set<string>
  readonly #tokenHash: Buffer | undefined
  readonly #rate: RateLimit
  /** Names of this machine alone. */
  readonly #own: Set<string>
  readonly #isForMailAlone: boolean

  constructor({ host, allowedHosts, token, requestsPerMinute, takesMail }: GuardOptions) {
    const bound = isWildcard(host) ? ownAddresses() : [host]
    this.#own = new Set([...loopbackNames, ...bound.map(asHost)])
    this.#isForMailAlone = takesMail && token === undefined
    this.#allowed = new Set(
      allowedHosts.map((name) => asHost(isIP(name) === 6 ? name : name.replace(/:\d+$/, ''))),
    )
    this.#hosts = new Set([...this.#own, ...this.#allowed])
    this.#tokenHash = token === undefined ? undefined : hashOf(token)
    this.#rate = new RateLimit(requestsPerMinute)
  }

  /** Nothing, if the request may go on. */
  check(request: IncomingMessage, { isOpen, isForAll }: Purpose): Refusal | undefined {
    const { host, origin } = request.headers
    if (
      request.rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length > 1
    ) {
      return { status: 400, message: 'Host must be there once' }
    }
    if (!this.#isOwnName(host)) {
      return {
        status: 403,
        message: 'this Host is not allowed: add its name to AGENTMAIL_ALLOWED_HOSTS if it is yours',
      }
    }
    if (origin !== undefined && !this.#isOwnOrigin(origin, request)) {
      return {
        status: 403,
        message: 'this Origin is not allowed: pages of other sites may not use this server',
      }
    }
    if (this.#isForMailAlone && !isForAll && this.#isPassedOn(request)) {
      return {
        status: 403,
        message:
          'from beyond this machine the server takes nothing but mail, since it has no token: set AGENTMAIL_TOKEN to use it from there',
      }
    }
    const waitSeconds = this.#rate.take(request.socket.remoteAddress)
    if (waitSeconds > 0) {
      return {
        status: 429,
        message: `too many requests: try again in ${waitSeconds} s`,
        headers: { 'retry-after': String(waitSeconds) },
      }
    }
    return isOpen || this.mayCall(request) ? undefined : tokenRequired
  }

  /** Whether it has the token, where there is one. */
  mayCall({ headers }: IncomingMessage): boolean {
    if (this.#tokenHash === undefined) return true
    const given = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    return this.isToken(given.trim())
  }

  /** Never, where there is none. */
  isToken(given: string): boolean {
    return this.#tokenHash !== undefined && timingSafeEqual(hashOf(given), this.#tokenHash)
  }

  /** Whether it came to a proxy by https: only one under a name that was allowed is believed. */
  isByHttps({ headers }: IncomingMessage): boolean {
    const [first] = String(headers['x-forwarded-proto']).split(',') // that of the outermost
    const name = nameIn(headers.host)
    return /^https$/i.test(first?.trim() ?? '') && name !== undefined && this.#allowed.has(name)
  }

  /** By a proxy, whose own address is that of this machine. */
  #isPassedOn({ headers }: IncomingMessage): boolean {
    const name = nameIn(headers.host)
    return (
      (name !== undefined && !this.#own.has(name)) ||
      proxyHeaders.some((header) => headers[header] !== undefined)
    )
  }

  #isOwnName(host: string | undefined): boolean {
    const name = nameIn(host)
    return name !== undefined && this.#hosts.has(name)
  }

  /** Other ports of this machine are other sites; a name that was allowed may be that of a proxy. */
  #isOwnOrigin(origin: string, { headers, socket }: IncomingMessage): boolean {
    const host = /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase()
    if (host === undefined || !this.#isOwnName(host)) return false
    const [, name = host, port] = /^(.+?)(?::(\d+))?$/.exec(host) ?? []
    if (this.#allowed.has(name) || host === headers.host?.toLowerCase()) return true
    return port === undefined || Number(port) === socket.localPort
  }
}

export const tokenRequired = {
  status: 401,
  message: 'a token is required: send it as "Authorization: Bearer <token>"',
  headers: { 'www-authenticate': 'Bearer' },
} as const satisfies Refusal

const nameIn = (host: string | undefined): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase()

/** Beyond loopback nobody gets in without a token. */
export function checkDoor({ host, token }: { host: string; token: string | undefined }): void {
  if (isLoopback(host) || token !== undefined) return
  throw new AgentMailError(
    'server_config',
    `refusing to listen on ${host} without a token`,
    'Set AGENTMAIL_TOKEN to a secret that clients must send, or listen on 127.0.0.1.',
  )
}

/** Of one length, so that a comparison tells nothing about what is secret. */
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

export const isSameSecret = (given: string, own: string): boolean =>
  timingSafeEqual(hashOf(given), hashOf(own))

/** Full at first, refilled steadily. */
export class Bucket {
  readonly #size: number
  #tokens: number
  #at = performance.now()

  constructor(perMinute: number) {
    this.#size = Math.max(1, perMinute)
    this.#tokens = this.#size
  }

  /** How many seconds to wait; 0 where there is no need to. */
  take(): number {
    const now = performance.now()
    const perMs = this.#size / 60_000
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#at) * perMs)
    this.#at = now
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / perMs / 1000))
    this.#tokens--
    return 0
  }
}

/** A bucket a client. */
class RateLimit {
  readonly #perMinute: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** How many seconds the client has to wait; 0 if it need not. */
  take(address: string | undefined): number {
    if (address === undefined || isLoopbackAddress(address)) return 0
    const bucket = this.#buckets.get(address) ?? new Bucket(this.#perMinute)
    if (this.#buckets.size >= maxClients) this.#buckets.clear()
    this.#buckets.set(address, bucket)
    return bucket.take()
  }
}
