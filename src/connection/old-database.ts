/** A database that an older version left in the repository: where it is, and the lines that bring what it holds into the database of today. */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { projectNameOf } from '../coordination/projects/origin.ts'
import { nameAt } from '../coordination/projects/projects.ts'
import { databaseOf, fileDatabase, makeDataFolder } from '../store/database.ts'
import { text } from '../store/store.ts'
import { makeFolder, moveIfFree, removeFile, replaceFile } from '../system/files.ts'
import { trackedFrom } from '../system/git.ts'
import { postOfficeFolder } from '../system/post-office-folder.ts'
import { randomId } from '../system/random.ts'
import { sha256, shellWord } from '../system/text.ts'
import { hereOf } from './here.ts'

export interface OldDatabase {
  path: string
  /** Each brings one project over. */
  lines: string[]
}

/** Nothing where there is none, where it is the one that is used, or where it came with the repository. */
export async function findOldDatabase(
  config: Config,
  project?: string,
): Promise<OldDatabase | undefined> {
  const folder = await postOfficeFolder(config).catch(() => undefined)
  const path = folder && join(folder, 'agentmail.db')
  if (!path || !existsSync(path) || isUsed(config, path) || trackedFrom(folder)) return undefined
  const own = project ?? (await foreseenName(config))
  const keys = await projectsIn(path)
  const line = (...options: string[]) =>
    ['agentmail db copy', '--from', path, ...options].map(inLine).join(' ')
  const lines = keys.map((key) =>
    key === ''
      ? line('--project', own)
      : line('--from-project', key, '--project', keys.includes('') ? key : own),
  )
  return lines.length > 0 ? { path, lines } : undefined
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

/** Of one that cannot be read, what each of them has. */
async function projectsIn(path: string): Promise<string[]> {
  try {
    const view = await fileDatabase(path).view()
    try {
      const rows = (await view?.all('SELECT project FROM projects ORDER BY project')) ?? []
      return rows.map((row) => text(row.project))
    } finally {
      await view?.close()
    }
  } catch {
    return ['']
  }
}

/** The name that the project of this repository has or will get; nothing is changed. */
async function foreseenName(config: Config): Promise<string> {
  const here = await hereOf(config)
  if ('project' in here) return here.project
  const view = await databaseOf(config, { create: false }).view()
  try {
    return view ? await nameAt(view, here) : projectNameOf(here)
  } finally {
    await view?.close()
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
