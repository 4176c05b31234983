/** Puts the digest together as the settings say: to whom it goes, and what it is told by. */
import type { Config } from '../../config.ts'
import { servedPage } from '../../connection/connect.ts'
import { checkRecipients } from '../../email/outgoing/limits.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { ownMailAddress } from '../../email/own-address.ts'
import { AgentMailError } from '../../errors.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import { settings } from '../../settings.ts'
import { Digest, type DigestOptions } from './digest.ts'
import { digestContent } from './digest-content.ts'
import type { DigestTime } from './digest-time.ts'

type DigestParts = Pick<
  DigestOptions,
  'vault' | 'state' | 'wayOut' | 'teller' | 'clock' | 'retryMs'
> & { ledger: SendLedger }

export function openDigest(config: Config, time: DigestTime, parts: DigestParts): Digest {
  const { vault, state, ledger } = parts
  const { vaultId } = state
  const sources = { config, vault, vaultId, reader: ledger.reader }
  return new Digest({
    ...parts,
    time,
    address: () => digestAddress(config),
    content: (span) => digestContent(sources, span),
    page: () => servedPage(config),
  })
}

/** What can be known to be wrong before anything is started; a service that is away may come back. */
export async function checkDigest(config: Config): Promise<void> {
  const wrong = (error: unknown) => {
    if (!AgentMailError.is(error)) throw error
    throw new AgentMailError('server_config', `--digest: ${error.message}`, error.next)
  }
  const address = await digestAddress(config).catch((error) => {
    const isPassing = AgentMailError.is(error, 'internal', 'auth_required', 'permission_denied')
    return isPassing ? undefined : wrong(error)
  })
  try {
    if (address !== undefined) checkRecipients(config, [address])
  } catch (error) {
    wrong(error)
  }
}

async function digestAddress(config: Config): Promise<string> {
  const named = config.text('digestTo')
  const address = named === undefined ? await ownMailAddress(config) : oneAddress(named)
  if (address !== undefined) return address
  throw new AgentMailError(
    'server_config',
    'it is not known where the digest is to go',
    `Set ${settings.digestTo.env} to your own address.`,
  )
}

function oneAddress(text: string): string {
  const [first, ...others] = parseAddresses(settings.digestTo.env, text)
  if (first && others.length === 0) return first.address
  throw new AgentMailError('server_config', `${settings.digestTo.env} must be one address`)
}
