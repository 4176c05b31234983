/** What the real database servers of the tests have in common: a user, urls, new databases, and how they end. */
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { expect } from 'vitest'
import type { ServerProcess } from '../server-process.ts'

export interface DatabaseServer {
  /** mysql://user:password@127.0.0.1:port/database */
  url(database: string): string
  /** Creates an empty database and gives its url. */
  newDatabase(): Promise<string>
  /** SIGKILL, as when the machine dies; over when the process is gone. */
  kill(): Promise<void>
  /** Starts it again on the same data and port; over when it answers. */
  start(): Promise<void>
  /** Ends it in an orderly way and removes its data. */
  stop(): Promise<void>
}

/** With characters that mean something else in a url. */
export const account = { user: 'agentmail', password: 'p@ss:w/rd?#%' }

/** A text that anybody may read. */
export function expectNoPassword(text: string): void {
  for (const secret of [account.password, encodeURIComponent(account.password)]) {
    expect(text).not.toContain(secret)
  }
}

/** Makes the account on a new server. */
export const accountStatements = [
  `CREATE USER ${account.user}@'%' IDENTIFIED BY '${account.password}'`,
  `GRANT ALL PRIVILEGES ON *.* TO ${account.user}@'%' WITH GRANT OPTION`,
]

export function urlOf(port: number, database = ''): string {
  const { user, password } = account
  return `mysql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

/** Runs statements on a connection of their own, and gives the rows of the last. */
export async function query(url: string, ...statements: string[]): Promise<RowDataPacket[]> {
  const connection = await createConnection({ uri: url, connectTimeout: 10_000 })
  connection.on('error', () => {}) // a server may be killed meanwhile, and the query says so
  try {
    let rows: RowDataPacket[] = []
    for (const sql of statements) {
      ;[rows] = await connection.query<RowDataPacket[]>({ sql, timeout: 10_000 })
    }
    return rows
  } finally {
    connection.destroy()
  }
}

let databases = 0

/** Creates a database of a fresh name on the server behind the port. */
export async function createDatabase(port: number): Promise<string> {
  const name = `agentmail_${++databases}`
  await query(urlOf(port), `CREATE DATABASE ${name}`)
  return name
}

/** A server that stands alone. */
export function singleServer(
  server: ServerProcess,
  port: number,
  start: () => Promise<void>,
): DatabaseServer {
  return {
    url: (database) => urlOf(port, database),
    newDatabase: async () => urlOf(port, await createDatabase(port)),
    kill: () => server.end('SIGKILL'),
    start,
    stop: async () => {
      await server.end('SIGTERM')
      server.remove()
    },
  }
}
