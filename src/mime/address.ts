/** What an address may be, and how it stands in a header. */
import { domainToASCII } from 'node:url'
import type { Address } from './mail.ts'

const atom = /^[\w!#$%&'*+/=?^`{|}~-]+$/
const label = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i

/**
 * The address with its domain in ASCII, or what is wrong with it. Narrower than the RFCs: what two
 * mail programs could read differently is refused.
 */
export function checkAddress(text: string): { address: string } | { wrong: string } {
  const parts = text.split('@')
  const [local = '', domain = ''] = parts
  if (parts.length === 1) return { wrong: 'has no @' }
  if (parts.length > 2) return { wrong: 'has more than one @' }
  if (/\s/.test(text)) return { wrong: 'has a space in it' }
  if (/\p{Default_Ignorable_Code_Point}/u.test(text)) return { wrong: 'has an invisible character' }
  if (text.length > 254) return tooLong
  // Empty for what is no domain, numbers for an IP address in any spelling.
  const ascii = domainToASCII(domain)
  const wrong = wrongInLocal(local) ?? wrongInDomain(domain, ascii)
  if (wrong) return { wrong }
  const address = `${local}@${ascii}`
  return address.length > 254 ? tooLong : { address }
}

const tooLong = { wrong: 'is longer than 254 characters' }

function wrongInLocal(local: string): string | undefined {
  if (local === '') return 'has nothing before the @'
  if (!isAscii(local)) return 'has a letter before the @ that is not ASCII'
  if (local.length > 64) return 'has more than 64 characters before the @'
  const atoms = local.split('.')
  if (atoms.includes('')) return 'has a dot at the start, at the end or twice before the @'
  return atoms.every((part) => atom.test(part)) ? undefined : 'has a character that no address has'
}

function wrongInDomain(domain: string, ascii: string): string | undefined {
  if (domain === '') return 'has nothing after the @'
  const labels = (isAscii(domain) ? domain : ascii).split('.')
  if (labels.some((part) => part.length > 63)) return 'has a part of its domain over 63 characters'
  if (domain.startsWith('[') || /(?:^|\.)\d+$/.test(ascii)) return 'has an IP address as its domain'
  if (ascii === '' || !labels.every((part) => label.test(part))) {
    return 'has a domain that cannot exist'
  }
  const isWhole = labels.length > 1 || ascii === 'localhost'
  return isWhole ? undefined : 'has a domain without a dot'
}

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** @example addressText({ name: 'Doe, Jane', address: 'jane@example.com' }) // '"Doe, Jane" <jane@example.com>' */
export function addressText({ name, address }: Address): string {
  if (name === '') return address
  const isPlain = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~ -]+$/u.test(name)
  return `${isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`
}

export const addressList = (addresses: Address[]): string => addresses.map(addressText).join(', ')
