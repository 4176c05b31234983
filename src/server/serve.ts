/** Runs the coordination server from its settings until it is told to stop. */
import type { Config } from '../config.ts'
import { hereOf } from '../connection/here.ts'
import { findOldDatabaseOnce, wordsOf } from '../connection/old-database.ts'
import { openProject } from '../connection/open-coordination.ts'
import { pruneAll } from '../connection/prune-all.ts'
import { keepServerNote, removeServerNote } from '../connection/server-note.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { destinationOf } from '../notices/destination.ts'
import { Posting } from '../notices/posting.ts'
import { databaseOf } from '../store/database.ts'
import { log, report } from '../system/log.ts'
import { uuid } from '../system/random.ts'
import { version } from '../version.ts'
import { type ConnectLine, connectLines, stdioLines, whyStdio } from './connect-lines.ts'
import { checkDoor } from './guards.ts'
import { HttpServer } from './http-server.ts'
import { Pruner } from './pruner.ts'
import { runningAt } from './running.ts'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** Ctrl-C reaches npm too, which passes it on: within this time it is the same one. */
const sameSignalMs = 500

/** Resolves with the exit code when it has stopped. */
export async function runServer(config: Config, json: boolean): Promise<number> {
  const settings = readSettings(config)
  checkDoor(settings)
  const database = databaseOf(config)
  const here = await hereOf(config)
  const { coordination, own, book } = await openProject(config, database, here, { create: true })
  const instance = uuid()
  const { name, path } = database
  const place = (url: string) => placeOf(config, path, url)
  const about: Told = {
    database: name,
    project: own.name,
    place,
    hasToken: settings.token !== undefined,
  }
  const options = { coordination, book, own, instance, place, database: name, ...settings }
  const server = await HttpServer.start(options).catch(async (error) => {
    const running = await runningAt(settings, coordination, error).finally(() =>
      coordination.close(),
    )
    return running.url
  })
  if (typeof server === 'string') {
    tellRunning(server, about, json)
    return 0
  }
  const stopped = new Promise<void>((resolve) => {
    for (const signal of stopSignals) process.on(signal, () => resolve())
  })
  coordination.startSweeping(settings.sweepMs)
  coordination.startKeepingVersions(settings.versionMs)
  const pruner = new Pruner((isEnding) =>
    pruneAll(config, database, coordination, { ageMs: settings.keepMs, isEnding }),
  )
  const { url } = server
  const posting = Posting.start(config, `${url}/`)
  const noting = keepServerNote(database.note, { url, instance }, () => !coordination.lost?.aborted)
  if (json) report(JSON.stringify({ event: 'started', ...factsOf(url, about), pid: process.pid }))
  else tell(server, coordination, about)
  const old = config.isFlag('db') ? undefined : await findOldDatabaseOnce(config, own.name)
  if (old) log(wordsOf(old))
  await stopped
  log('stopping: finishing what is under way')
  endWhenToldAgain()
  clearInterval(noting)
  removeServerNote(database.note, { url, instance })
  await server.stop()
  await pruner.stop()
  await posting?.stop()
  await coordination.close()
  return 0
}

function endWhenToldAgain(): void {
  const toldAt = performance.now()
  const isAgain = () => performance.now() - toldAt > sameSignalMs
  for (const signal of stopSignals) process.on(signal, () => isAgain() && process.exit(1))
}

/** A setting that is wrong has an exit code of its own here, whichever it is. */
function readSettings(config: Config) {
  try {
    destinationOf(config)
    return {
      host: config.text('host') || '127.0.0.1',
      port: portOf(config.number('port')),
      token: config.text('token')?.trim(),
      allowedHosts: (config.text('allowedHosts') ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      requestsPerMinute: Math.max(1, config.seconds('rateLimit')),
      staleSeconds: config.seconds('staleSeconds'),
      sweepMs: config.seconds('sweepSeconds') * 1000,
      versionMs: config.seconds('doltCommitSeconds') * 1000,
      keepMs: keepMsOf(config.text('keepDays')),
    }
  } catch (error) {
    throw AgentMailError.is(error)
      ? new AgentMailError('server_config', error.message, error.next)
      : error
  }
}

function portOf(port: number): number {
  if (Number.isInteger(port) && port <= 65535) return port
  throw new AgentMailError(
    'server_config',
    `the port must be a whole number from 0 to 65535, not ${port}`,
    'Correct --port or AGENTMAIL_PORT.',
  )
}

/** None: everything is kept. No days at all would remove what was said a moment ago. */
function keepMsOf(days: string | undefined): number | undefined {
  if (days === undefined) return undefined
  if (/^\s*[1-9]\d{0,5}\s*$/.test(days)) return Number(days) * 24 * 3600_000
  throw new AgentMailError(
    'server_config',
    `AGENTMAIL_KEEP_DAYS must be a whole number of days, 1 or more, not "${days}"`,
    'Correct it, or leave it out to keep everything.',
  )
}

/** Options by which clients find the database; the usual one they find by themselves. */
function placeOf(config: Config, path: string | undefined, url: string): string[] {
  if (config.text('db') === undefined) return []
  return path === undefined ? ['--server', url] : ['--db', path] // an address may hold a password
}

interface Told {
  database: string
  project: string
  place(url: string): string[]
  hasToken: boolean
}

const factsOf = (url: string, { database, project }: Told) => ({
  url,
  database,
  project,
  mcp: `${url}/mcp/${encodeURIComponent(project)}`,
})

function tell({ url, others }: HttpServer, { engine }: Coordination, about: Told): void {
  report(`AgentMail ${version} serves ${url}/${about.hasToken ? '' : '  (open it in a browser)'}`)
  if (others.length > 0) report(`From other machines: ${others.join('  ')}`)
  report(`Database: ${engine}, ${about.database}`)
  tellLines(url, about)
  report('')
  report('Ctrl-C stops it.')
}

function tellRunning(url: string, about: Told, json: boolean): void {
  if (json) {
    report(JSON.stringify({ event: 'running', ...factsOf(url, about) }))
    return
  }
  report(`AgentMail runs already, on the same database: ${url}/`)
  report(`Database: ${about.database}`)
  tellLines(url, about)
}

function tellLines(url: string, { project, place, hasToken }: Told): void {
  const tellAll = (lines: ConnectLine[]) => {
    for (const { client, line } of lines) report(`  ${client.padEnd(15)}${line}`)
  }
  report(`Project of this folder: ${project}`)
  report('')
  report('Connect a client on this machine, in its repository:')
  tellAll(stdioLines(place(url)))
  report('')
  report('Connect a client elsewhere to this project:')
  tellAll(connectLines(url, hasToken, project))
  report('')
  report(whyStdio)
}
