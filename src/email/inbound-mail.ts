/** Whether mail comes in by HTTP, as the settings say. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import type { ProviderName } from '../providers/provider.ts'
import { settings } from '../settings.ts'
import { readableProvider } from './mail-provider.ts'

const fewestCharacters = 20

/** Nothing where no mail is to come in. It stands in an address, so it has no characters that mean something there. */
export function inboundSecretOf(config: Config): string | undefined {
  const secret = config.text('inboundSecret')?.trim()
  if (secret === undefined) return undefined
  const isLong = secret.length >= fewestCharacters
  if (isLong && /^[\w.~-]+$/.test(secret)) return secret
  throw new AgentMailError(
    'server_config',
    `${settings.inboundSecret.env} ${isLong ? 'has characters in it that do not fit into an address' : `has fewer than ${fewestCharacters} characters`}`,
    'Use letters and digits that nobody can guess, such as those of: openssl rand -hex 24',
  )
}

/** The service whose mail is read, where that is not the mail that comes in. */
export function readElsewhere(config: Config): ProviderName | undefined {
  const name = readableProvider(config)
  return name === 'gmail' || name === 'imap' ? name : undefined
}
