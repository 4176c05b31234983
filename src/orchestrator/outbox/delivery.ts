/** Gives an approved draft to whoever sends it, and tells what is known about how that went. */
import { type Asked, withBytes } from '../../email/drafts/draft-note.ts'
import type { MailRequest } from '../../email/outgoing/mail-request.ts'
import { AgentMailError } from '../../errors.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import type { Vault } from '../../vault/vault.ts'
import { inOneLine } from '../in-one-line.ts'
import type { MailServer, SentMail } from '../servers/mail-server.ts'
import type { SendEntry } from '../state.ts'

export type Outcome =
  | { is: 'sent'; message_id: string | undefined; sent_at: string | undefined }
  /** Not sent, as the service says: it is tried again, when the service wants to be asked again. */
  | { is: 'failed'; reason: string; retryAfterMs?: number; isVague?: true }
  /** Perhaps sent, perhaps not: never sent again by itself. */
  | { is: 'unknown'; reason: string }

type AskedMail = Extract<Asked, { kind: 'mail' }>
export type AskedDelegation = Extract<Asked, { kind: 'delegation' }>

/** What the gmail tools have no arguments for goes the same way out, without them. */
export type SendDirectly = (mail: AskedMail, key: string) => Promise<SentMail>

/** A message to an agent, once for each key. */
export type Post = (message: {
  agent: string
  subject: string
  body: string
  key: string
}) => Promise<void>

interface DeliveryOptions {
  vault: Vault
  mail: MailServer
  /** Where the gmail server is our own. */
  sendDirectly: SendDirectly | undefined
  /** Whether a sent mail of this id came from another draft: two answers may be the same. */
  isOther: (messageId: string) => boolean
  /** Throws where mail may not go: another server does not know of that limit. */
  checkRecipients: (addresses: string[]) => void
}

export class Delivery {
  readonly #options: DeliveryOptions

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** @param of the hash of what was approved, and whether a failure before left a doubt. */
  async send(
    asked: AskedMail,
    key: string,
    { hash, isVague }: { hash: string; isVague: boolean },
  ): Promise<Outcome> {
    const { mail, sendDirectly, vault } = this.#options
    let isKeyed = true
    try {
      this.#checkRecipients(asked.request)
      if (sendDirectly && (await this.#needsMore(asked))) {
        const held = await withBytes(vault, asked)
        if (held.hash === hash) return sent(await sendDirectly(held.asked, key))
        return { is: 'failed', reason: 'an attachment was changed at this moment' }
      }
      isKeyed = await mail.takesKey()
      const lacking = await mail.lacking(asked.request)
      if (lacking.length > 0 || !isForGmail(asked)) {
        const what = lacking.length > 0 ? lacking.join(', ') : `provider ${asked.provider}`
        return { is: 'failed', reason: `the mail server has no argument for it: ${what}` }
      }
      const found =
        isVague && !isKeyed ? await this.#findSent(asked.request, Date.now()) : undefined
      return sent(found ?? (await mail.send(asked.request, key)))
    } catch (error) {
      return this.#outcomeOf(error, asked.request, isKeyed)
    }
  }

  /** For a mail that may have left: asks again where that cannot send it twice, else looks into the sent mail. */
  async reconcile(asked: AskedMail, key: string, entry: SendEntry): Promise<Outcome> {
    const { mail, sendDirectly } = this.#options
    const { sha256: hash, begun_at, reason } = entry
    try {
      const isDirect = sendDirectly && (await this.#needsMore(asked))
      if (isDirect || (await mail.takesKey())) {
        return await this.send(asked, key, { hash, isVague: true })
      }
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'unknown', reason: reason ?? `${error.message}. ${lookAdvice}` }
    }
    return this.find(asked, Date.parse(begun_at), reason)
  }

  /** Looks into the sent mail, and sends nothing. */
  async find({ request }: AskedMail, sinceMs: number, reason?: string): Promise<Outcome> {
    const otherwise = reason ?? `nobody can know. ${lookAdvice}`
    try {
      const found = await this.#findSent(request, sinceMs)
      return found ? sent(found) : { is: 'unknown', reason: otherwise }
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'unknown', reason: otherwise }
    }
  }

  #findSent(request: MailRequest, sinceMs: number): Promise<SentMail | undefined> {
    const { mail, isOther } = this.#options
    return mail.findSent(request, sinceMs, isOther)
  }

  #checkRecipients({ to, cc, bcc }: MailRequest): void {
    const given = Object.entries({ to, cc, bcc }).flatMap(([field, text]) =>
      text === undefined ? [] : parseAddresses(field, text),
    )
    this.#options.checkRecipients(given.map(({ address }) => address))
  }

  async #needsMore(asked: AskedMail): Promise<boolean> {
    return !isForGmail(asked) || (await this.#options.mail.lacking(asked.request)).length > 0
  }

  async #outcomeOf(error: unknown, request: MailRequest, isKeyed: boolean): Promise<Outcome> {
    if (!AgentMailError.is(error)) throw error
    const reason = inOneLine(error)
    const { outcome, may_have_run, tool_error, retry_after_seconds } = error.details ?? {}
    const retryAfterMs = Number(retry_after_seconds ?? 0) * 1000 || 0
    if (outcome === 'not_sent' || may_have_run === false) {
      return { is: 'failed', reason, retryAfterMs }
    }
    if (outcome !== undefined) return { is: 'unknown', reason }
    if (error.code === 'mcp_unavailable') {
      const next = isKeyed ? 'It is asked again, which cannot send it twice.' : lookAdvice
      return { is: 'unknown', reason: `${error.message}. ${next}` }
    }
    // Another server's word: with a key it can be asked again in any case.
    const isVague = tool_error === 'send_failed' || error.code === 'internal'
    if (isKeyed || !isVague) return { is: 'failed', reason, retryAfterMs }
    const found = await this.#findSent(request, Date.now()).catch(() => undefined)
    if (found) return sent(found)
    const saysUnknown = /unknown|not known|unclear|tim(ed|e)[ -]?out/i.test(reason)
    return saysUnknown
      ? { is: 'unknown', reason: `${reason.replace(/\.+$/, '')}. ${lookAdvice}` }
      : { is: 'failed', reason, isVague: true }
  }
}

/** What only a person can do. */
export const lookAdvice =
  'Look into the sent mail. If it is there, move this note to Done/; if not, set its status to pending_approval, move it to Drafts/ and say agentmail drafts approve.'

const sent = (mail: SentMail): Outcome => ({ is: 'sent', ...mail })

const isForGmail = ({ provider }: AskedMail): boolean =>
  provider === undefined || provider === 'gmail' || provider === 'local'
