/** Who sends: as the settings say it, or else whoever has logged in. */
import type { Config } from '../config.ts'
import { AgentMailError, notSent } from '../errors.ts'
import type { Address } from '../mime/mail.ts'
import { parseAddresses } from '../mime/parse-addresses.ts'
import { settings } from '../settings.ts'

/** Nothing where the settings do not say it. */
export function ownSender(config: Config): Address | undefined {
  const text = config.text('mailFrom')
  if (text === undefined) return undefined
  try {
    const [sender, ...others] = parseAddresses(settings.mailFrom.env, text)
    if (others.length === 0) return sender
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw new AgentMailError('server_config', error.message, error.next)
  }
  throw new AgentMailError('server_config', `${settings.mailFrom.env} must be one address`)
}

/** @param user of the login, who sends where that is an address and the settings name nobody. */
export function senderOf(config: Config, user: string | undefined): Address {
  const named = ownSender(config)
  if (named) return named
  if (user !== undefined && isAddress(user)) return { name: '', address: user }
  throw notSent(
    'invalid_request',
    'nobody is named as the sender',
    `Set ${settings.mailFrom.env} to the address that mail is sent from.`,
  )
}

export const isAddress = (text: string): boolean => /^[^\s@<>]+@[^\s@<>]+$/.test(text)
