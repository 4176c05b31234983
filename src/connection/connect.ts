/** Finds the way to the project of this repository: the server that the settings name, else the one that runs for the database, else the database. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { noteFor } from '../store/usual-database.ts'
import { log } from '../system/log.ts'
import type { Connection } from './connection.ts'
import { checkedProject, type Here, hereOf, ownPlace, saidProject } from './here.ts'
import { RemoteConnection } from './remote/remote-connection.ts'
import { namedServer, notedServer, serverToken } from './remote/server-address.ts'
import { ServerLine } from './remote/server-line.ts'
import { readServerNote } from './server-note.ts'

/** @param options.isStaying on a database that no server looks after, stale agents are removed now; with it, from time to time. */
export async function connect(
  config: Config,
  options: { isStaying?: boolean } = {},
): Promise<Connection> {
  const way = await wayOf(config)
  const served = await throughServer(config, way)
  if (served) return served
  const { onDatabase } = await databaseWay()
  return onDatabase(config, way, options)
}

/**
 * Nothing where there is no database yet: none is made.
 * @param options.isQuiet for a look by the way: that a server refuses is not told.
 */
export async function connectIfThere(
  config: Config,
  { isQuiet = false } = {},
): Promise<Connection | undefined> {
  const way = await wayOf(config)
  const served = await throughServer(config, { ...way, isQuiet })
  if (served) return served
  const { onDatabaseIfThere } = await databaseWay()
  return onDatabaseIfThere(config, way)
}

/**
 * Runs `work` through the server that has left its note, whose first question then shows whether it
 * is there; where it is not, nothing was done, and `work` runs again on the database.
 */
export async function withConnection<T>(
  config: Config,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { way, done } = await throughNoted(config, work)
  if (done) return done.value
  const named = await throughNamed(config, way)
  return closing(named ?? (await (await databaseWay()).onDatabase(config, way)), work)
}

/** The same; nothing where there is no database yet. */
export async function withConnectionIfThere<T>(
  config: Config,
  work: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  const { way, done } = await throughNoted(config, work)
  if (done) return done.value
  const named = await throughNamed(config, way)
  const connection = named ?? (await (await databaseWay()).onDatabaseIfThere(config, way))
  return connection && closing(connection, work)
}

async function closing<T>(connection: Connection, work: (connection: Connection) => Promise<T>) {
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** Loaded where there is no server: it is twenty times as much as the way to one. */
const databaseWay = () => import('./local-connection.ts')

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
  token: serverToken(config),
})

async function throughServer(config: Config, way: Way): Promise<Connection | undefined> {
  const named = await throughNamed(config, way)
  if (named) return named
  const noted = notedServer(noteFor(config))
  if (!noted) return undefined
  try {
    return await RemoteConnection.open({ ...noted, token: way.token }, way)
  } catch (error) {
    passBy(error, way)
    return undefined
  }
}

async function throughNamed(config: Config, way: Way): Promise<Connection | undefined> {
  const named = namedServer(config)
  if (!named) return undefined
  const project = checkedProject(named.project)
  const isGiven = project !== undefined && saidProject(config).project === undefined
  const here = isGiven ? { project } : way.here
  return RemoteConnection.open({ url: named.url, token: way.token }, { ...way, here })
}

async function throughNoted<T>(
  config: Config,
  work: (connection: Connection) => Promise<T>,
): Promise<{ way: Way; done?: { value: T } }> {
  const noted = namedServer(config) ? undefined : notedServer(noteFor(config))
  const server = noted && new ServerLine({ ...noted, token: serverToken(config) })
  server?.dial() // it gets ready while this process finds out where it stands
  try {
    const way = await wayOf(config)
    if (!server) return { way }
    const connection = new RemoteConnection(server, way)
    try {
      return { way, done: { value: await closing(connection, work) } }
    } catch (error) {
      if (connection.isEntered) throw error
      passBy(error, way)
      return { way }
    }
  } finally {
    server?.close()
  }
}

/** What it said or did not say, where the database is used without it; throws what is no reason to. */
function passBy(error: unknown, { isQuiet }: Way): void {
  const isOfServer = AgentMailError.is(error, 'server_unreachable', 'server_refused', 'storage')
  // Beside one whose database is gone nobody begins another: it must be started again first.
  if (!isOfServer) throw error
  if (error.code === 'server_refused' && !isQuiet) {
    log(`${error.message}; working on the database itself`)
  }
}

/** Whether a server on this machine answers for the database. Throws where that is lost to it. */
export async function isServed({ note }: { note: string }): Promise<boolean> {
  const noted = notedServer(note)
  if (!noted) return false
  try {
    await (await RemoteConnection.open({ ...noted, token: undefined })).close()
    return true
  } catch (error) {
    if (AgentMailError.is(error, 'database_lost')) throw error
    return AgentMailError.is(error, 'server_refused') // it wants a token
  }
}

/** The address of the page: of the server that answers for the database of this folder; empty where none does. */
export async function servedPage(config: Config): Promise<string> {
  const { databaseOf } = await import('../store/database.ts')
  const { note, ...database } = await databaseOf(config, { create: false })
  const server = note === undefined ? undefined : readServerNote(note)
  return server && (await isServed({ note, ...database })) ? `${server.url}/` : ''
}
