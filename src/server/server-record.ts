/** What each server of a database leaves in the state folder: its PID file, and the log of one in the background. */
import { realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import type { Config } from '../config.ts'
import type { Database } from '../store/database.ts'
import { rfc3339, systemClock } from '../system/clock.ts'
import { heldWords, holdWords, unheldFiles, wordsIfHeld } from '../system/holder.ts'
import { log } from '../system/log.ts'
import { pathsIn, stateFolder, sweepUp } from '../system/places.ts'
import { jsonOf, sha256 } from '../system/text.ts'
import { version } from '../version.ts'

const recordShape = z.object({
  pid: z.int().positive(),
  url: z.string(),
  instance: z.string(),
  version: z.string(),
  since: z.string(),
  database: z.string(),
})
export type ServerRecord = z.infer<typeof recordShape>

const ending = '.pid'

/** One a database, however it is spelled. */
export const serverFolder = (config: Config, database: Database): string =>
  join(stateFolder(config), 'servers', sha256(placeOf(database)).slice(0, 16))

export const serverLog = (config: Config, database: Database): string =>
  join(serverFolder(config, database), 'server.log')

function placeOf({ path, name }: Database): string {
  if (path === undefined) return name
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

/** The PID files that servers have left which run no more, of whatever database. */
export const leftRecords = (config: Config): string[] =>
  unheldFiles(join(stateFolder(config), 'servers'), ending)

/** What is left alone for so long holds nothing but an old log. */
const leftMs = 30 * 24 * 3600_000

/** The folders of databases that nobody has served for a month: most are gone, and the others get a new one. */
export const leftFolders = (config: Config): string[] =>
  pathsIn(join(stateFolder(config), 'servers'), /^[\da-f]{16}$/).filter(isLeft)

function isLeft(folder: string): boolean {
  try {
    const files = pathsIn(folder)
    const times = [folder, ...files].map((path) => statSync(path).mtimeMs)
    const isOld = systemClock.now() - Math.max(...times) > leftMs
    return isOld && files.every((file) => wordsIfHeld(file) === undefined)
  } catch {
    return false // gone meanwhile, or not ours to read
  }
}

/** Unless it is used again. */
export function removeLeftFolder(folder: string): void {
  if (isLeft(folder)) rmSync(folder, { recursive: true, force: true })
}

/** While it is kept, others know that this server runs: the file is locked, and the lock goes with the process. */
export async function keepRecord(
  config: Config,
  database: Database,
  { url, instance }: { url: string; instance: string },
): Promise<{ end(): void } | undefined> {
  sweepUp(() => leftFolders(config).forEach(removeLeftFolder))
  const since = rfc3339(systemClock.now())
  const record = { pid: process.pid, url, instance, version, since, database: database.name }
  const file = join(
    serverFolder(config, database),
    `${process.pid}-${instance.slice(0, 8)}${ending}`,
  )
  try {
    return await holdWords(file, `${process.pid}\n${JSON.stringify(record)}\n`)
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    log(`${file} could not be written, so agentmail ps may not know of this server: ${why}`)
    return undefined
  }
}

/** Those that run; what others have left is removed, unless this is only a look. */
export function recordsIn(folder: string, options: { isLook?: boolean } = {}): ServerRecord[] {
  return [...heldWords(folder, ending, options).values()].flatMap((words) => {
    const { success, data } = recordShape.safeParse(jsonOf(words.slice(words.indexOf('\n') + 1)))
    return success ? [data] : []
  })
}
