/** Runs the coordination server from its settings until it is told to stop. */
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { checkedProject, foreseenName, hereAt, hereOf } from '../connection/here.ts'
import { findOldDatabaseOnce, wordsOf } from '../connection/old-database/old-database.ts'
import { openProject } from '../connection/open-coordination.ts'
import { pruneAll } from '../connection/prune-all.ts'
import { keepServerNote } from '../connection/server-note.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { HookAnswering } from '../hooks/answering.ts'
import { CodexWaking } from '../hooks/codex-waking.ts'
import { destinationOf } from '../notices/destination.ts'
import { Posting } from '../notices/posting.ts'
import { SessionHolds } from '../sessions/holds.ts'
import { databaseOf } from '../store/database.ts'
import { rfc3339, systemClock } from '../system/clock.ts'
import { log, report, rotateLog } from '../system/log.ts'
import { uuid } from '../system/random.ts'
import { tellStarter } from '../system/run-program.ts'
import { version } from '../version.ts'
import { checkNoneHasLost } from './background.ts'
import { type ConnectLine, connectLines, stdioLines, whyStdio } from './connect-lines.ts'
import { checkDoor } from './guards.ts'
import { HttpServer } from './http-server.ts'
import { inboundWords, openInbound } from './inbound.ts'
import { Pruner } from './pruner.ts'
import { checkNobodyAt, runningAt } from './running.ts'
import { keepRecord } from './server-record.ts'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** Ctrl-C reaches npm too, which passes it on: within this time it is the same one. */
const sameSignalMs = 500

interface RunOptions {
  json?: boolean
  /** Where its words go that runs in the background: its terminal may end, and the log is kept small. */
  logFile?: string
  /** Tells that it serves, in place of what is printed; what this gives is called before anything is closed. */
  onServing?: (serving: Serving) => Promise<() => Promise<void>>
}

export interface Serving {
  url: string
  coordination: Coordination
}

/**
 * Resolves with the exit code when it has stopped.
 * @param given the repository's file in it says what the project of this folder is called, and nothing else.
 */
export async function runServer(
  given: Config,
  { json = false, logFile, onServing }: RunOptions = {},
): Promise<number> {
  const config = given.withoutRepository()
  const settings = readSettings(config)
  checkDoor(settings)
  const database = databaseOf(config)
  await checkNoneHasLost(config, database)
  if (database.path !== undefined && !existsSync(database.path)) await checkNobodyAt(settings)
  const here = await hereOf(given)
  const { coordination, own, book } = await openProject(config, database, here, { create: true })
  const instance = uuid()
  const { name, path } = database
  const place = (url: string) => placeOf(config, path, url)
  const about: Told = {
    database: name,
    project: own.name,
    isNamed: given.text('project') !== undefined,
    place,
    hasToken: settings.token !== undefined,
  }
  const holds = new SessionHolds()
  const codex = new CodexWaking(config, coordination)
  const hooks = new HookAnswering({
    ...{ config, coordination, holds, hookMs: settings.hookMs },
    onHeard: (desk, told) => codex.heard(desk, told),
  })
  const options = {
    config,
    coordination,
    book,
    hooks,
    own,
    instance,
    place,
    database: name,
    ...settings,
  }
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
    for (const signal of stopSignals) {
      const isTerminals = signal === 'SIGHUP' && logFile !== undefined
      process.on(signal, () => isTerminals || resolve())
    }
  })
  coordination.startSweeping(settings.sweepMs)
  coordination.startKeepingVersions(settings.versionMs)
  codex.start()
  const pruner = new Pruner((isEnding) =>
    pruneAll(config, database, coordination, { ageMs: settings.keepMs, isEnding }),
  )
  const { url } = server
  const posting = Posting.start(config, `${url}/`, async (folder) =>
    foreseenName(config, await hereAt(config, folder)),
  )
  const record = await keepRecord(config, database, { url, instance })
  const endNoting = keepServerNote(
    database.note,
    { url, instance },
    () => !coordination.lost?.aborted,
  )
  const endServing = await onServing?.({ url, coordination })
  if (!onServing) {
    if (json) report(JSON.stringify({ event: 'started', ...factsOf(url, about), pid: process.pid }))
    else if (logFile !== undefined) tellLog(url, about)
    else tell(server, coordination, about)
  }
  if (settings.inbound) log(await inboundWords(settings.inbound, config))
  if (logFile !== undefined) keepSmall(logFile)
  tellStarter()
  const isElsewhere = config.isFlag('db') || config.isFlag('project')
  const old = isElsewhere ? undefined : await findOldDatabaseOnce(config, own.name)
  if (old) log(wordsOf(old))
  await stopped
  const at = logFile === undefined ? '' : `${rfc3339(systemClock.now())} `
  log(`${at}stopping: finishing what is under way`)
  endWhenToldAgain()
  endNoting()
  await endServing?.()
  await server.stop()
  await codex.stop()
  await pruner.stop()
  await posting?.stop()
  holds.close()
  await coordination.close()
  record?.end()
  return 0
}

const logLookMs = 10_000

function keepSmall(logFile: string): void {
  setInterval(() => rotateLog(logFile), logLookMs).unref()
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
    checkedProject(config.text('project'))
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
      hookMs: config.number('hookMs'),
      inbound: openInbound(config),
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

/** Options by which clients find the database and the project; the usual ones they find by themselves. */
function placeOf(config: Config, path: string | undefined, url: string): string[] {
  const project = config.isFlag('project') ? ['--project', config.text('project') ?? ''] : []
  if (config.text('db') === undefined) return project
  // An address may hold a password.
  return [...(path === undefined ? ['--server', url] : ['--db', path]), ...project]
}

interface Told {
  database: string
  project: string
  /** Whether the settings say so, and not the folder. */
  isNamed: boolean
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
  report(
    `AgentMail ${version} serves ${url}/  (open it in a browser${about.hasToken ? '; it asks for the token' : ''})`,
  )
  if (others.length > 0) report(`From other machines: ${others.join('  ')}`)
  report(`Database: ${engine}, ${about.database}`)
  tellLines(url, about)
  report('')
  report('Ctrl-C stops it.')
}

function tellLog(url: string, { database, project }: Told): void {
  const who = `AgentMail ${version} (PID ${process.pid})`
  report(`${rfc3339(systemClock.now())} ${who} serves ${url}/ on ${database}, from ${project}`)
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

function tellLines(url: string, { project, isNamed, place, hasToken }: Told): void {
  const tellAll = (lines: ConnectLine[]) => {
    for (const { client, line } of lines) report(`  ${client.padEnd(15)}${line}`)
  }
  report(`${isNamed ? 'Project' : 'Project of this folder'}: ${project}`)
  report('')
  report('Set up your coding clients, hooks included, with: agentmail setup')
  report('')
  report('Or connect a client on this machine, in its repository:')
  tellAll(stdioLines(place(url)))
  report('')
  report('Connect a client elsewhere to this project:')
  tellAll(connectLines(url, hasToken, project))
  report('')
  report(whyStdio)
}
