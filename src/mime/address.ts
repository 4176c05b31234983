/** Addresses as they stand in a header. */
import type { Address } from './mail.ts'

/** @example addressText({ name: 'Doe, Jane', address: 'jane@example.com' }) // '"Doe, Jane" <jane@example.com>' */
export function addressText({ name, address }: Address): string {
  if (name === '') return address
  const isPlain = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~ -]+$/u.test(name)
  return `${isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`
}

export const addressList = (addresses: Address[]): string => addresses.map(addressText).join(', ')
