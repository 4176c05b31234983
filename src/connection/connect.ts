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
  const project = checkedProject(config.text('project'))
  const token = config.text('token')?.trim()
  const named = config.text('server')
  if (named !== undefined) return RemoteConnection.open({ token, ...addressOf(named, project) })
  const database = await databaseOf(config)
  const running = await runningServer(database, { token, project })
  if (running) return running
  const sweepMs = config.seconds('sweepSeconds') * 1000
  const versionMs = config.seconds('doltCommitSeconds') * 1000
  const coordination = await openCoordination(config, database)
  coordination.startKeepingVersions(versionMs)
  if (options.isStaying) coordination.startSweeping(sweepMs)
  else if (!(await coordination.isAttended())) await coordination.sweep()
  return new LocalConnection(coordination, { project, through: database.name })
}

/** The same, where there is something to ask: nothing is made for it. */
export async function connectIfThere(config: Config): Promise<Connection | undefined> {
  if (config.text('server') === undefined) {
    const database = await databaseOf(config)
    const isThere = await isServed(database)
    const view = isThere ? undefined : await database.view()
    await view?.close()
    if (!isThere && !view) return undefined
  }
  return connect(config)
}

async function runningServer(
  database: Database,
  options: { token: string | undefined; project: string | undefined },
): Promise<Connection | undefined> {
  const note = database.note && readServerNote(database.note)
  // A repository can bring a note along, and neither mail nor a token must follow it out.
  if (!note || !isOnThisMachine(note.url)) return undefined
  try {
    return await RemoteConnection.open({ url: note.url, ...options }, note.instance)
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
