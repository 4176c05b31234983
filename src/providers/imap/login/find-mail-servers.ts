/** Finds the mail servers of an address: known ones, else by SRV records, autoconfig files, and the usual names, all at once. */
import type { Resolver } from 'node:dns/promises'
import { setMaxListeners } from 'node:events'
import { type Bounds, ifSoon } from '../../../system/time-limit.ts'
import type { MailServer } from '../../mail-server.ts'
import { autoconfigUrls, fetchAutoconfig, type ServersByKind } from './autoconfig.ts'
import { ownResolver, serviceByMail, srvServers } from './dns.ts'
import { type FoundServer, foundServer, isWithin, type ServerKind } from './found-server.ts'
import { type KnownService, serviceOfDomain, serviceOfServer } from './known-services.ts'
import { type ProbeAnswer, probe } from './probe.ts'

export interface FoundServers {
  imap: FoundServer | undefined
  smtp: FoundServer | undefined
  service: KnownService | undefined
  /** Hosts that answer, but could not be trusted with a password. */
  unsafe: string[]
}

export interface ServerSearch extends Bounds {
  /** Which are not known yet. */
  kinds?: readonly ServerKind[]
  /** Tests pass their own. */
  resolver?: Resolver
  autoconfig?: URL[]
}

/** Of each step: names are asked for, then servers are tried. */
const stepMs = 5000

/** @param address whose domain is in ASCII. */
export async function findMailServers(
  address: string,
  search: ServerSearch = {},
): Promise<FoundServers> {
  const { kinds = ['imap', 'smtp'], limit = stepMs } = search
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const known = serviceOfDomain(domain)
  if (known) return { imap: known.imap, smtp: known.smtp, service: known, unsafe: [] }
  const bounds = { limit, outer: search.outer ?? [] }
  for (const signal of search.outer ?? []) if (signal) setMaxListeners(0, signal) // a listener a try
  // The usual names need nobody's word, so they are tried meanwhile.
  const usual = kinds.map((kind) => tried(usualServers(domain, kind), kind, bounds))
  const named = await namedServers(address, domain, { ...search, ...bounds })
  const found: FoundServers = { imap: undefined, smtp: undefined, service: undefined, unsafe: [] }
  await Promise.all(
    kinds.map(async (kind, index) => {
      const answers = [...(await tried(named[kind], kind, bounds)), ...((await usual[index]) ?? [])]
      found[kind] = answers.find(({ answer }) => answer === 'safe')?.server
      const unsafe = answers.filter(({ answer }) => answer === 'unsafe')
      found.unsafe.push(...unsafe.map(({ server }) => `${server.host}:${server.port}`))
    }),
  )
  found.service = found.imap && serviceOfServer(found.imap)
  return { ...found, unsafe: [...new Set(found.unsafe)] }
}

/** Those in which the password would go to somebody else than whoever has the domain of the address. */
export const outsiders = (address: string, servers: (MailServer | undefined)[]): string[] => {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const isKnown = serviceOfDomain(domain) !== undefined
  const hosts = servers.flatMap((server) => (server && !server.isLoopback ? [server.host] : []))
  return isKnown ? [] : [...new Set(hosts)].filter((host) => !isWithin(domain, host))
}

export function usualServers(domain: string, kind: ServerKind): FoundServer[] {
  const names = kind === 'imap' ? ['imap', 'mail'] : ['smtp', 'mail']
  const [secure, upgraded] = kind === 'imap' ? [993, 143] : [465, 587]
  return [
    ...names.map((name) => foundServer(`${name}.${domain}`, secure, true)),
    ...names.map((name) => foundServer(`${name}.${domain}`, upgraded, false)),
  ].flatMap((server) => server ?? [])
}

/** What others say of them, the most direct word first. */
async function namedServers(
  address: string,
  domain: string,
  { resolver = ownResolver(), limit = stepMs, outer = [], autoconfig }: ServerSearch,
): Promise<ServersByKind> {
  const urls = autoconfig ?? autoconfigUrls(address)
  const soon = <T>(work: Promise<T>): Promise<T | undefined> => ifSoon(limit, () => work)
  const [imap = [], smtp = [], service, ...files] = await Promise.all([
    soon(srvServers(resolver, domain, 'imap')),
    soon(srvServers(resolver, domain, 'smtp')),
    soon(serviceByMail(resolver, domain)),
    ...urls.map((url) => fetchAutoconfig(url, address, { limit, outer })),
  ])
  resolver.cancel()
  return {
    imap: [
      ...imap,
      ...files.flatMap((file) => file?.imap ?? []),
      ...(service ? [service.imap] : []),
    ],
    smtp: [
      ...smtp,
      ...files.flatMap((file) => file?.smtp ?? []),
      ...(service ? [service.smtp] : []),
    ],
  }
}

interface Tried {
  server: FoundServer
  answer: ProbeAnswer
}

const mostTried = 12

/** All at once; the order stays. */
const tried = (servers: FoundServer[], kind: ServerKind, bounds: Bounds): Promise<Tried[]> =>
  Promise.all(
    servers
      .slice(0, mostTried)
      .map(async (server) => ({ server, answer: await probe(server, kind, bounds) })),
  )
