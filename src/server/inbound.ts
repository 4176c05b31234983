/** Mail that comes in by HTTP: who may bring it, how much at a time, and that it is on disk before the answer is yes. */
import type { Config } from '../config.ts'
import { inboundSecretOf, readElsewhere } from '../email/inbound-mail.ts'
import { openMailFolder } from '../email/mail-provider.ts'
import { AgentMailError } from '../errors.ts'
import type { LocalProvider } from '../providers/local/local.ts'
import { logSeldom } from '../system/log.ts'
import { Bucket, isSameSecret } from './guards.ts'
import { type Exchange, HttpError, readBody, readJsonBody, sendJson } from './http-exchange.ts'

const maxMailBytes = 25 << 20
/** So much of bodies is in memory at a time; the rest comes again. */
const roomBytes = 2 * maxMailBytes
/** Wrong secrets: enough for a person who mistypes one. */
const wrongPerMinute = 10
const againSeconds = 10
/** Of whom nothing comes for so long nothing will. */
const silentMs = 20_000

export interface InboundOptions {
  secret: string
  perMinute: number
  open(): Promise<LocalProvider>
  /** Tests count how often it is asked. */
  isSame?: (given: string, own: string) => boolean
}

export type InboundForm = 'postmark' | 'raw'

export class Inbound {
  readonly #options: InboundOptions
  readonly #isSame: (given: string, own: string) => boolean
  readonly #rate: Bucket
  readonly #wrong = new Bucket(wrongPerMinute)
  #folder: Promise<LocalProvider> | undefined
  #heldBytes = 0

  constructor(options: InboundOptions) {
    this.#options = options
    this.#isSame = options.isSame ?? isSameSecret
    this.#rate = new Bucket(options.perMinute)
  }

  /** Nothing of the body is looked at before the secret is the right one. */
  async take(form: InboundForm, given: string, exchange: Exchange): Promise<void> {
    try {
      this.#check(given)
      await this.#receive(form, exchange)
    } catch (error) {
      exchange.request.resume()
      // Whoever brings mail may tell nobody that it was refused.
      if (error instanceof HttpError || AgentMailError.is(error))
        logSeldom('mails that were not taken in', `inbound mail was refused: ${error.message}`)
      throw error
    }
  }

  async #receive(form: InboundForm, exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    const bytes = this.#makeRoom(exchange)
    const { socket } = request
    const usualMs = socket.timeout ?? 0
    socket.setTimeout(silentMs)
    try {
      await this.#store(await readMail(form, exchange))
      sendJson(response, 200, { ok: true })
    } finally {
      socket.setTimeout(usualMs)
      this.#heldBytes -= bytes
    }
  }

  /** Where it is stored; opened again after it could not be. */
  folder(): Promise<LocalProvider> {
    this.#folder ??= this.#options.open().catch((error) => {
      this.#folder = undefined
      throw error
    })
    return this.#folder
  }

  /** Whoever has the right secret waits for no guesser. */
  #check(given: string): void {
    const isRight = this.#isSame(given, this.#options.secret)
    const seconds = (isRight ? this.#rate : this.#wrong).take()
    if (seconds > 0) throw later(429, 'too many mails at once', seconds)
    if (!isRight) throw new HttpError(403, 'this is not the secret of this server')
  }

  /** A body whose length nobody tells may have any that is allowed. */
  #makeRoom({ request }: Exchange): number {
    const told = Number(request.headers['content-length'] ?? maxMailBytes)
    const bytes = Math.min(told, maxMailBytes)
    if (this.#heldBytes + bytes > roomBytes)
      throw later(503, 'other mails are coming in', againSeconds)
    this.#heldBytes += bytes
    return bytes
  }

  async #store(mail: { raw: Buffer; identity?: string }): Promise<void> {
    try {
      await (await this.folder()).receive(mail)
    } catch (error) {
      if (!AgentMailError.is(error) || error.code === 'invalid_request') throw error
      throw later(503, error.message, againSeconds)
    }
  }
}

const later = (status: 429 | 503, message: string, seconds: number) =>
  new HttpError(status, `${message}: try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  })

/** What writes a mail is loaded when the first one comes. */
async function readMail(
  form: InboundForm,
  { request }: Exchange,
): Promise<{ raw: Buffer; identity?: string }> {
  if (form === 'raw') return { raw: await readBody(request, maxMailBytes) }
  const body = await readJsonBody(request, maxMailBytes)
  const { inboundFromPostmark } = await import('../providers/postmark/inbound.ts')
  return inboundFromPostmark(body)
}

/** What the server does with mail that comes in; nothing where none is to come in. */
export function openInbound(config: Config): Inbound | undefined {
  const secret = inboundSecretOf(config)
  if (secret === undefined) return undefined
  return new Inbound({
    secret,
    perMinute: config.seconds('inboundRate'),
    open: () => openMailFolder(config),
  })
}

/** For the log of a server that starts. */
export async function inboundWords(inbound: Inbound, config: Config): Promise<string> {
  try {
    const { account } = await inbound.folder()
    const whose = readElsewhere(config) ? ', which AGENTMAIL_MAIL=local reads' : ''
    return `mail that comes in at /inbound goes to ${account}${whose}`
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return `mail that comes in at /inbound is refused: ${error.message}. ${error.next ?? ''}`.trim()
  }
}
