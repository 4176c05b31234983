/** Approved mail through our own mail service, in this process: whatever a draft asks for, by the same way out as every tool. */
import type { Config } from '../../config.ts'
import { Correspondence } from '../../email/correspondence.ts'
import { withBytes } from '../../email/drafts/draft-note.ts'
import { openProvider, readableProvider } from '../../email/mail-provider.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { AgentMailError } from '../../errors.ts'
import type { ProviderName } from '../../providers/provider.ts'
import type { Vault } from '../../vault/vault.ts'
import { inOneLine } from '../events.ts'
import {
  type ApprovedMail,
  type AskedMail,
  isOfMailbox,
  type Outcome,
  sent,
  type WayOut,
} from './way-out.ts'

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

  async send({ asked, key, hash }: ApprovedMail): Promise<Outcome> {
    try {
      const held = await withBytes(this.#vault, asked)
      if (held.hash !== hash) {
        return { is: 'failed', reason: 'an attachment was changed at this moment' }
      }
      const request = { ...held.asked.request, idempotency_key: key }
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

  #serviceFor(asked: AskedMail): Correspondence {
    const { provider } = asked
    const name =
      provider === undefined || isOfMailbox(asked) ? readableProvider(this.#config) : provider
    const known = this.#services.get(name)
    if (known) return known
    const open = () => openProvider(this.#config, name)
    const service = new Correspondence(this.#config, open, this.#ledger)
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
