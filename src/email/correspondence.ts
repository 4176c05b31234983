/** What a mail server works with, opened when it is first needed: a service to read, and the way out. */
import type { Config } from '../config.ts'
import { AgentMailError, notSent } from '../errors.ts'
import type { Inbox, Provider } from '../providers/provider.ts'
import { log } from '../system/log.ts'
import { allowedRecipients } from './outgoing/limits.ts'
import type { MailRequest } from './outgoing/mail-request.ts'
import { openLedger, outgoingWith } from './outgoing/open-outgoing.ts'
import type { Drafted, Outgoing, Sent } from './outgoing/outgoing.ts'
import type { SendLedger } from './outgoing/send-ledger.ts'

export class Correspondence {
  readonly #config: Config
  readonly #openProvider: () => Promise<Provider>
  readonly #sharedLedger: SendLedger | undefined
  #ownLedger: SendLedger | undefined
  #provider: Promise<Provider> | undefined
  #outgoing: Promise<Outgoing> | undefined

  /** @param ledger of somebody else, who closes it; without, one of its own. */
  constructor(config: Config, openProvider: () => Promise<Provider>, ledger?: SendLedger) {
    checkSendSettings(config)
    this.#config = config
    this.#openProvider = openProvider
    this.#sharedLedger = ledger
  }

  provider(): Promise<Provider> {
    this.#provider ??= this.#openProvider().catch((error) => {
      this.#provider = undefined
      throw error
    })
    return this.#provider
  }

  async inbox(): Promise<Inbox> {
    const { inbox, name } = await this.provider()
    if (inbox) return inbox
    throw new AgentMailError(
      'invalid_request',
      `${name} can only send mail, not read it`,
      'Set AGENTMAIL_MAIL to gmail or local to read mail.',
    )
  }

  async send(request: MailRequest): Promise<Sent | Drafted> {
    return (await this.#wayOut()).send(request)
  }

  /** Within which a key means one mail. */
  async scope(): Promise<string> {
    return (await this.#wayOut()).scope
  }

  async close(): Promise<void> {
    await (await this.#outgoing?.catch(() => undefined))?.close()
    await this.#ownLedger?.close()
  }

  #wayOut(): Promise<Outgoing> {
    this.#outgoing ??= this.#openOutgoing().catch((error) => {
      this.#outgoing = undefined
      throw error
    })
    return this.#outgoing
  }

  /** Where the ledger is belongs to the log, not to an answer. */
  async #openOutgoing(): Promise<Outgoing> {
    const provider = await this.provider()
    try {
      const ledger = this.#sharedLedger ?? (await openLedger(this.#config))
      if (ledger !== this.#sharedLedger) this.#ownLedger = ledger
      return outgoingWith(this.#config, provider, ledger)
    } catch (error) {
      if (AgentMailError.is(error, 'bad_config', 'server_config')) throw error
      log(`the record of sent mail: ${error instanceof Error ? error.message : error}`)
      throw notSent(
        'send_failed',
        'nothing was sent, because the record of sent mail could not be opened',
        'The server has logged why. Try again when that is mended.',
      )
    }
  }
}

/** A policy that is misspelled must not mean that mail goes out. */
export function checkSendSettings(config: Config): void {
  try {
    config.choice('sendPolicy', ['direct', 'approve'])
    config.seconds('sendTimeoutSeconds')
    config.number('sendRate')
    allowedRecipients(config)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw new AgentMailError('server_config', error.message, error.next)
  }
}
