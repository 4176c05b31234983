/** Real database servers for the bench, in processes and folders of their own: MariaDB and Dolt, where they are installed. */
import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { cleanEnv, memoryOf } from './measure.mjs'

const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/local/sbin',
  '/usr/sbin',
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agentmail-ci'),
]

const find = (program) => folders.map((folder) => join(folder, program)).find(existsSync)

/** MariaDB refuses to run as root. */
const asOtherUser = process.getuid?.() === 0 ? ['--user=mysql'] : []
const account = { user: 'agentmail', password: 'bench' }
const accountStatements = [
  `CREATE USER ${account.user}@'%' IDENTIFIED BY '${account.password}'`,
  `GRANT ALL PRIVILEGES ON *.* TO ${account.user}@'%' WITH GRANT OPTION`,
]

/** Durable, as one in earnest is. */
async function startMariadb() {
  const server = new DatabaseServer('MariaDB', 'mariadbd', await freePort())
  const { folder, port } = server
  const data = join(folder, 'data')
  const statements = join(folder, 'account.sql')
  // An installer's server knows no accounts until it is told to read them.
  writeFileSync(statements, ['FLUSH PRIVILEGES', ...accountStatements, ''].join(';\n'))
  if (asOtherUser.length > 0) execFileSync('chown', ['-R', 'mysql:', folder], { env: cleanEnv })
  const common = [
    '--no-defaults',
    ...asOtherUser,
    `--datadir=${data}`,
    `--tmpdir=${folder}`, // one that starts deletes the temporary tables that it finds there
    '--skip-name-resolve',
  ]
  const install = [
    `--extra-file=${statements}`,
    '--skip-test-db',
    '--auth-root-authentication-method=normal',
  ]
  execFileSync(find('mariadb-install-db'), [...common, ...install], {
    cwd: folder,
    env: cleanEnv,
    stdio: 'pipe',
  })
  await server.start([
    ...common,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--innodb-flush-log-at-trx-commit=1',
    '--innodb-buffer-pool-size=256M',
  ])
  return server
}

async function startDolt() {
  const server = new DatabaseServer('Dolt', 'dolt', await freePort())
  const { folder, port } = server
  const data = join(folder, 'data')
  for (const part of ['data', '.dolt']) mkdirSync(join(folder, part))
  const quiet = { 'metrics.disabled': 'true', 'versioncheck.disabled': 'true' }
  writeFileSync(join(folder, '.dolt/config_global.json'), JSON.stringify(quiet))
  const address = ['--host=127.0.0.1', `--port=${port}`]
  await server.start(['sql-server', ...address, `--data-dir=${data}`, '--loglevel=warning'], {
    env: { DOLT_ROOT_PATH: folder, DOLT_DISABLE_EVENT_FLUSH: '1' },
    url: `mysql://root@127.0.0.1:${port}`,
    first: accountStatements,
  })
  return server
}

const kinds = { MariaDB: ['mariadbd', startMariadb], Dolt: ['dolt', startDolt] }

/** Runs `work` with those of the servers that are installed, by name; they end with it. */
export async function withDatabaseServers(names, work) {
  const running = {}
  try {
    for (const name of names) {
      const [program, start] = kinds[name]
      if (find(program)) running[name] = await start()
      else console.log(`${program} is not there: measured without ${name}.\n`)
    }
    return await work(running)
  } finally {
    for (const server of Object.values(running)) await server.stop()
  }
}

class DatabaseServer {
  #program
  #child
  #over
  #databases = 0

  constructor(name, program, port) {
    this.name = name
    this.port = port
    this.#program = find(program)
    this.folder = mkdtempSync(join(tmpdir(), `agentmail-bench-${program}-`))
    // What interrupts the bench must not leave it behind.
    process.on('exit', () => this.#clear())
  }

  /** Resolves when it answers and has the account. */
  async start(args, { env = {}, url = this.url(), first = [] } = {}) {
    const logFile = join(this.folder, 'log')
    const log = openSync(logFile, 'a')
    this.#child = spawn(this.#program, args, {
      cwd: this.folder,
      env: { ...cleanEnv, ...env },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#over = new Promise((resolve) => this.#child.on('close', resolve))
    for (let attempt = 0; attempt < 500; attempt++) {
      if (this.#child.exitCode !== null) break
      const isReady = await query(url, 'SELECT 1').then(
        () => true,
        () => false,
      )
      if (isReady) return query(url, ...first)
      await sleep(50)
    }
    throw new Error(`${this.name} does not answer:\n${readFileSync(logFile, 'utf8')}`)
  }

  url(database = '') {
    return `mysql://${account.user}:${account.password}@127.0.0.1:${this.port}/${database}`
  }

  /** Makes an empty database and gives its url. */
  async newDatabase() {
    const name = `bench_${++this.#databases}`
    await query(this.url(), `CREATE DATABASE ${name}`)
    return this.url(name)
  }

  /** Resident memory, in MB. */
  memory() {
    return memoryOf(this.#child.pid)
  }

  /** What a database takes on disk, in bytes. */
  size(database) {
    const folder = join(this.folder, 'data', database)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const sizeOf = (file) => {
      const found = statSync(join(folder, file), { throwIfNoEntry: false }) // some come and go
      return found?.isFile() ? found.size : 0
    }
    return files.reduce((sum, file) => sum + sizeOf(file), 0)
  }

  async stop() {
    this.#child?.kill()
    await this.#over
    this.#clear()
  }

  #clear() {
    if (this.#child?.exitCode === null) this.#child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Runs statements on a connection of their own, and gives the rows of the last. */
export async function query(url, ...statements) {
  const connection = await createConnection({ uri: url, connectTimeout: 2000 })
  try {
    let rows = []
    for (const sql of statements) [rows] = await connection.query(sql)
    return rows
  } finally {
    connection.destroy()
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
