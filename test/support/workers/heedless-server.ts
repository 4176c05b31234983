/** A coordination server with its safeguard off, for control runs: it never looks whether its file is still there. */
import { writeSync } from 'node:fs'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { HttpServer } from '../../../src/server/http-server.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const [path = ''] = process.argv.slice(2)

const store = await openSqlite(path, { isCache: true })
const coordination = await Coordination.open({ store, staleMs: 120_000 })
const { url } = await HttpServer.start({
  coordination,
  host: '127.0.0.1',
  port: 0,
  token: undefined,
  allowedHosts: [],
  requestsPerMinute: 1,
  instance: 'heedless',
  staleSeconds: 120,
})
writeSync(1, `${JSON.stringify({ url })}\n`)
