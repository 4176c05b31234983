/** One connection to a server that speaks MySQL's protocol: every statement has a time-out, every error a kind. */
import type { Connection, QueryError } from 'mysql2'
import { type Row, type SqlValue, StoreError, type StoreTrouble } from '../store.ts'
import type { MysqlAddress } from './address.ts'

const connectMs = 5_000
/** Where there is another node to try. */
const briefConnectMs = 2_000
/** Longer than a database pauses to collect garbage, shorter than a caller's patience. */
const statementMs = 10_000
const closeMs = 1_000

/** What a statement gave: rows, or the number of rows that it found and changed. */
interface Outcome {
  rows: Row[]
  changed: number
}

/** That the connection is gone or useless, so nobody knows how its last statement ended. */
export class ConnectionLost extends StoreError {
  constructor(message: string) {
    super('again', message)
  }
}

export class MysqlConnection {
  readonly #connection: Connection
  /** What waits for an answer, or behind another that does: a connection that is destroyed calls nobody back. */
  readonly #underWay = new Set<() => void>()
  #isLost = false

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  /** To the first host that answers. Without a database where there is none yet. */
  static async open(
    address: MysqlAddress,
    options: { database?: boolean } = {},
  ): Promise<MysqlConnection> {
    const failures: string[] = []
    for (const host of [...address.hosts]) {
      try {
        const connection = await MysqlConnection.#connect(address, host, options.database ?? true)
        // First from now on: one that is dead would cost its time again and again.
        address.hosts.sort((one, other) => Number(other === host) - Number(one === host))
        return connection
      } catch (error) {
        // What one node refuses for good, the others would too.
        if (!(error instanceof ConnectionLost)) throw error
        failures.push(error.message)
      }
    }
    throw new ConnectionLost([...new Set(failures)].join('; '))
  }

  static async #connect(
    address: MysqlAddress,
    { host, port }: { host: string; port: number },
    withDatabase: boolean,
  ): Promise<MysqlConnection> {
    const { createConnection } = await import('mysql2')
    const { user, password, database, tls } = address
    const patienceMs = address.hosts.length > 1 ? briefConnectMs : connectMs
    const connection = createConnection({
      ...{ host, port, user, password, charset: 'UTF8MB4_BIN', connectTimeout: patienceMs },
      ...(withDatabase ? { database } : {}),
      ...(tls ? { ssl: tls } : {}),
    })
    const opened = new MysqlConnection(connection)
    connection.on('error', () => opened.destroy()) // whoever asks next hears of it
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        opened.destroy()
        reject(new ConnectionLost(`${host}:${port} did not answer in time`))
      }, patienceMs)
      connection.connect((error) => {
        clearTimeout(timer)
        if (!error) return resolve()
        opened.destroy()
        reject(opened.#explained(error, `connecting to ${host}:${port}`))
      })
    })
    await opened.#checkCluster(`${host}:${port}`)
    return opened
  }

  /** A node that has lost its cluster lets everybody in and does nothing for them, while another would. */
  async #checkCluster(host: string): Promise<void> {
    const { rows } = await this.query("SHOW STATUS LIKE 'wsrep_cluster_status'")
    if (rows[0]?.Value !== 'non-Primary') return
    this.destroy()
    throw new ConnectionLost(`the database cannot be reached (${host} has lost its cluster)`)
  }

  get isLost(): boolean {
    return this.#isLost
  }

  query(sql: string, ...values: SqlValue[]): Promise<Outcome> {
    return this.queryFor(statementMs, sql, ...values)
  }

  /** For a statement that takes longer than others may. */
  queryFor(timeout: number, sql: string, ...values: SqlValue[]): Promise<Outcome> {
    if (this.#isLost) return Promise.reject(new ConnectionLost('the connection was lost'))
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new ConnectionLost('the connection was lost'))
      this.#underWay.add(giveUp)
      this.#connection.query({ sql, values, timeout }, (error, result) => {
        this.#underWay.delete(giveUp)
        if (error) return reject(this.#explained(error, sql.replace(/\s+/g, ' ').slice(0, 60)))
        // Rows of a statement that gives some; else what the server says about it.
        if (Array.isArray(result)) return resolve({ rows: result as Row[], changed: 0 })
        resolve({ rows: [], changed: result.affectedRows })
      })
    })
  }

  /** In order: the server hears of it. */
  async close(): Promise<void> {
    if (this.#isLost) return
    await new Promise<void>((resolve) => {
      setTimeout(resolve, closeMs).unref()
      this.#connection.end(() => resolve())
    })
    this.destroy()
  }

  /** At once; the server undoes what was not committed. */
  destroy(): void {
    this.#isLost = true
    this.#connection.destroy()
    const waiting = [...this.#underWay]
    this.#underWay.clear()
    for (const giveUp of waiting) giveUp()
  }

  /** The texts of a database can hold what callers wrote, so our own words are told, and its numbers. */
  #explained(error: QueryError, doing: string): StoreError {
    const { errno, code = 'the connection is closed' } = error
    if (/^(?:HANDSHAKE|ERR_OSSL|ERR_TLS)_/.test(code)) {
      this.destroy()
      const next =
        'Check ssl-mode, ssl-ca, ssl-cert and ssl-key in the address, and the certificates.'
      return new StoreError('unreadable', `no safe connection: ${error.message}`, next) // Node's words on TLS
    }
    const [trouble, words, next] = errno === undefined ? lost : troubleOf(errno, error.message)
    if (trouble !== 'lost') {
      const what = words ?? `error ${errno} of the database`
      return new StoreError(trouble, `${what}, at: ${doing}`, next)
    }
    this.destroy()
    const why = words ?? codes[code] ?? code
    return new ConnectionLost(`the database cannot be reached (${why}), at: ${doing}`)
  }
}

/** What the driver says when a connection fails. */
const codes: Record<string, string> = {
  PROTOCOL_CONNECTION_LOST: 'the connection was closed',
  PROTOCOL_SEQUENCE_TIMEOUT: 'no answer in time',
}

type Trouble = [kind: StoreTrouble | 'lost', words?: string, next?: string]
const lost: Trouble = ['lost']
const readOnly: Trouble = ['unreadable', 'the database may only be read']
const wrongPassword: Trouble = [
  'unreadable',
  'the user or the password is wrong',
  'Check both in AGENTMAIL_DB or --db, and whether the server wants TLS (?ssl-mode=required).',
]
const notAllowed: Trouble = [
  'unreadable',
  'this user may not do that',
  'Give it its rights on the database, as in: GRANT ALL ON agentmail.* TO the user.',
]

/** By the numbers of MySQL and MariaDB. */
const troubles: Record<number, Trouble> = {
  1007: ['again', 'another made the database at the same moment'],
  1020: ['again', 'a record changed since it was read'],
  1021: ['full', 'the disk of the database is full'],
  1040: ['lost', 'too many connections'],
  1044: notAllowed,
  1045: wrongPassword,
  1047: ['lost', 'this node is not in its cluster'],
  1049: ['unreadable', 'there is no such database'],
  1053: ['lost', 'the server is shutting down'],
  1062: ['again', 'another was first with this key'],
  1114: ['full', 'a table is full'],
  1142: notAllowed,
  1180: ['lost', 'the node lost its cluster during a commit'],
  1203: ['lost', 'too many connections of this user'],
  1205: ['again', 'waited too long for a lock'],
  1213: ['again', 'another transaction was first'],
  1227: notAllowed,
  1290: readOnly,
  1698: wrongPassword,
  1792: readOnly,
  1836: readOnly,
  1927: ['lost', 'the connection was killed'],
  3159: ['unreadable', 'the server wants TLS: add ?ssl-mode=required or ssl-ca'],
  4031: ['lost', 'the connection was idle for too long'],
}

/** Numbers above are the server's; those of the system are below zero. */
function troubleOf(errno: number, message: string): Trouble {
  if (errno < 0) return lost
  // Dolt's number for everything else: a merge that another transaction broke is the one to try again.
  if (errno === 1105 && message.includes('constraint violations')) return ['again']
  if (errno === 1105 && message.includes('online garbage collection')) {
    return ['lost', 'the server collected its garbage']
  }
  return troubles[errno] ?? ['failed']
}
