/** Who sends, where the settings say it. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import type { Address } from '../mime/mail.ts'
import { parseAddresses } from '../mime/parse-addresses.ts'
import { settings } from '../settings.ts'

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
