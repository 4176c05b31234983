/** The limits that a person sets and no tool can change: whom mail may go to, and how many mails a minute. */
import { domainToASCII } from 'node:url'
import type { Config } from '../../config.ts'
import { AgentMailError, notSent } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'

/** @param addresses everybody whom a mail goes to, openly or not. */
export function checkRecipients(config: Config, addresses: string[]): void {
  const allowed = allowedRecipients(config)
  if (!allowed) return
  const refused = addresses.find(
    (address) =>
      !allowed.has(folded(address)) && (isRouted(address) || !allowed.has(domainOf(address))),
  )
  if (refused === undefined) return
  throw notSent(
    'permission_denied',
    `mail may not go to ${refused}${isRouted(refused) ? ': a % or ! before the @ can name another place' : ''}`,
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

/** Some servers take `jane%other.example@` and `other.example!jane@` for mail that they are to pass on. */
const isRouted = (address: string): boolean => /[%!]/.test(address)

const folded = (address: string): string => address.toLowerCase()
const domainOf = (address: string): string => folded(address.slice(address.lastIndexOf('@') + 1))

const minuteMs = 60_000

export class Rate {
  readonly #perMinute: number
  readonly #clock: Clock
  #taken: number[] = []

  /** @param perMinute 0 for no limit. */
  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  take(): void {
    if (this.#perMinute === 0) return
    const now = this.#clock.now()
    // A clock that was set back must not lock anybody out.
    this.#taken = this.#taken.filter((at) => at <= now && now - at < minuteMs)
    const [oldest = now] = this.#taken
    if (this.#taken.length < this.#perMinute) {
      this.#taken.push(now)
      return
    }
    const seconds = Math.max(1, Math.ceil((oldest + minuteMs - now) / 1000))
    throw notSent(
      'rate_limited',
      `the limit of ${this.#perMinute} mails a minute is reached, try again in ${seconds} seconds`,
      'RATE_LIMIT_MAX_REQUESTS sets the limit.',
      { retry_after_seconds: seconds },
    )
  }
}
