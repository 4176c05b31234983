/** Starts Dolt servers for tests. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf } from '../parts.ts'
import { freePort, ServerProcess } from '../server-process.ts'
import {
  accountStatements,
  type DatabaseServer,
  query,
  singleServer,
  urlOf,
} from './database-servers.ts'

/** @param settings of Dolt, as variables of its environment. */
export async function startDolt(settings: Record<string, string> = {}): Promise<DatabaseServer> {
  const port = await freePort()
  const server = new ServerProcess('dolt')
  const data = join(server.folder, 'data')
  mkdirSync(data)
  mkdirSync(join(server.folder, '.dolt'))
  writeFileSync(
    join(server.folder, '.dolt/config_global.json'),
    JSON.stringify({ 'metrics.disabled': 'true', 'versioncheck.disabled': 'true' }),
  )
  const address = ['--host=127.0.0.1', `--port=${port}`]
  const startAs = (url: string) =>
    server.start({
      program: pathOf('dolt'),
      args: ['sql-server', ...address, `--data-dir=${data}`, '--loglevel=warning'],
      env: { DOLT_ROOT_PATH: server.folder, DOLT_DISABLE_EVENT_FLUSH: '1', ...settings },
      isReady: async () => (await query(url, 'SELECT 1')).length === 1,
      timeoutMs: 30_000,
    })
  const root = `mysql://root@127.0.0.1:${port}`
  await startAs(root)
  await query(root, ...accountStatements)
  return singleServer(server, port, () => startAs(urlOf(port)))
}
