/** One database server for all the tests of a block, which make databases of their own on it. */
import { afterAll, beforeAll } from 'vitest'
import type { DatabaseServer } from './database-servers.ts'

export function sharedDatabaseServer(start: () => Promise<DatabaseServer>): () => DatabaseServer {
  let server: DatabaseServer | undefined
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server?.stop())
  return () => {
    if (!server) throw new Error('The server is started before the tests, not before that')
    return server
  }
}
