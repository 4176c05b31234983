/** The database that the settings name: a file, or a server beyond it; and how its store is opened. */
import { closeSync, existsSync, lstatSync, openSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { isNotRegular } from '../system/files.ts'
import { isMysqlAddress, mysqlAddress } from './mysql/address.ts'
import { asideBegin, leftBeside, putBack, setAside } from './open-files.ts'
import { openSqlite, viewSqlite } from './sqlite.ts'
import { type Store, StoreError, type View } from './store.ts'
import { makeDataFolder, noteOf, noteOfAddress, usualDatabase } from './usual-database.ts'

export interface Database {
  /** As people see it: a path, or an address without its password. */
  name: string
  /** Where it lies, if it is a file. */
  path?: string
  /** Where the server that answers for it leaves its note. */
  note: string
  /** A file is made if it is not there yet; a database on a server only if that is said. */
  open(options?: { create?: boolean }): Promise<Store>
  /** Only to be read: nothing is made or changed. Nothing, where there is no database yet. */
  view(): Promise<View | undefined>
  /** An error of opening it, in words. */
  explained(error: unknown): AgentMailError
}

interface PlaceOptions {
  /** Whether a folder may be made for it. */
  create?: boolean
}

/** The database that the settings name, or the one of all repositories in the user's data folder. */
export function databaseOf(config: Config, { create = true }: PlaceOptions = {}): Database {
  const named = config.text('db')
  if (named !== undefined) return namedDatabase(config, named)
  if (create) makeDataFolder(config)
  return fileDatabase(usualDatabase(config))
}

/** @param named a path or an address, as in AGENTMAIL_DB. */
export function namedDatabase(config: Config, named: string): Database {
  const address = named.trim()
  if (isMysqlAddress(address)) return serverDatabase(config, address)
  const path = resolve(named)
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address)?.[1]
  if (scheme) throw noPath(`there are no ${scheme}:// databases`)
  if (isPerhapsAddress.test(address) && !existsSync(path)) {
    throw noPath('the database is neither a file that is there nor a proper address')
  }
  if (!existsSync(dirname(path))) throw unreadable(path, 'its folder does not exist')
  return fileDatabase(existsSync(path) ? realpathSync(path) : path)
}

/** A misspelled one, whose password must not be told as if it were part of a path. */
const isPerhapsAddress = /^["']?[a-z][\w+.-]+:|:.*@|\?.*=/is

const noPath = (message: string) =>
  new AgentMailError(
    'server_config',
    message,
    'Give the path of a file, or mysql://user:password@host:3306/agentmail, as AGENTMAIL_DB or --db.',
  )

export function fileDatabase(path: string): Database {
  return {
    name: path,
    path,
    note: noteOf(path),
    async open() {
      checkNoLinks(path)
      createIfMissing(path)
      putBack(path)
      return openSqlite(path)
    },
    async view() {
      checkNoLinks(path)
      if (!isThere(path)) return undefined
      putBack(path) // even a look begins a log, and then this one has no place any more
      return viewSqlite(path)
    },
    explained: (error) => explainedFile(error, path),
  }
}

function serverDatabase(config: Config, named: string): Database {
  const address = mysqlAddress(named)
  return {
    name: address.shown,
    note: noteOfAddress(config, address),
    async open({ create = false } = {}) {
      const { openMysql } = await import('./mysql/mysql.ts')
      return openMysql(address, { create })
    },
    async view() {
      const { viewMysql } = await import('./mysql/mysql.ts')
      return viewMysql(address)
    },
    explained: (error) =>
      new AgentMailError(
        'database_unreadable',
        `the database could not be opened: ${address.shown} (${error instanceof Error ? error.message : error})`,
        (StoreError.is(error) && error.next) ||
          'Check that its server runs, and its address in AGENTMAIL_DB or --db.',
        { cause: error },
      ),
  }
}

/** So that only its owner may read it. One that is there is not opened: to close it again would drop the locks that this process holds on it. */
function createIfMissing(path: string): void {
  if (isThere(path)) return
  const left = leftBeside(path)
  try {
    closeSync(openSync(path, 'wx', 0o600))
    setAside(path, left)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error // another process was faster
  }
}

function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw unreadable(path, 'it is no plain file')
  return found !== undefined
}

/** A repository can bring links along, and what is written must not follow them out. */
function checkNoLinks(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw unreadable(file, 'it is a link')
    }
  }
}

function explainedFile(error: unknown, path: string): AgentMailError {
  if (StoreError.is(error) && error.trouble === 'again') {
    return new AgentMailError(
      'database_locked',
      `the database is locked by another process: ${path}`,
      'Wait for that process or end it, then start again; or name another database with --db.',
      { cause: error },
    )
  }
  if (StoreError.is(error) && error.trouble === 'failed') {
    return unreadable(path, `it does not look like one of AgentMail: ${error.message}`)
  }
  if (StoreError.is(error)) return unreadable(path, error.message, error.next)
  if (AgentMailError.is(error) || isNotRegular(error)) {
    return unreadable(path, 'it is no plain file')
  }
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return unreadable(path, 'it may not be written')
  return unreadable(path, error instanceof Error ? error.message : String(error))
}

const unreadable = (
  path: string,
  why: string,
  next = 'Check the file and its permissions, or name another database with --db.',
) =>
  new AgentMailError(
    'database_unreadable',
    `the database could not be opened: ${path} (${why})`,
    next,
  )

/** The logs that wait beside a file for those to which they belong. */
export function logsAside(path: string): string[] {
  const begin = basename(asideBegin(path))
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(begin))
  return names.sort().map((name) => join(dirname(path), name))
}
