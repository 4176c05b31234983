/** A database that an older version left in the repository: where it is, and the lines that bring what it holds into the database of today. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { isCopied } from '../../coordination/upkeep/copy-project.ts'
import { databaseOf, fileDatabase } from '../../store/database.ts'
import { identityOf } from '../../store/identity.ts'
import { StoreError, text } from '../../store/store.ts'
import { makeDataFolder } from '../../store/usual-database.ts'
import { makeFolder, moveIfFree, removeFile, replaceFile } from '../../system/files.ts'
import { trackedFrom } from '../../system/git.ts'
import { randomId } from '../../system/random.ts'
import { sha256, shellWord } from '../../system/text.ts'
import { foreseenName, hereOf } from '../here.ts'
import { oldDatabasePath } from './old-database-path.ts'

export interface OldDatabase {
  path: string
  /** Each brings one project over. */
  lines: string[]
}

/** Nothing where there is none, where it is the one that is used, came with the repository, or was brought over. */
export async function findOldDatabase(
  config: Config,
  project?: string,
): Promise<OldDatabase | undefined> {
  const path = await oldDatabasePath(config)
  if (!path || isUsed(config, path) || trackedFrom(dirname(path))) return undefined
  const keys = await projectsIn(path)
  const left = await notCopied(config, path, keys)
  if (left.length === 0) return undefined
  const own = project ?? (await foreseenName(config, await hereOf(config)))
  const line = (...options: string[]) =>
    ['agentmail db copy', '--from', path, ...options].map(inLine).join(' ')
  const lines = left.map((key) =>
    key === ''
      ? line('--project', own)
      : line('--from-project', key, '--project', keys.includes('') ? key : own),
  )
  return { path, lines }
}

const inLine = (word: string, index: number): string => (index === 0 ? word : shellWord(word))

/** The same, but only the first time that anybody asks about it. */
export async function findOldDatabaseOnce(
  config: Config,
  project?: string,
): Promise<OldDatabase | undefined> {
  try {
    const found = await findOldDatabase(config, project)
    return found && isFirst(config, found.path) ? found : undefined
  } catch {
    return undefined // what was asked for matters more
  }
}

/** In words, for whoever uses it no more. */
export const wordsOf = ({ path, lines }: OldDatabase): string =>
  [
    `What agents of this repository stored before is in ${path}, which is no longer used. Bring it over:`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n')

function isUsed(config: Config, path: string): boolean {
  const { path: used } = databaseOf(config, { create: false })
  return used !== undefined && existsSync(used) && realpathSync(used) === realpathSync(path)
}

/** None where it is no database of ours; of one that somebody keeps locked, what each of them has. */
async function projectsIn(path: string): Promise<string[]> {
  try {
    const view = await fileDatabase(path).view()
    try {
      if (!view || !(await identityOf(view))) return []
      const rows = await view.all('SELECT project FROM projects ORDER BY project')
      return rows.map((row) => text(row.project))
    } finally {
      await view?.close()
    }
  } catch (error) {
    return StoreError.is(error) && error.trouble === 'again' ? [''] : []
  }
}

/** Those that the database of today does not know as brought over; what cannot be asked is told rather than kept. */
async function notCopied(config: Config, path: string, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const [old, own] = [fileDatabase(path), databaseOf(config, { create: false })]
  const source = await old.view().catch(() => undefined)
  const target = await own.view().catch(() => undefined)
  try {
    if (!source || !target) return keys
    const left: string[] = []
    for (const key of keys) if (!(await isCopied(source, key, target))) left.push(key)
    return left
  } catch {
    return keys
  } finally {
    await source?.close()
    await target?.close()
  }
}

/** The mark of it is not left in the repository. */
function isFirst(config: Config, path: string): boolean {
  const folder = join(makeDataFolder(config), 'told')
  makeFolder(folder, 0o700)
  const mark = join(folder, sha256(path))
  if (existsSync(mark)) return false
  const temporary = `${mark}.${randomId(8)}`
  replaceFile(temporary, [Buffer.from(`${path}\n`)])
  const isFirst = moveIfFree(temporary, mark)
  if (!isFirst) removeFile(temporary)
  return isFirst
}
