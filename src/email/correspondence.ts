/** Opens what mail works with, as the settings say: a service to read, the way out, its ledger, and where the audit is written. */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError, notSent } from '../errors.ts'
import type { Inbox, Provider } from '../providers/provider.ts'
import { type Database, fileDatabase, namedDatabase } from '../store/database.ts'
import { migrate } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../system/clock.ts'
import { makeFolder } from '../system/files.ts'
import { Holder } from '../system/holder.ts'
import { log } from '../system/log.ts'
import { stateFolder } from '../system/places.ts'
import { Vault } from '../vault/vault.ts'
import { allowedRecipients } from './outgoing/limits.ts'
import type { MailRequest } from './outgoing/mail-request.ts'
import { type Drafted, Outgoing, type Sent } from './outgoing/outgoing.ts'
import type { AskerSearch } from './outgoing/own-asker.ts'
import { ReplyAddress } from './outgoing/reply-address.ts'
import { SendLedger } from './outgoing/send-ledger.ts'

interface CorrespondenceOptions {
  /** Of somebody else, who closes it; without, one of its own. */
  ledger?: SendLedger
  /** In whose name mail is sent; without, that of the agent of this process. */
  asker?: AskerSearch
}

/** Opened when it is first needed. */
export class Correspondence {
  readonly #config: Config
  readonly #openProvider: () => Promise<Provider>
  readonly #sharedLedger: SendLedger | undefined
  readonly #asker: AskerSearch | undefined
  #ownLedger: SendLedger | undefined
  #provider: Promise<Provider> | undefined
  #outgoing: Promise<Outgoing> | undefined

  constructor(
    config: Config,
    openProvider: () => Promise<Provider>,
    { ledger, asker }: CorrespondenceOptions = {},
  ) {
    checkSendSettings(config)
    this.#config = config
    this.#openProvider = openProvider
    this.#sharedLedger = ledger
    this.#asker = asker
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
      'Set AGENTMAIL_MAIL to gmail, imap or local to read mail.',
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
    await (await this.#provider?.catch(() => undefined))?.close?.()
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
      return outgoingWith(this.#config, provider, ledger, this.#asker)
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
    ReplyAddress.of(config)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw new AgentMailError('server_config', error.message, error.next)
  }
}

export const outgoingWith = (
  config: Config,
  provider: Provider,
  ledger: SendLedger,
  asker?: AskerSearch,
): Outgoing =>
  new Outgoing({
    config,
    provider,
    ledger,
    asker,
    vault: () => vaultOf(config),
    logs: () => logsOf(config),
  })

/** The vault; where none is set, a folder of AgentMail's own. */
export function logsOf(config: Config): Vault {
  return config.text('vault') === undefined ? new Vault(ownFolder(config)) : vaultOf(config)
}

/** Where it was looked for belongs to the log, not to an answer. */
function vaultOf(config: Config): Vault {
  try {
    return Vault.named(config)
  } catch (error) {
    if (!AgentMailError.is(error) || config.text('vault') === undefined) throw error
    log(error.message)
    throw new AgentMailError(error.code, 'there is no vault where VAULT_PATH says', error.next)
  }
}

export async function openLedger(config: Config, clock?: Clock): Promise<SendLedger> {
  ownFolder(config)
  const database = await ledgerDatabase(config)
  let store: Store | undefined
  try {
    store = await database.open()
    await migrate(store)
  } catch (error) {
    await store?.close()
    if (AgentMailError.is(error) && error.code !== 'storage') throw error
    throw database.explained(error)
  }
  return new SendLedger({
    store,
    holder: new Holder(join(ownFolder(config), 'senders')),
    timeoutMs: config.seconds('sendTimeoutSeconds') * 1000,
    ...(clock && { clock }),
  })
}

/** Not the one of a repository: the same draft must not be sent again from another folder. */
export async function ledgerDatabase(config: Config): Promise<Database> {
  const named = config.text('db')
  return named === undefined
    ? fileDatabase(join(stateFolder(config), 'mail.db'))
    : namedDatabase(config, named)
}

function ownFolder(config: Config): string {
  const folder = stateFolder(config)
  try {
    makeFolder(folder, 0o700)
    return folder
  } catch (cause) {
    throw new AgentMailError(
      'storage',
      `the folder for the record of sent mail could not be made: ${folder}`,
      'Nothing was sent. Set XDG_STATE_HOME to a folder that can be written.',
      { cause },
    )
  }
}
