/** The file in which a domain says where its mail servers are (Mozilla's autoconfig), taken as data and nothing more. */
import { exchange } from '../../../system/http-request.ts'
import type { Bounds } from '../../../system/time-limit.ts'
import { type FoundServer, foundServer, type ServerKind } from './found-server.ts'
import { type Element, readXml } from './small-xml.ts'

export type ServersByKind = Record<ServerKind, FoundServer[]>

const maxBytes = 64 << 10
const mostServers = 8

/** Over TLS alone: whoever is on the way could name a server of their own. */
export function autoconfigUrls(address: string): URL[] {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  const file = 'mail/config-v1.1.xml'
  const urls = [
    new URL(`https://autoconfig.${domain}/${file}`),
    new URL(`https://${domain}/.well-known/autoconfig/${file}`),
  ]
  for (const url of urls) url.searchParams.set('emailaddress', address)
  return urls
}

/** Nothing where there is none that can be read. */
export async function fetchAutoconfig(
  url: URL,
  address: string,
  bounds: Bounds,
): Promise<ServersByKind | undefined> {
  try {
    const request = { url, ...bounds }
    const { status, body } = await exchange(request, maxBytes)
    return status === 200 && body !== undefined ? readAutoconfig(body, address) : undefined
  } catch {
    return undefined
  }
}

/** Only servers with TLS, in the order of the file. */
export function readAutoconfig(text: string, address: string): ServersByKind | undefined {
  const root = text.length <= maxBytes ? readXml(text) : undefined
  if (root?.name !== 'clientConfig') return undefined
  const servers = childrenOf(root, 'emailProvider').flatMap(({ children }) => children)
  const of = (name: string, type: ServerKind) =>
    servers
      .filter((server) => server.name === name && server.attributes.get('type') === type)
      .slice(0, mostServers)
      .flatMap((server) => serverOf(server, address) ?? [])
  return { imap: of('incomingServer', 'imap'), smtp: of('outgoingServer', 'smtp') }
}

function serverOf(element: Element, address: string): FoundServer | undefined {
  const said = (name: string) => textOf(element, name)
  const socket = said('socketType')?.toUpperCase()
  if (socket !== 'SSL' && socket !== 'STARTTLS') return undefined
  const port = /^\d{1,5}$/.test(said('port') ?? '') ? Number(said('port')) : 0
  const server = foundServer(filledIn(said('hostname') ?? '', address), port, socket === 'SSL')
  const user = said('username')
  return server && { ...server, user: user === undefined ? undefined : userOf(user, address) }
}

/** Nothing where it asks for what is not known here, such as a name that a person would have to type. */
function userOf(text: string, address: string): string | undefined {
  const user = filledIn(text, address)
  return user === '' || user.length > 254 || /[%\s\p{Cc}]/u.test(user) ? undefined : user
}

function filledIn(text: string, address: string): string {
  const at = address.lastIndexOf('@')
  return text
    .replaceAll('%EMAILADDRESS%', () => address)
    .replaceAll('%EMAILLOCALPART%', () => address.slice(0, at))
    .replaceAll('%EMAILDOMAIN%', () => address.slice(at + 1))
}

const childrenOf = ({ children }: Element, name: string): Element[] =>
  children.filter((child) => child.name === name)

const textOf = (element: Element, name: string): string | undefined =>
  childrenOf(element, name)[0]?.text.trim()
