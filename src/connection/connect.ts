/** Finds the way to the project of this repository: the server that the settings name, else the one that runs for the database, else the database. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { type Database, databaseOf } from '../store/database.ts'
import { log } from '../system/log.ts'
import { isOnThisMachine } from '../system/network.ts'
import { type Connection, LocalConnection } from './connection.ts'
import { checkedProject, type Here, hereOf, ownPlace } from './here.ts'
import { openProject } from './open-coordination.ts'
import { RemoteConnection } from './remote-connection.ts'
import { readServerNote } from './server-note.ts'

/** @param options.isStaying on a database that no server looks after, stale agents are removed now; with it, from time to time. */
export async function connect(
  config: Config,
  options: { isStaying?: boolean } = {},
): Promise<Connection> {
  const way = await wayOf(config)
  const database = databaseOf(config)
  return (await throughServer(config, way, database)) ?? onDatabase(config, way, database, options)
}

/**
 * Nothing where there is no database yet: none is made.
 * @param options.isQuiet for a look by the way: that a server refuses is not told.
 */
export async function connectIfThere(
  config: Config,
  { isQuiet = false } = {},
): Promise<Connection | undefined> {
  const way = { ...(await wayOf(config)), isQuiet }
  const database = databaseOf(config)
  const served = await throughServer(config, way, database)
  if (served) return served
  const view = await database.view().catch((error) => {
    throw database.explained(error)
  })
  await view?.close()
  // One on a server is made by whoever serves it: a name that leads to none is a mistake, and told.
  const isNone = view === undefined && database.path !== undefined
  return isNone ? undefined : onDatabase(config, way, database)
}

/** Where this process stands, and what it may show to a server. */
interface Way {
  here: Here
  place: string
  token: string | undefined
  isQuiet?: boolean
}

const wayOf = async (config: Config): Promise<Way> => ({
  here: await hereOf(config),
  place: ownPlace(config),
  token: config.text('token')?.trim(),
})

async function throughServer(
  config: Config,
  way: Way,
  database: Database,
): Promise<Connection | undefined> {
  const named = config.text('server')
  if (named === undefined) return runningServer(database, way)
  const { url, project } = addressOf(named)
  const isGiven = project !== undefined && config.text('project') === undefined
  return RemoteConnection.open({ ...way, url, ...(isGiven && { here: { project } }) })
}

async function onDatabase(
  config: Config,
  { here, place }: Way,
  database: Database,
  { isStaying = false } = {},
): Promise<Connection> {
  const sweepMs = config.seconds('sweepSeconds') * 1000
  const versionMs = config.seconds('doltCommitSeconds') * 1000
  const { coordination, own, book } = await openProject(config, database, here)
  coordination.startKeepingVersions(versionMs)
  if (isStaying) coordination.startSweeping(sweepMs)
  else if (!(await coordination.isAttended())) await coordination.sweep()
  return new LocalConnection(coordination, { own, book, place, through: database.name })
}

async function runningServer(
  database: Database,
  { isQuiet, ...way }: Way,
): Promise<Connection | undefined> {
  const note = readServerNote(database.note)
  // A repository can bring a note along, and neither mail nor a token must follow it out.
  if (!note || !isOnThisMachine(note.url)) return undefined
  try {
    return await RemoteConnection.open({ url: note.url, ...way }, note.instance)
  } catch (error) {
    // Beside one whose database is gone nobody begins another: it must be started again first.
    if (!AgentMailError.is(error) || error.code === 'database_lost') throw error
    const isTold = error.code === 'server_refused' && !isQuiet
    if (isTold) log(`${error.message}; working on the database itself`)
    return undefined
  }
}

/** Whether a server on this machine answers for the database. Throws where that is lost to it. */
export async function isServed(database: Database): Promise<boolean> {
  const note = readServerNote(database.note)
  if (!note || !isOnThisMachine(note.url)) return false
  const options = { url: note.url, token: undefined }
  try {
    await (await RemoteConnection.open(options, note.instance)).close()
    return true
  } catch (error) {
    if (AgentMailError.is(error, 'database_lost')) throw error
    return AgentMailError.is(error, 'server_refused') // it wants a token
  }
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a server, also as it was given to a client: with /mcp, and a project after that. */
function addressOf(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const path = /^\/(?:(?:mcp|sse)(?:\/([^/]+))?\/?)?$/.exec(url?.pathname ?? '')
  if (url && path && /^https?:$/.test(url.protocol)) {
    return { url: url.origin, project: checkedProject(decoded(path[1])) }
  }
  throw new AgentMailError(
    'server_config',
    'AGENTMAIL_SERVER must be an address like http://127.0.0.1:8391',
    'Correct it, or leave it out to use the one that runs for the database.',
  )
}
