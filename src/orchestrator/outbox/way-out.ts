/** The ways out for approved mail: what each can do, and the one through our own mail service, in this process. */
import type { Config } from '../../config.ts'
import { Correspondence } from '../../email/correspondence.ts'
import { type Asked, withBytes } from '../../email/drafts/draft-note.ts'
import { proposalsOf } from '../../email/drafts/proposals.ts'
import { openProvider, readableProvider } from '../../email/mail-provider.ts'
import { type Asker, type MailRequest, takesOneBody } from '../../email/outgoing/mail-request.ts'
import { whereToLook } from '../../email/outgoing/outcome.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { AgentMailError } from '../../errors.ts'
import type { ProviderName } from '../../providers/provider.ts'
import type { Vault } from '../../vault/vault.ts'
import { inOneLine } from '../events.ts'
import type { MailClient, SentMail } from '../servers/mail-client.ts'
import { orchestratorName } from '../servers/vault-notes.ts'

export type Outcome =
  | { is: 'sent'; message_id: string | undefined; sent_at: string | undefined }
  /** Not sent, as the service says: it is tried again, when the service wants to be asked again. */
  | { is: 'failed'; reason: string; retryAfterMs?: number; isVague?: true }
  /** Perhaps sent, perhaps not: never sent again by itself. */
  | { is: 'unknown'; reason: string }

export type AskedMail = Extract<Asked, { kind: 'mail' }>
export type AskedDelegation = Extract<Asked, { kind: 'delegation' }>

/** Drafts of Gmail, or of what stands in for it, go through the mailbox that is read. */
export const isOfMailbox = ({ provider }: AskedMail): boolean =>
  provider === undefined || takesOneBody(provider)

/** A mail that a person has approved, and the key that it is sent with. */
export interface ApprovedMail {
  asked: AskedMail
  /** Where its note lies; nothing of what has none. */
  path: string | undefined
  key: string
  /** Of what was approved. */
  hash: string
  /** When it was first begun. */
  begun_at: string
}

/** Each writes into the ledger what it does, before and after. */
export interface WayOut {
  /** Within which a key means one mail. */
  scope(asked: AskedMail): Promise<string>
  /** @param isVague a failure before left a doubt. */
  send(mail: ApprovedMail, isVague: boolean): Promise<Outcome>
  /**
   * Of a mail that may have left: asks again where that cannot send it twice, else looks into the sent mail.
   *
   * @param reason why it is not known.
   */
  reconcile(mail: ApprovedMail, reason: string | undefined): Promise<Outcome>
}

/** What only a person can do. */
export const lookAdvice = `${whereToLook}. If it has left, move this note to Done/; if not, set its status to pending_approval, move it to Drafts/ and say agentmail drafts approve.`

export const sent = (mail: SentMail): Outcome => ({ is: 'sent', ...mail })

/** Looks into the sent mail, and sends nothing. */
export class SentMails {
  readonly #mail: MailClient
  readonly #isOther: (messageId: string) => boolean

  /** @param isOther whether a sent mail of this id came from another draft: two answers may be the same. */
  constructor(mail: MailClient, isOther: (messageId: string) => boolean) {
    this.#mail = mail
    this.#isOther = isOther
  }

  find(request: MailRequest, sinceMs: number): Promise<SentMail | undefined> {
    return this.#mail.findSent(request, sinceMs, this.#isOther)
  }

  /** What they tell about a mail that may have left. */
  async lookFor(request: MailRequest, sinceMs: number, reason?: string): Promise<Outcome> {
    const otherwise = reason ?? `nobody can know. ${lookAdvice}`
    try {
      const found = await this.find(request, sinceMs)
      return found ? sent(found) : { is: 'unknown', reason: otherwise }
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'unknown', reason: otherwise }
    }
  }
}

/** Whatever a draft asks for, by the same way out as every tool. */
export class OwnMail implements WayOut {
  readonly #config: Config
  readonly #vault: Vault
  readonly #ledger: SendLedger
  readonly #services = new Map<ProviderName, Correspondence>()

  constructor(config: Config, vault: Vault, ledger: SendLedger) {
    this.#config = config
    this.#vault = vault
    this.#ledger = ledger
  }

  scope(asked: AskedMail): Promise<string> {
    return this.#serviceFor(asked).scope()
  }

  async send({ asked, path, key, hash }: ApprovedMail): Promise<Outcome> {
    try {
      const held = await withBytes(this.#vault, asked)
      if (held.hash !== hash) {
        return { is: 'failed', reason: 'an attachment was changed at this moment' }
      }
      const asked_by = await this.#proposer(path)
      const request = { ...held.asked.request, idempotency_key: key, asked_by }
      const result = await this.#serviceFor(asked).send(request)
      if (result.status === 'sent') return sent(result.receipt)
      throw new AgentMailError('internal', 'an approved draft became a draft again')
    } catch (error) {
      return outcomeOf(error)
    }
  }

  /** The ledger knows whether it left; where it does not, the service is asked. */
  reconcile(mail: ApprovedMail): Promise<Outcome> {
    return this.send(mail)
  }

  async close(): Promise<void> {
    for (const service of this.#services.values()) await service.close()
  }

  /** By the record alone: its note may have been edited. What the orchestrator drafted nobody asked for. */
  async #proposer(path: string | undefined): Promise<Asker | null> {
    if (path === undefined) return null
    const [first, ...others] = await proposalsOf(this.#vault).find(path)
    const isOne = others.every(
      ({ from, project }) => from === first?.from && project === first?.project,
    )
    if (first?.from === undefined || !isOne || first.from === orchestratorName) return null
    return { agent: first.from, project: first.project }
  }

  #serviceFor(asked: AskedMail): Correspondence {
    const { provider } = asked
    const name =
      provider === undefined || isOfMailbox(asked) ? readableProvider(this.#config) : provider
    const known = this.#services.get(name)
    if (known) return known
    const open = () => openProvider(this.#config, name)
    const service = new Correspondence(this.#config, open, { ledger: this.#ledger })
    this.#services.set(name, service)
    return service
  }
}

function outcomeOf(error: unknown): Outcome {
  if (!AgentMailError.is(error)) throw error
  const reason = inOneLine(error)
  const { outcome, retry_after_seconds } = error.details ?? {}
  if (outcome === 'unknown') return { is: 'unknown', reason }
  return { is: 'failed', reason, retryAfterMs: Number(retry_after_seconds ?? 0) * 1000 || 0 }
}
