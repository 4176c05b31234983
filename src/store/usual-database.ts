/** Where the database lies that nobody has named, and the note of whoever serves one: known without opening any. */
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { makeFolder, makePrivate } from '../system/files.ts'
import { dataFolder } from '../system/places.ts'
import { sha256 } from '../system/text.ts'
import { isMysqlAddress, type MysqlAddress, mysqlAddress } from './mysql/address.ts'

export const usualDatabase = (config: Config): string => join(dataFolder(config), 'agentmail.db')

export const noteOf = (path: string): string => `${path}.server`

/** For its owner only. */
export function makeDataFolder(config: Config): string {
  const folder = dataFolder(config)
  try {
    makeFolder(folder, 0o700)
    makePrivate(folder)
    return folder
  } catch (cause) {
    throw new AgentMailError(
      'database_unreadable',
      `the folder of the database could not be made: ${folder}`,
      'Set XDG_DATA_HOME to a folder that can be written, or name a database with --db.',
      { cause },
    )
  }
}

/** Of a database on a server, in the user's own folder. */
export const noteOfAddress = (config: Config, { shown }: MysqlAddress): string =>
  noteOf(join(dataFolder(config), sha256(shown).slice(0, 16)))

/** That of the database which the settings name. */
export function noteFor(config: Config): string {
  const named = config.text('db')
  if (named === undefined) return noteOf(usualDatabase(config))
  if (isMysqlAddress(named.trim())) return noteOfAddress(config, mysqlAddress(named.trim()))
  const path = resolve(named)
  return noteOf(existsSync(path) ? realpathSync(path) : path)
}
