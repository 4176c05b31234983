/** Starts MariaDB servers for tests. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Env, root } from '../agentmail.ts'
import { pathOf } from '../parts.ts'
import { freePort, keptFolder, removeFolder, ServerProcess } from '../server-process.ts'
import {
  accountStatements,
  type DatabaseServer,
  query,
  singleServer,
  urlOf,
} from './database-servers.ts'

/** MariaDB refuses to run as root, and so do the scripts by which a Galera node gets its state. */
const asOtherUser = process.getuid?.() === 0 ? ['--user=mysql'] : []

/** Small, since it is written whole for each server. */
const logFileSize = '--innodb-log-file-size=8M'

/** Lets the server's user have the folder. */
export function give(folder: string): void {
  if (asOtherUser.length > 0) execFileSync('chown', ['-R', 'mysql:', folder])
}

export const dataOf = (folder: string) => join(folder, 'data')

/** What every server is started with; durable, as one in earnest is. */
export const mariadbArgs = (folder: string, port: number): string[] => [
  '--no-defaults',
  ...asOtherUser,
  `--datadir=${dataOf(folder)}`,
  `--tmpdir=${folder}`,
  `--socket=${join(folder, 'socket')}`,
  `--pid-file=${join(folder, 'pid')}`,
  '--bind-address=127.0.0.1',
  `--port=${port}`,
  '--skip-name-resolve',
  '--max-connections=500', // each database of a test keeps some until its end
  '--innodb-flush-log-at-trx-commit=1',
  '--innodb-buffer-pool-size=64M',
  '--innodb-buffer-pool-dump-at-shutdown=OFF',
  '--innodb-buffer-pool-load-at-startup=OFF',
  logFileSize,
]

export async function startMariadb(env: Env = {}, more: string[] = []): Promise<DatabaseServer> {
  const port = await freePort()
  const server = new ServerProcess('mariadb')
  layDown(server.folder)
  const start = () =>
    server.start({
      program: pathOf('mariadbd'),
      args: [...mariadbArgs(server.folder, port), ...more],
      env,
      isReady: async () => (await query(urlOf(port), 'SELECT 1')).length === 1,
      timeoutMs: 30_000,
    })
  await start()
  return singleServer(server, port, start)
}

/** Puts the data of a new server into the folder. */
export function layDown(folder: string): void {
  cpSync(newData(), dataOf(folder), { recursive: true })
  give(folder)
}

/** The data of a new server, which takes seconds to make; so it is made once and copied. */
function newData(): string {
  const version = execFileSync(pathOf('mariadbd'), ['--no-defaults', '--version'])
  const key = createHash('sha256').update(version).update(accountStatements.join()).digest('hex')
  const cache = join(root, 'node_modules/.cache/agentmail')
  const made = join(cache, `mariadb-${key.slice(0, 16)}`)
  if (existsSync(made)) return made
  const folder = keptFolder('mariadb-install')
  const statements = join(folder, 'account.sql')
  // An installer's server knows no accounts until it is told to read them.
  writeFileSync(statements, ['FLUSH PRIVILEGES', ...accountStatements, ''].join(';\n'))
  give(folder)
  execFileSync(
    pathOf('mariadb-install-db'),
    [
      '--no-defaults',
      ...asOtherUser,
      `--datadir=${dataOf(folder)}`,
      `--extra-file=${statements}`,
      '--skip-test-db',
      '--skip-name-resolve',
      '--auth-root-authentication-method=normal',
      logFileSize,
    ],
    { cwd: folder, stdio: 'pipe' },
  )
  const copy = `${made}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  cpSync(dataOf(folder), copy, { recursive: true })
  removeFolder(folder)
  try {
    renameSync(copy, made)
  } catch (error) {
    if (!existsSync(made)) throw error
    rmSync(copy, { recursive: true }) // another process was faster
  }
  return made
}
