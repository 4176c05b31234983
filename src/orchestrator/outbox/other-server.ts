/** Approved mail through another MCP server: by its tool send_email, with the ledger kept here. */
import { preview, writeAudit } from '../../email/outgoing/audit.ts'
import type { MailRequest } from '../../email/outgoing/mail-request.ts'
import { outcomeUnknown, recorded, settleIfPossible } from '../../email/outgoing/outcome.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { receiptOf, type SendRecord } from '../../email/outgoing/send-record.ts'
import { AgentMailError, notSent } from '../../errors.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'
import type { Vault } from '../../vault/vault.ts'
import { inOneLine } from '../events.ts'
import type { MailClient } from '../servers/mail-client.ts'
import {
  type ApprovedMail,
  type AskedMail,
  isOfMailbox,
  lookAdvice,
  type Outcome,
  type SentMails,
  sent,
  type WayOut,
} from './way-out.ts'

interface OtherServerOptions {
  /** Where the audit is written. */
  vault: Vault
  server: MailClient
  /** The command that starts it. */
  command: string
  ledger: SendLedger
  sentMails: SentMails
  /** Throws where mail may not go: another server does not know of that limit. */
  checkRecipients: (addresses: string[]) => void
}

export class OtherServer implements WayOut {
  readonly #options: OtherServerOptions

  constructor(options: OtherServerOptions) {
    this.#options = options
  }

  async scope(): Promise<string> {
    return sha256(JSON.stringify(['server', this.#options.command]))
  }

  async send(mail: ApprovedMail, isVague: boolean): Promise<Outcome> {
    const { server, ledger, sentMails } = this.#options
    const { request } = mail.asked
    let isKeyed = true
    let sending: SendRecord
    try {
      const recipients = this.#recipients(request)
      isKeyed = await server.takesKey()
      await this.#checkArguments(mail.asked)
      const found =
        isVague && !isKeyed ? await sentMails.find(request, Date.parse(mail.begun_at)) : undefined
      const { isMine, record } = await this.#begin(mail, recipients)
      if (!isMine) return endedBefore(record)
      if (found) return await this.#settled(record, sent(found))
      sending = await this.#unlessItFails(record, () =>
        ledger.sending(record, this.#audit(request)),
      )
    } catch (error) {
      // Nobody was asked to send it.
      if (!AgentMailError.is(error)) throw error
      return { is: 'failed', reason: inOneLine(error), ...(isVague && { isVague }) }
    }
    return this.#settled(sending, await this.#ask(mail, isKeyed))
  }

  async reconcile(mail: ApprovedMail, reason: string | undefined): Promise<Outcome> {
    const { server, sentMails } = this.#options
    const { request } = mail.asked
    let isKeyed: boolean
    let record: SendRecord
    try {
      isKeyed = await server.takesKey()
      record = (await this.#begin(mail, this.#recipients(request))).record
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'unknown', reason: reason ?? `${error.message}. ${lookAdvice}` }
    }
    if (record.state === 'sent') return endedBefore(record)
    const outcome = isKeyed
      ? await this.#ask(mail, true)
      : await sentMails.lookFor(request, Date.parse(mail.begun_at), reason)
    // What is certain now says nothing about what may have left before.
    const told: Outcome =
      outcome.is === 'failed' ? { is: 'unknown', reason: outcome.reason } : outcome
    return this.#settled(record, told)
  }

  async #unlessItFails<T>(record: SendRecord, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const reason = AgentMailError.is(error) ? error.message : 'an unexpected error'
      await settleIfPossible(() => this.#options.ledger.settle(record, 'failed', { reason }))
      throw error
    }
  }

  /** What cannot be audited is not sent, here as anywhere. */
  #audit({ to, cc, bcc, subject, text, html, reply_to_message_id }: MailRequest) {
    const audited_at = rfc3339(systemClock.now())
    writeAudit(() => this.#options.vault, 'server', {
      event: 'pre_send_audit',
      timestamp: audited_at,
      to,
      ...(cc && { cc }),
      ...(bcc && { bcc }),
      subject,
      body_preview: preview(text ?? html ?? ''),
      reply_to_message_id: reply_to_message_id ?? null,
      severity: 'INFO',
    })
    return { subject, audited_at }
  }

  #begin({ asked: { request }, key, hash }: ApprovedMail, recipients: string[]) {
    return recorded(async () =>
      this.#options.ledger.begin({
        scope: await this.scope(),
        key,
        content_hash: hash,
        provider: 'server',
        recipients,
        subject: request.subject,
      }),
    )
  }

  async #settled(record: SendRecord, outcome: Outcome): Promise<Outcome> {
    const { ledger } = this.#options
    const { begun_at } = record
    await settleIfPossible(() =>
      outcome.is === 'sent'
        ? ledger.settle(record, 'sent', {
            receipt: {
              // Whatever another server calls its id and its time, they are kept as far as they go.
              message_id: (outcome.message_id ?? '').slice(0, 1024),
              thread_id: undefined,
              sent_at: (outcome.sent_at ?? begun_at).slice(0, 64),
            },
          })
        : ledger.settle(record, outcome.is, { reason: outcome.reason }),
    )
    return outcome
  }

  #recipients({ to, cc, bcc }: MailRequest): string[] {
    const given = Object.entries({ to, cc, bcc }).flatMap(([field, text]) =>
      text === undefined ? [] : parseAddresses(field, text),
    )
    const addresses = given.map(({ address }) => address)
    this.#options.checkRecipients(addresses)
    return addresses
  }

  async #checkArguments(asked: AskedMail): Promise<void> {
    const lacking = await this.#options.server.lacking(asked.request)
    if (lacking.length === 0 && isOfMailbox(asked)) return
    const what = lacking.length > 0 ? lacking.join(', ') : `provider ${asked.provider}`
    throw notSent('invalid_request', `the mail server has no argument for it: ${what}`)
  }

  async #ask(mail: ApprovedMail, isKeyed: boolean): Promise<Outcome> {
    try {
      const key = isKeyed ? mail.key : undefined
      return sent(await this.#options.server.send(mail.asked.request, key))
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return this.#outcomeOf(error, mail, isKeyed)
    }
  }

  async #outcomeOf(
    error: AgentMailError,
    { asked: { request }, begun_at }: ApprovedMail,
    isKeyed: boolean,
  ): Promise<Outcome> {
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
    const found = await this.#options.sentMails
      .find(request, Date.parse(begun_at))
      .catch(() => undefined)
    if (found) return sent(found)
    const saysUnknown = /unknown|not known|unclear|tim(ed|e)[ -]?out/i.test(reason)
    return saysUnknown
      ? { is: 'unknown', reason: `${reason.replace(/\.+$/, '')}. ${lookAdvice}` }
      : { is: 'failed', reason, isVague: true }
  }
}

/** As the ledger has it. */
function endedBefore(record: SendRecord): Outcome {
  if (record.state === 'sent') return sent(receiptOf(record))
  return {
    is: 'unknown',
    reason: inOneLine(outcomeUnknown(record.id, record.reason ?? 'its outcome is not known')),
  }
}
