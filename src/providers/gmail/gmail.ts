/** Mail through a Google account: the provider `gmail`. */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { AgentMailError, notSent, unclear } from '../../errors.ts'
import { compose, keyHeader } from '../../mime/compose.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { isRecord } from '../../system/text.ts'
import type { OutgoingMail, Provider, Receipt, Trace } from '../provider.ts'
import { GmailAccount } from './account.ts'
import { GmailApi, type RequestLimits, unlessAborted } from './api.ts'
import { sendError } from './error.ts'
import { GmailInbox, inOrder } from './inbox.ts'
import { isId } from './reply.ts'

const candidates = 50
const dayInSeconds = 24 * 60 * 60

export function openGmail(config: Config, limits: Partial<RequestLimits> = {}): Provider {
  const account = GmailAccount.of(config)
  const send = config.seconds('sendTimeoutSeconds') * 1000 + 1000 // the caller's limit comes first
  const root = rootUrl(config)
  const api = new GmailApi(account, root, {
    request: 15_000,
    call: 30_000,
    send,
    pause: 300,
    ...limits,
  })
  return new Gmail(account, api, root)
}

class Gmail implements Provider {
  readonly name = 'gmail'
  readonly account: string
  readonly inbox: GmailInbox
  readonly #api: GmailApi

  constructor(account: GmailAccount, api: GmailApi, root: string) {
    this.account = `${root} ${realPath(account.tokenPath)}`
    this.inbox = new GmailInbox(api)
    this.#api = api
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<Receipt> {
    const { raw } = await beforeSending(signal, compose(mail, { keepBcc: true }))
    const requestBody = {
      raw: raw.toString('base64url'),
      ...(mail.original?.thread_id && { threadId: mail.original.thread_id }),
    }
    let token = await beforeSending(signal, this.#api.token())
    for (let isRenewed = false; ; isRenewed = true) {
      if (signal.aborted) throw cancelled()
      const answer = await this.#api.askOnce(
        (users, options) => users.messages.send({ userId: 'me', requestBody }, options),
        token,
        signal,
      )
      if ('data' in answer) return receiptIn(answer.data)
      // A token that is not accepted means that the mail was not looked at.
      const { fault } = answer
      if (fault.status !== 401 || isRenewed) {
        throw sendError({ ...fault, timedOut: fault.timedOut || signal.aborted })
      }
      await beforeSending(signal, this.#api.renew(token))
      token = await beforeSending(signal, this.#api.token())
    }
  }

  find({ key, to, subject, since }: Trace, signal: AbortSignal): Promise<Receipt | undefined> {
    const after = `after:${Math.floor(since / 1000) - dayInSeconds}`
    // The index that is searched lags behind and cuts words its own way, so the newest are looked at too.
    const queries = [`in:sent ${after}${searchWords(to, subject)}`, 'in:sent']
    return this.#api.call(async (own) => {
      const seen = new Set<string>()
      for (const query of queries) {
        const { ids } = await this.inbox.page(query, candidates, own)
        const fresh = ids.filter((id) => !seen.has(id))
        for (const id of fresh) seen.add(id)
        const mails = await inOrder(fresh, (id) => this.inbox.messageIfThere(id, own))
        const sent = mails.find((mail) => mail?.payload?.header(keyHeader).trim() === key)
        if (sent) return receipt(sent.id, sent.threadId, Number(sent.internalDate))
      }
      return undefined
    }, signal)
  }
}

const receipt = (message_id: string, thread_id: string, ms: number): Receipt => ({
  message_id,
  thread_id: isId(thread_id) ? thread_id : undefined,
  sent_at: rfc3339(ms > 0 && ms < 1e15 ? ms : systemClock.now()),
})

/** A proxy may say 200 to anything; only an id tells that Gmail took the mail. */
function receiptIn(reply: unknown): Receipt {
  if (!isRecord(reply) || !isId(reply.id)) throw unclear('Gmail gave a reply that cannot be read')
  const thread = typeof reply.threadId === 'string' ? reply.threadId : ''
  return receipt(reply.id, thread, systemClock.now())
}

/** Only letters and digits of the subject: nothing in it may become an operator. */
function searchWords(to: string[], subject: string): string {
  const words = subject.toLowerCase().match(/[\p{L}\p{N}]{2,40}/gu) ?? []
  const [first = ''] = to.filter((address) => /^[\w.+%'-]{1,100}@[\w.-]{1,200}$/.test(address))
  const terms = [
    ...(first === '' ? [] : [`to:${first}`]),
    ...words.slice(0, 6).map((word) => `subject:${word}`),
  ]
  return terms.map((term) => ` ${term}`).join('')
}

/** Whatever fails here, nothing has been sent. */
async function beforeSending<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await unlessAborted(signal, work)
  } catch (error) {
    if (signal.aborted) throw cancelled()
    if (!AgentMailError.is(error)) {
      throw notSent('send_failed', 'the mail could not be put together; nothing was sent')
    }
    throw notSent(error.code, `${error.message}; nothing was sent`, error.next, error.details)
  }
}

const cancelled = () =>
  notSent('send_failed', 'the time for sending was up before Gmail was asked; nothing was sent')

/** However it is spelled; one that is not there yet may come. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function rootUrl(config: Config): string {
  const text = config.text('gmailBaseUrl') ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/*$/, '/')
  throw new AgentMailError(
    'server_config',
    'GMAIL_BASE_URL must be an http or https address without a password or query',
    'Correct it, or leave it out to use the default.',
  )
}
