/** What the DNS tells of a domain's mail servers: SRV records (RFC 6186, RFC 8314), and who takes its mail. */
import { getServers } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { type FoundServer, foundServer, type ServerKind } from './found-server.ts'
import { type KnownService, serviceOfExchanger } from './known-services.ts'

/** TLS from the start goes before STARTTLS, as RFC 8314 wants it. */
const services = {
  imap: [
    ['_imaps', true],
    ['_imap', false],
  ],
  smtp: [
    ['_submissions', true],
    ['_submission', false],
  ],
} as const

const tryMs = 1500
const tries = 2

/** Asks the servers of this process, and gives up by itself. */
export function ownResolver(): Resolver {
  const resolver = new Resolver({ timeout: tryMs, tries })
  resolver.setServers(getServers())
  return resolver
}

interface SrvRecord {
  name: string
  port: number
  priority: number
  weight: number
}

export async function srvServers(
  resolver: Resolver,
  domain: string,
  kind: ServerKind,
): Promise<FoundServer[]> {
  const answers = services[kind].map(async ([service, isSecure]) => {
    const records = await orNone(resolver.resolveSrv(`${service}._tcp.${domain}`))
    return srvOrder(records).flatMap(({ name, port }) => foundServer(name, port, isSecure) ?? [])
  })
  return (await Promise.all(answers)).flat()
}

/** The lowest number first, then the heaviest: one login has no load to spread. A dot for a name means that there is none. */
const srvOrder = (records: SrvRecord[]): SrvRecord[] =>
  records
    .filter(({ name }) => name !== '' && name !== '.')
    .sort((one, other) => one.priority - other.priority || other.weight - one.weight)

/** The service whose customer a domain is. */
export async function serviceByMail(
  resolver: Resolver,
  domain: string,
): Promise<KnownService | undefined> {
  const records = await orNone(resolver.resolveMx(domain))
  for (const { exchange } of records.sort((one, other) => one.priority - other.priority)) {
    const service = serviceOfExchanger(exchange.toLowerCase().replace(/\.$/, ''))
    if (service) return service
  }
  return undefined
}

const orNone = <T>(records: Promise<T[]>): Promise<T[]> => records.catch(() => [])
