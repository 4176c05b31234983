/** The one way out: every mail, whatever tool or provider, is checked, recorded, audited and sent here. */

import type { Config } from '../../config.ts'
import { AgentMailError, isNotSent, isUnclear, notSent } from '../../errors.ts'
import { addressList } from '../../mime/address.ts'
import { tellPerson } from '../../notices/tell-person.ts'
import type { OutgoingMail, Provider, Receipt } from '../../providers/provider.ts'
import { type Clock, rfc3339, systemClock } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import type { Vault } from '../../vault/vault.ts'
import { writeDraft } from '../drafts/draft.ts'
import { preview, writeAudit } from './audit.ts'
import { accountScope, checkMail, contentHash, everybody } from './check-mail.ts'
import { checkRecipients, Rate } from './limits.ts'
import {
  type Asker,
  askedBody,
  askedSubject,
  type MailRequest,
  replySubject,
} from './mail-request.ts'
import {
  inTime,
  outcomeUnknown,
  recorded,
  settleIfPossible,
  tellOfUnknown,
  withOutcome,
} from './outcome.ts'
import { type AskerSearch, nameAlone, OwnAsker } from './own-asker.ts'
import { newTag, ReplyAddress } from './reply-address.ts'
import type { SendLedger } from './send-ledger.ts'
import { receiptOf, type SendRecord } from './send-record.ts'

export type Sent = { status: 'sent'; receipt: Receipt }
export type Drafted = { status: 'pending_approval'; draft: string }

interface OutgoingOptions {
  config: Config
  provider: Provider
  ledger: SendLedger
  /** The vault of the settings; throws where there is none. */
  vault: () => Vault
  /** Where the audit is written: the vault, or a folder of AgentMail's own where none is set. */
  logs: () => Vault
  /** In whose name it sends. */
  asker?: AskerSearch | undefined
  clock?: Clock
}

export class Outgoing {
  readonly #options: OutgoingOptions
  readonly #clock: Clock
  readonly #rate: Rate
  readonly #timeoutMs: number
  readonly #needsApproval: boolean
  readonly #self: OwnAsker
  readonly #replyAddress: ReplyAddress | undefined
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosing = false

  constructor(options: OutgoingOptions) {
    const { config, clock = systemClock } = options
    this.#options = options
    this.#clock = clock
    this.#rate = new Rate(config.number('sendRate'), clock)
    this.#timeoutMs = config.seconds('sendTimeoutSeconds') * 1000
    this.#needsApproval = config.choice('sendPolicy', ['direct', 'approve']) === 'approve'
    this.#self = new OwnAsker(options.asker ?? nameAlone(config))
    this.#replyAddress = ReplyAddress.of(config)
  }

  /** Sends, or leaves a draft where a person has to approve it. */
  async send(request: MailRequest): Promise<Sent | Drafted> {
    if (this.#isClosing)
      throw notSent('send_failed', 'nothing was sent, because the sender is ending')
    const work = this.#send(request)
    this.#underWay.add(work)
    try {
      return await work
    } catch (error) {
      throw withOutcome(error)
    } finally {
      this.#underWay.delete(work)
    }
  }

  /** After what is under way has ended one way or the other. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.allSettled(this.#underWay)
  }

  async #send(request: MailRequest): Promise<Sent | Drafted> {
    const { config, provider, ledger, vault } = this.#options
    const mail = await checkMail(request, vault, provider.limits)
    const recipients = everybody(mail).map(({ address }) => address)
    checkRecipients(config, recipients)
    const asked_by = await this.#askerOf(request)
    const isTagged = asked_by && request.asked_by === undefined && mail.reply_to.length === 0
    const { isMine, record } = await recorded(() =>
      ledger.begin({
        scope: this.scope,
        key: request.idempotency_key,
        content_hash: contentHash(mail, request.reply_to_message_id),
        provider: provider.name,
        recipients,
        subject: mail.subject,
        asked_by,
        reply_tag: isTagged && this.#replyAddress ? newTag() : undefined,
      }),
    )
    if (!isMine) return this.#endedBefore(record)
    const answerable = this.#answerable(mail, record)
    if (this.#needsApproval) return this.#draft(record, answerable, request, asked_by)
    const receipt = await this.#sendNow(record, answerable, request)
    if (asked_by && asked_by.project === undefined && request.asked_by === undefined) {
      this.#placeLater(record)
    }
    return { status: 'sent', receipt }
  }

  /** A draft is in no hurry. */
  async #askerOf({ asked_by }: MailRequest): Promise<Asker | undefined> {
    if (asked_by !== undefined) return asked_by ?? undefined
    return this.#needsApproval ? this.#self.whole() : this.#self.now()
  }

  /** Answers to an agent go where they can be told by their address; a draft shows that before it is approved. */
  #answerable(mail: OutgoingMail, { reply_tag }: SendRecord): OutgoingMail {
    const address = reply_tag === null ? undefined : this.#replyAddress?.with(reply_tag)
    return address ? { ...mail, reply_to: [address] } : mail
  }

  /** The mail has left before it was known in which project its agent is. */
  #placeLater(record: SendRecord): void {
    const work = settleIfPossible(async () => {
      const project = await this.#self.project()
      if (project !== undefined) await this.#options.ledger.inProject(record, project)
    }).finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
  }

  get scope(): string {
    return accountScope(this.#options.provider)
  }

  async #draft(
    record: SendRecord,
    mail: OutgoingMail,
    request: MailRequest,
    asked_by: Asker | undefined,
  ): Promise<Drafted> {
    const { config, ledger, provider, vault } = this.#options
    const { reply_to_message_id } = request
    const { draft, subject } = await this.#unlessItFails(record, async () => {
      const replying = await this.#inThread(mail, reply_to_message_id)
      const draft = await writeDraft(vault(), {
        id: record.id,
        provider: provider.name,
        mail: replying,
        reply_to_message_id,
        proposer: asked_by,
      })
      return { draft, subject: replying.subject }
    })
    // Before it is settled: whoever goes on after a kill tells it then, and what was told already is not told again.
    const key = JSON.stringify(['draft', record.scope, record.key_hash])
    await tellPerson(config, { kind: 'draft', from: asked_by?.agent, subject, key })
    await settleIfPossible(() => ledger.settle(record, 'drafted', { draft, subject }))
    return { status: 'pending_approval', draft }
  }

  async #sendNow(
    record: SendRecord,
    checked: OutgoingMail,
    { reply_to_message_id }: MailRequest,
  ): Promise<Receipt> {
    const { ledger } = this.#options
    const mail = await this.#unlessItFails(record, async () => {
      this.#rate.take()
      return {
        ...(await this.#inThread(checked, reply_to_message_id)),
        key: record.service_key ?? undefined,
      }
    })
    const timestamp = rfc3339(this.#clock.now())
    await this.#unlessItFails(record, async () => this.#audit(mail, reply_to_message_id, timestamp))
    const sending = await this.#unlessItFails(record, () =>
      recorded(() => ledger.sending(record, { subject: mail.subject, audited_at: timestamp })),
    )
    return this.#giveToService(sending, mail)
  }

  /** A reply keeps to the thread of the mail that it answers. */
  async #inThread(mail: OutgoingMail, id: string | undefined): Promise<OutgoingMail> {
    if (id === undefined) return mail
    const { inbox, name } = this.#options.provider
    if (!inbox) throw notSent('invalid_request', `${name} knows no mail to reply to`)
    const original = await inTime(this.#timeoutMs, () => inbox.original(id)).catch((error) => {
      throw isUnclear(error)
        ? notSent(
            'send_failed',
            'nothing was sent, because the mail that it answers could not be read in time',
          )
        : error
    })
    return { ...mail, original, subject: replySubject(mail.subject, original.subject) }
  }

  #audit(mail: OutgoingMail, reply_to_message_id: string | undefined, timestamp: string): void {
    const { provider, logs } = this.#options
    writeAudit(logs, provider.name, {
      event: 'pre_send_audit',
      timestamp,
      to: addressList(mail.to),
      ...(mail.cc.length > 0 && { cc: addressList(mail.cc) }),
      ...(mail.bcc.length > 0 && { bcc: addressList(mail.bcc) }),
      subject: askedSubject(mail),
      body_preview: preview(askedBody(provider.name, mail)),
      reply_to_message_id: reply_to_message_id ?? null,
      severity: 'INFO',
    })
  }

  async #giveToService(record: SendRecord, mail: OutgoingMail): Promise<Receipt> {
    const { config, ledger } = this.#options
    let receipt: Receipt
    try {
      receipt = await inTime(this.#timeoutMs, (signal) => this.#options.provider.send(mail, signal))
    } catch (error) {
      if (isNotSent(error)) {
        await settleIfPossible(() => ledger.settle(record, 'failed', { reason: error.message }))
        throw error
      }
      const reason = AgentMailError.is(error)
        ? error.message
        : 'the service could not be understood'
      if (!AgentMailError.is(error)) {
        log(`sending failed: ${error instanceof Error ? error.name : 'unknown error'}`)
      }
      await settleIfPossible(() => ledger.settle(record, 'unknown', { reason }))
      await tellOfUnknown(config, record)
      throw outcomeUnknown(record.id, reason, AgentMailError.is(error) ? error.details : {})
    }
    await settleIfPossible(() => ledger.settle(record, 'sent', { receipt }))
    return told(receipt)
  }

  /** What has gone wrong before the service was called may be tried again with the same key. */
  async #unlessItFails<T>(record: SendRecord, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const reason = AgentMailError.is(error) ? error.message : 'an unexpected error'
      await settleIfPossible(() => this.#options.ledger.settle(record, 'failed', { reason }))
      throw error
    }
  }

  async #endedBefore(record: SendRecord): Promise<Sent | Drafted> {
    if (record.state === 'sent') return { status: 'sent', receipt: receiptOf(record) }
    if (record.state === 'drafted' && record.draft !== null) {
      return { status: 'pending_approval', draft: record.draft }
    }
    const receipt = await this.reconcile(record)
    if (receipt) return { status: 'sent', receipt }
    await tellOfUnknown(this.#options.config, record)
    throw outcomeUnknown(record.id, record.reason ?? 'its outcome is not known')
  }

  /** Asks the service whether it has sent a mail whose outcome is not known. */
  async reconcile(record: SendRecord): Promise<Receipt | undefined> {
    const { provider, ledger } = this.#options
    if (record.service_key === null || !provider.find) return undefined
    const trace = {
      key: record.service_key,
      to: record.to,
      subject: record.subject,
      since: record.begun_ms,
    }
    const receipt = await inTime(this.#timeoutMs, async (signal) =>
      provider.find?.(trace, signal),
    ).catch(() => undefined)
    if (!receipt) return undefined
    await settleIfPossible(() => ledger.settle(record, 'sent', { receipt }))
    return told(receipt)
  }
}

/** By what answers are known is the ledger's own. */
const told = ({ header_id: _, ...receipt }: Receipt): Receipt => receipt
