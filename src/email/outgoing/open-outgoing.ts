/** Opens the way out for mail as the settings say: its ledger, and where the audit is written. */
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import type { Provider } from '../../providers/provider.ts'
import { type Database, fileDatabase, namedDatabase } from '../../store/database.ts'
import { migrate } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { makeFolder } from '../../system/files.ts'
import { log } from '../../system/log.ts'
import { stateFolder } from '../../system/places.ts'
import { Vault } from '../../vault/vault.ts'
import { Holder } from './holder.ts'
import { Outgoing } from './outgoing.ts'
import { SendLedger } from './send-ledger.ts'

export const outgoingWith = (config: Config, provider: Provider, ledger: SendLedger): Outgoing =>
  new Outgoing({
    config,
    provider,
    ledger,
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

export async function openLedger(config: Config): Promise<SendLedger> {
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
