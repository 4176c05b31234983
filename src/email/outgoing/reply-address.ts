/** The address that answers to agents' mails go to, with a tag that tells which: abc+tag@inbound.example.com. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import type { Address } from '../../mime/mail.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import { settings } from '../../settings.ts'
import { uuid } from '../../system/random.ts'
import { sha256 } from '../../system/text.ts'

/** In small letters, since some services know no others. */
const tagDigits = 20

export const newTag = (): string => sha256(uuid()).slice(0, tagDigits)

export class ReplyAddress {
  readonly #local: string
  readonly #domain: string
  readonly #tagged: RegExp

  private constructor(local: string, domain: string) {
    this.#local = local
    this.#domain = domain
    const [before, after] = [local, domain].map((part) => part.replace(/[^a-z0-9]/gi, '\\$&'))
    this.#tagged = new RegExp(
      `(?<![^\\s<>,;:"])${before}\\+([0-9a-f]{${tagDigits}})@${after}(?![\\w.-])`,
      'gi',
    )
  }

  /** Nothing where none is set. */
  static of(config: Config): ReplyAddress | undefined {
    const set = config.text('inboundAddress')?.trim()
    if (set === undefined) return undefined
    const [only, ...others] = addressesIn(set)
    const [, local, domain] = /^(.+)@([^@]+)$/.exec(only?.address ?? '') ?? []
    if (local && domain && others.length === 0 && local.length + tagDigits < 64) {
      return new ReplyAddress(local, domain)
    }
    throw new AgentMailError(
      'server_config',
      `${settings.inboundAddress.env} must be one address, like abc@inbound.example.com`,
      'Correct it, or leave it out: answers go to the sender of a mail then.',
    )
  }

  with(tag: string): Address {
    return { name: '', address: `${this.#local}+${tag}@${this.#domain}` }
  }

  /** In headers that name addresses. */
  tagsIn(headers: string): string[] {
    const tags = [...headers.matchAll(this.#tagged)].map(([, tag = '']) => tag.toLowerCase())
    return [...new Set(tags)].slice(0, 10)
  }
}

function addressesIn(text: string): Address[] {
  try {
    return parseAddresses(settings.inboundAddress.env, text)
  } catch (error) {
    if (AgentMailError.is(error)) return []
    throw error
  }
}
