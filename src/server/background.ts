/** The servers of a database on this machine: which run, how one is started in the background, and how they are stopped. */
import { closeSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { readServerNote } from '../connection/server-note.ts'
import { AgentMailError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { rfc3339, sleep, systemClock } from '../system/clock.ts'
import { openRegularFile } from '../system/files.ts'
import { holdFile } from '../system/holder.ts'
import { rotateLog, textFrom } from '../system/log.ts'
import { isOnThisMachine } from '../system/network.ts'
import { unusableState } from '../system/places.ts'
import { untilAnswered } from '../system/retry.ts'
import { endProcess, isAlive, startToStay } from '../system/run-program.ts'
import { shellWord } from '../system/text.ts'
import { healthAt } from './running.ts'
import { recordsIn, type ServerRecord, serverFolder, serverLog } from './server-record.ts'

/** A machine that is busy takes its time. */
const startMs = 30_000
/** What is under way may take 5 s, and pruning a little longer. */
const stopMs = 15_000
/** Who starts and who stops wait for each other. */
const turnMs = startMs + stopMs
const noteMs = 8_000
const lookMs = 50
const wordsBytes = 4_000

export interface RunningServer extends ServerRecord {
  /** `silent`: its process lives, and does not answer. */
  state: 'ok' | 'database_unavailable' | 'database_lost' | 'silent'
  /** What it says is wrong. */
  message?: string
}

/** The one that others are sent to first. */
export async function findServers(
  config: Config,
  database: Database,
  options: { isLook?: boolean } = {},
): Promise<RunningServer[]> {
  const records = recordsIn(serverFolder(config, database), options)
  const known = await Promise.all(records.map(asked))
  const note = readServerNote(database.note)
  const isNoted = ({ instance }: ServerRecord) => instance === note?.instance
  if (note && !known.some(isNoted)) known.push(...(await unrecorded(note, database)))
  return known.sort((one, other) => Number(isNoted(other)) - Number(isNoted(one)))
}

async function asked(record: ServerRecord): Promise<RunningServer> {
  const health = await healthAt(record.url)
  if (health.instance !== record.instance) return { ...record, state: 'silent' }
  return { ...record, ...stateIn(health) }
}

function stateIn({ status, message }: Record<string, unknown>): Pick<RunningServer, 'state'> {
  const state = status === 'ok' || status === 'database_lost' ? status : 'database_unavailable'
  return { state, ...(typeof message === 'string' && { message }) }
}

/** One that could leave no record is known by its note, if the very one answers there. */
async function unrecorded(
  { url, instance, pid }: { url: string; instance: string; pid?: number },
  database: Database,
): Promise<RunningServer[]> {
  // A repository can bring a note along, and nobody is asked elsewhere for it.
  if (pid === undefined || !isOnThisMachine(url)) return []
  const health = await healthAt(url)
  if (health.instance !== instance) return []
  const since = rfc3339(systemClock.now() - Number(health.uptime_seconds) * 1000)
  const known = { url, instance, pid, since, version: String(health.version) }
  return [{ ...known, database: database.name, ...stateIn(health) }]
}

/** Beside a server whose file is gone nobody begins another: what it has acknowledged would have no file to come back to. */
export async function checkNoneHasLost(config: Config, database: Database): Promise<void> {
  const servers = await findServers(config, database)
  if (servers.some(({ state }) => state === 'ok')) return
  const { path } = database
  const isGone = path !== undefined && !existsSync(path)
  const lost = servers.find(({ state }) => isGone || state === 'database_lost')
  if (!lost) return
  const { pid, url, message } = lost
  const db = config.text('db') === undefined || path === undefined ? '' : ` --db ${shellWord(path)}`
  throw new AgentMailError(
    'database_lost',
    lostWords(message),
    `The server at ${url} (PID ${pid}) had it open and still runs: stop it first with agentmail down${db}\nThen put the file back if you want what it held, or leave it for a new one, and start AgentMail again.`,
  )
}

const lostWords = (message: string | undefined): string =>
  message?.split('\n')[0] || 'the database is gone: there is no file any more where it was'

/** The server that runs, or one that is started. Two that do this at once start one. */
export const ensureServer = (
  config: Config,
  database: Database,
): Promise<{ server: RunningServer; isStarted: boolean }> =>
  inTurn(config, database, async () => {
    const running = await findServers(config, database)
    if (running.length > 0) return { server: await healthy(config, database), isStarted: false }
    const isStarted = await start(config, database)
    return { server: await healthy(config, database), isStarted }
  })

async function inTurn<T>(config: Config, database: Database, work: () => Promise<T>): Promise<T> {
  const file = join(serverFolder(config, database), 'turn.lock')
  const fd = await holdFile(file, turnMs).catch((cause) => {
    throw unusableState(file, cause)
  })
  if (fd === undefined) {
    throw new AgentMailError('busy', 'another agentmail up or down is at work', 'Try again.')
  }
  try {
    return await work()
  } finally {
    closeSync(fd)
  }
}

/** A server is nobody's session, and needs no key of a model; by CODEX_HOME it finds the Codex that it wakes. */
const ofNoClient = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => name === 'CODEX_HOME' || !clientVariable.test(name)),
  )

const clientVariable =
  /^(?:CLAUDE|CODEX|COPILOT|GEMINI|QWEN)_|^CLAUDECODE$|^(?:ANTHROPIC|OPENAI|GOOGLE|DASHSCOPE)_API_KEY$/

/** False where it found that one serves already, which has lost its record and its note for a moment. */
async function start(config: Config, database: Database): Promise<boolean> {
  const file = serverLog(config, database)
  rotateLog(file)
  const output = openRegularFile(file, { create: true, append: true, isPrivate: true })
  const words = textFrom(output)
  try {
    const args = ['serve-in-background']
    const env = ofNoClient(config.withoutRepository().environment())
    const begun = await startToStay({ args, env, output, limit: startMs })
    if (begun === 'late') throw notStarted('it did not begin in time', words(wordsBytes), file)
    if ('pid' in begun) return true
    if (begun.exitCode === 0) return false
    const code = begun.exitCode === 3 ? 'port_in_use' : 'server_unreachable'
    throw notStarted('it ended', words(wordsBytes), file, code)
  } finally {
    closeSync(output)
  }
}

const notStarted = (
  why: string,
  words: string,
  file: string,
  code: 'port_in_use' | 'server_unreachable' = 'server_unreachable',
) =>
  new AgentMailError(
    code,
    `the server could not be started: ${why}`,
    `${lastLines(words)}\nIts log: ${file}`,
  )

/** What the server calls an error is the reason of this one. */
const lastLines = (words: string): string =>
  words
    .trim()
    .split('\n')
    .slice(-20)
    .join('\n')
    .replaceAll(/^error: /gm, '')

/** Waits for one that is well, since one that was started a moment ago may not answer yet. */
async function healthy(config: Config, database: Database): Promise<RunningServer> {
  let found: RunningServer | undefined
  const patience = { patienceMs: noteMs, firstMs: 20, longestMs: 200 }
  const well = await untilAnswered(patience, async () => {
    const servers = await findServers(config, database)
    found = servers[0] ?? found
    const isLost = servers.length > 0 && servers.every(({ state }) => state === 'database_lost')
    if (isLost) return servers[0]
    return servers.find(({ state }) => state === 'ok')
  })
  if (well?.state === 'ok') return well
  throw notWell(well ?? found, serverLog(config, database))
}

function notWell(server: RunningServer | undefined, file: string): AgentMailError {
  const next = `agentmail down stops it, agentmail up starts another. Its log: ${file}`
  if (server === undefined) {
    return new AgentMailError(
      'server_unreachable',
      'the server has ended again',
      `Its log: ${file}`,
    )
  }
  const { pid, url, state, message } = server
  if (state === 'database_lost') {
    return new AgentMailError('database_lost', lostWords(message), next)
  }
  const why =
    state === 'silent' ? 'does not answer' : message || 'cannot use its database at the moment'
  return new AgentMailError('server_unreachable', `the server at ${url} (PID ${pid}) ${why}`, next)
}

/** Stops all that serve this database, and waits for their ends. */
export async function stopServers(config: Config, database: Database): Promise<RunningServer[]> {
  try {
    return await inTurn(config, database, async () => {
      const servers = await findServers(config, database)
      await Promise.all(servers.map((server) => stop(config, database, server)))
      return servers
    })
  } catch (error) {
    // Where nobody can have a turn, nobody starts one either.
    const isNone = AgentMailError.is(error, 'storage') && (await isNoneRunning(config, database))
    if (isNone) return []
    throw error
  }
}

const isNoneRunning = async (config: Config, database: Database): Promise<boolean> =>
  (await findServers(config, database, { isLook: true })).length === 0

/** Told twice at most: what was acknowledged is on disk, so one that hangs loses nothing. */
async function stop(config: Config, database: Database, server: RunningServer): Promise<void> {
  const { pid, instance } = server
  const isThere = async () =>
    (await findServers(config, database)).some((one) => one.instance === instance)
  if (await endProcess({ pid, what: 'the server', isThere })) return gone(pid)
  throw new AgentMailError(
    'server_unreachable',
    `the server with PID ${pid} does not end`,
    'Look at what it waits for; it is told to end.',
  )
}

/** Its record goes a moment before its process. */
async function gone(pid: number): Promise<void> {
  for (let looks = 0; looks < 10 && isAlive(pid); looks++) await sleep(lookMs)
}
