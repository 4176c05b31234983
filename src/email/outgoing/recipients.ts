/** Whom mail may go to: a limit that a person sets and no tool can change. */
import { domainToASCII } from 'node:url'
import type { Config } from '../../config.ts'
import { AgentMailError, notSent } from '../../errors.ts'

/** @param addresses everybody whom a mail goes to, openly or not. */
export function checkRecipients(config: Config, addresses: string[]): void {
  const allowed = allowedRecipients(config)
  if (!allowed) return
  const refused = addresses.find(
    (address) => !allowed.has(folded(address)) && !allowed.has(domainOf(address)),
  )
  if (refused === undefined) return
  throw notSent(
    'permission_denied',
    `mail may not go to ${refused}`,
    'AGENTMAIL_SEND_TO names the addresses and domains that it may go to; only a person can change that.',
  )
}

/** Nothing where everybody is allowed; throws where an entry is none. */
export function allowedRecipients(config: Config): Set<string> | undefined {
  const setting = config.text('sendTo')
  return setting === undefined ? undefined : new Set(setting.split(',').flatMap(entryOf))
}

/** An address, or a domain with or without its @; never what lies below the domain. */
function entryOf(entry: string): string[] {
  const text = entry.trim()
  if (text === '') return []
  const at = text.lastIndexOf('@')
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase()
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(domain) || domain.includes('..')) {
    throw new AgentMailError(
      'server_config',
      `AGENTMAIL_SEND_TO has an entry that is no address and no domain: "${text}"`,
      'Write it like jane@example.com,example.org. Nothing is sent until then.',
    )
  }
  return [at > 0 ? `${text.slice(0, at).toLowerCase()}@${domain}` : domain]
}

const folded = (address: string): string => address.toLowerCase()
const domainOf = (address: string): string => folded(address.slice(address.lastIndexOf('@') + 1))
