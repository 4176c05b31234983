/** The address of a database server: mysql://user:password@host:3306/database?ssl-ca=… */
import { readFileSync } from 'node:fs'
import { AgentMailError } from '../../errors.ts'

const defaultPort = 3306

export interface MysqlAddress {
  /** Of a cluster: every node, in the order in which they are tried. */
  hosts: { host: string; port: number }[]
  user: string
  password: string
  database: string
  tls: Tls | undefined
  /** As it may be shown: without the password. */
  shown: string
}

interface Tls {
  rejectUnauthorized: boolean
  /** Whether the certificate must be of the host that was asked for. */
  verifyIdentity: boolean
  ca?: Buffer
  cert?: Buffer
  key?: Buffer
}

/** How much the server must prove, in the words of MySQL's own clients. */
const modes = {
  disabled: undefined,
  required: { rejectUnauthorized: false, verifyIdentity: false },
  verify_ca: { rejectUnauthorized: true, verifyIdentity: false },
  verify_identity: { rejectUnauthorized: true, verifyIdentity: true },
}
type Mode = keyof typeof modes
const isMode = (name: string): name is Mode => Object.hasOwn(modes, name)

/** Loaded here, not at the top: it takes 3 ms, and every command knows these addresses. */
const isNumber = (host: string): boolean => process.getBuiltinModule('node:net').isIP(host) > 0

const files = { 'ssl-ca': 'ca', 'ssl-cert': 'cert', 'ssl-key': 'key' } as const
const example = 'mysql://user:password@127.0.0.1:3306/agentmail'

export const isMysqlAddress = (text: string): boolean => /^mysql:/i.test(text)

/**
 * @example mysqlAddress('mysql://me:secret@db1,db2:3307/agentmail?ssl-mode=required').hosts
 *   // [{ host: 'db1', port: 3306 }, { host: 'db2', port: 3307 }]
 */
export function mysqlAddress(text: string): MysqlAddress {
  // Of several hosts no URL is made, and a password may hold what an address may not.
  const parts = /^mysql:\/\/(?:(.*)@)?([^/@?]*)(?:\/([^/?]*))?(?:\?([^?]*))?$/is.exec(text)
  if (!parts) throw wrong(`it should look like ${example}`)
  const [, credentials = '', hosts = '', database = '', query = ''] = parts
  const [user = '', ...password] = credentials.split(':')
  if (hosts === '') throw wrong(`it names no host: it should look like ${example}`)
  if (database === '') throw wrong(`it names no database: it should look like ${example}`)
  const name = decoded(database)
  if (!/^[\p{L}\p{N}_$-]{1,64}$/u.test(name)) {
    throw wrong('the name of the database may hold letters, digits, _, $ and - only')
  }
  const tls = tlsOf(new URLSearchParams(query))
  const nodes = hosts.split(',').map(hostOf)
  // The driver compares names alone, and would let any certificate of "localhost" pass.
  const number = tls?.verifyIdentity ? nodes.find(({ host }) => isNumber(host)) : undefined
  if (number) {
    throw wrong(
      `a certificate is compared with a name, and ${number.host} is none: name the host, or add ssl-mode=verify_ca`,
    )
  }
  return {
    hosts: nodes,
    user: decoded(user) || 'root',
    password: decoded(password.join(':')),
    database: name,
    tls,
    shown: `mysql://${user === '' ? '' : `${user}@`}${hosts}/${database}`,
  }
}

function hostOf(text: string): { host: string; port: number } {
  const [, ip6, name, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text.trim()) ?? []
  const host = ip6 ?? name
  if (host === undefined) throw wrong('it names what is no host: write host or host:port')
  const number = port === undefined ? defaultPort : Number(port)
  if (number < 1 || number > 65535) throw wrong('a port is a number from 1 to 65535')
  return { host, port: number }
}

function tlsOf(query: URLSearchParams): Tls | undefined {
  const names = ['ssl-mode', ...Object.keys(files)]
  for (const name of query.keys()) {
    if (!names.includes(name)) throw wrong(`behind the ? it knows only ${names.join(', ')}`)
  }
  const given = query.get('ssl-mode')?.toLowerCase()
  const mode = given ?? (query.has('ssl-ca') ? 'verify_identity' : 'disabled')
  if (!isMode(mode)) throw wrong(`ssl-mode is one of ${Object.keys(modes).join(', ')}`)
  const base = modes[mode]
  const unused = Object.keys(files).find((name) => query.has(name) && !base)
  if (unused) throw wrong(`${unused} is of no use with ssl-mode=disabled`)
  if (!base) return undefined
  const tls: Tls = { ...base }
  for (const [name, part] of Object.entries(files)) {
    const file = query.get(name)
    if (file !== null) tls[part] = contentOf(name, file)
  }
  return tls
}

function contentOf(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw wrong(`the file of ${name} cannot be read: ${file}`)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw wrong('a % in a user, password or database is written %25')
  }
}

/** Nothing of the address is repeated but what cannot be secret. */
const wrong = (why: string) =>
  new AgentMailError(
    'server_config',
    `the address of the database cannot be used: ${why}`,
    'Correct AGENTMAIL_DB or --db. In a user or password, write @ as %40, / as %2F, : as %3A, % as %25.',
  )
