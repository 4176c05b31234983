/** The addresses of this machine: which reach only itself, and which are its own. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const wildcards = ['0', '0.0.0.0', '[::]', '[0:0:0:0:0:0:0:0]']

/** Whether it stands for every address of this machine. */
export const isWildcard = (host: string): boolean => wildcards.includes(asHost(host))

/** Whether only this machine can reach what is bound to the address. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || isLoopbackAddress(host.replace(/^\[|\]$/g, ''))

export const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address)

/** As a URL names it. */
export const asHost = (address: string): string => {
  const bare = address.replace(/^\[|\]$/g, '').toLowerCase()
  return isIP(bare) === 6 ? `[${bare}]` : bare
}

/** Whether a URL names this machine, by one of its addresses. */
export function isOnThisMachine(url: string): boolean {
  if (/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url)) return true // as most are; to parse one takes longer
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return isLoopback(hostname) || ownAddresses().map(asHost).includes(asHost(hostname))
}

export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((some) => (some ?? []).map(({ address }) => address))
