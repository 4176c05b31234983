/** Finds the way to the coordination of this repository: the server that the settings name, else the one that runs for its database, else the database. */
import type { Config } from '../config.ts'
import { isProjectName } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { type Database, databaseOf } from '../store/database.ts'
import { log } from '../system/log.ts'
import { isOnThisMachine } from '../system/network.ts'
import { type Connection, LocalConnection } from './connection.ts'
import { openCoordination } from './open-coordination.ts'
import { RemoteConnection } from './remote-connection.ts'
import { readServerNote } from './server-note.ts'

/** @param options.isStaying on a database that no server looks after, stale agents are removed now; with it, from time to time. */
export async function connect(
  config: Config,
  options: { isStaying?: boolean } = {},
): Promise<Connection> {
  const named = await namedServer(config)
  if (named) return named
  const database = await databaseOf(config)
  return (await runningServer(config, database)) ?? onDatabase(config, database, options)
}

/** Nothing where there is no database yet: none is made. */
export async function connectIfThere(config: Config): Promise<Connection | undefined> {
  const named = await namedServer(config)
  if (named) return named
  const database = await databaseOf(config, { create: false })
  const running = await runningServer(config, database)
  if (running) return running
  const view = await database.view().catch((error) => {
    throw database.explained(error)
  })
  await view?.close()
  return view && onDatabase(config, database)
}

const wayOf = (config: Config) => ({
  project: checkedProject(config.text('project')),
  token: config.text('token')?.trim(),
})

async function namedServer(config: Config): Promise<Connection | undefined> {
  const { project, token } = wayOf(config)
  const named = config.text('server')
  if (named === undefined) return undefined
  return RemoteConnection.open({ token, ...addressOf(named, project) })
}

async function onDatabase(
  config: Config,
  database: Database,
  { isStaying = false } = {},
): Promise<Connection> {
  const sweepMs = config.seconds('sweepSeconds') * 1000
  const versionMs = config.seconds('doltCommitSeconds') * 1000
  const coordination = await openCoordination(config, database)
  coordination.startKeepingVersions(versionMs)
  if (isStaying) coordination.startSweeping(sweepMs)
  else if (!(await coordination.isAttended())) await coordination.sweep()
  return new LocalConnection(coordination, {
    project: wayOf(config).project,
    through: database.name,
  })
}

async function runningServer(config: Config, database: Database): Promise<Connection | undefined> {
  const note = database.note && readServerNote(database.note)
  // A repository can bring a note along, and neither mail nor a token must follow it out.
  if (!note || !isOnThisMachine(note.url)) return undefined
  try {
    return await RemoteConnection.open({ url: note.url, ...wayOf(config) }, note.instance)
  } catch (error) {
    // Beside one whose database is gone nobody begins another: it must be started again first.
    if (!AgentMailError.is(error) || error.code === 'database_lost') throw error
    if (error.code === 'server_refused') log(`${error.message}; working on the database itself`)
    return undefined
  }
}

/** Whether a server on this machine answers for the database. Throws where that is lost to it. */
export async function isServed(database: Database): Promise<boolean> {
  const note = database.note && readServerNote(database.note)
  if (!note || !isOnThisMachine(note.url)) return false
  const options = { url: note.url, token: undefined, project: undefined }
  try {
    await (await RemoteConnection.open(options, note.instance)).close()
    return true
  } catch (error) {
    if (AgentMailError.is(error, 'database_lost')) throw error
    return AgentMailError.is(error, 'server_refused') // it wants a token
  }
}

function checkedProject(name: string | undefined): string | undefined {
  if (name === undefined || isProjectName(name)) return name
  throw new AgentMailError(
    'invalid_request',
    'the project must be a name of up to 100 characters without a slash',
    'Correct --project or AGENTMAIL_PROJECT.',
  )
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a server, also as it was given to a client: with /mcp, and a project after that. */
function addressOf(text: string, project: string | undefined) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const path = /^\/(?:(?:mcp|sse)(?:\/([^/]+))?\/?)?$/.exec(url?.pathname ?? '')
  if (url && path && /^https?:$/.test(url.protocol)) {
    return { url: url.origin, project: project ?? checkedProject(decoded(path[1])) }
  }
  throw new AgentMailError(
    'server_config',
    'AGENTMAIL_SERVER must be an address like http://127.0.0.1:8391',
    'Correct it, or leave it out to use the server of this repository.',
  )
}
