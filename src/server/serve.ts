/** Runs the coordination server from its settings until it is told to stop. */
import type { Config } from '../config.ts'
import { openCoordination } from '../connection/open-coordination.ts'
import { pruneAll } from '../connection/prune-all.ts'
import { removeServerNote, writeServerNote } from '../connection/server-note.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { destinationOf } from '../notices/destination.ts'
import { Posting } from '../notices/posting.ts'
import { databaseOf } from '../store/database.ts'
import { log, report } from '../system/log.ts'
import { uuid } from '../system/random.ts'
import { version } from '../version.ts'
import { connectLines } from './connect-lines.ts'
import { checkDoor } from './guards.ts'
import { HttpServer } from './http-server.ts'
import { Pruner } from './pruner.ts'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** Ctrl-C reaches npm too, which passes it on: within this time it is the same one. */
const sameSignalMs = 500

/** Resolves with the exit code when it has stopped. */
export async function runServer(config: Config, json: boolean): Promise<number> {
  const settings = readSettings(config)
  checkDoor(settings)
  const database = await databaseOf(config).catch(explainPlace)
  const coordination = await openCoordination(config, database, { create: true })
  const instance = uuid()
  const server = await HttpServer.start({ coordination, instance, ...settings }).catch(
    async (error) => {
      await coordination.close()
      throw error
    },
  )
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
  if (database.note) writeServerNote(database.note, { url, instance })
  if (json) {
    const { pid } = process
    report(JSON.stringify({ event: 'started', url, database: database.name, pid }))
  } else tell(server, coordination, database.name, settings.token !== undefined)
  await stopped
  log('stopping: finishing what is under way')
  endWhenToldAgain()
  if (database.note) removeServerNote(database.note, { url, instance })
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

function explainPlace(error: unknown): never {
  if (!AgentMailError.is(error, 'not_in_repository')) throw error
  throw new AgentMailError(
    error.code,
    error.message,
    `${error.next} Or name a database: agentmail serve --db <file>.`,
  )
}

function tell(
  { url, others }: HttpServer,
  { engine }: Coordination,
  database: string,
  hasToken: boolean,
): void {
  report(`AgentMail ${version} serves ${url}/${hasToken ? '' : '  (open it in a browser)'}`)
  if (others.length > 0) report(`From other machines: ${others.join('  ')}`)
  report(`Database: ${engine}, ${database}`)
  report('')
  report('Connect a client:')
  for (const { client, line } of connectLines(url, hasToken))
    report(`  ${client.padEnd(15)}${line}`)
  report('')
  report('Ctrl-C stops it.')
}
