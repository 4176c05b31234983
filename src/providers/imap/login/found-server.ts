/** A server that was found for an address, and how; only names that a certificate can fit are ever taken. */
import { isIP } from 'node:net'
import type { MailServer } from '../../mail-server.ts'

export type ServerKind = 'imap' | 'smtp'

export interface FoundServer extends MailServer {
  /** How it calls the user, where that is said. */
  user?: string | undefined
}

const label = /^[a-z0-9_](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * From a text of others: nothing where it is no full name of a host. An address or a name of this machine is none:
 * no certificate is asked of those.
 */
export function foundServer(
  name: string,
  port: number,
  isSecure: boolean,
): FoundServer | undefined {
  const host = name.trim().toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  const isHost = host.length <= 253 && labels.length > 1 && labels.every((one) => label.test(one))
  const isOurs =
    isIP(host) !== 0 || labels.at(-1) === 'localhost' || /^\d+$/.test(labels.at(-1) ?? '')
  if (!isHost || isOurs || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  return { host, port, isSecure, isLoopback: false }
}

/** Whether whoever has the domain has the host. */
export const isWithin = (domain: string, host: string): boolean => `.${host}`.endsWith(`.${domain}`)
