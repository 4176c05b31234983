/** Opens the coordination of all projects on a database, as the settings say. */
import { existsSync, realpathSync } from 'node:fs'
import type { AddressBook } from '../addresses/address-book.ts'
import type { Config } from '../config.ts'
import { Coordination } from '../coordination/coordination.ts'
import { Roots } from '../coordination/paths.ts'
import { unknownAs } from '../coordination/projects/project-errors.ts'
import { AgentMailError } from '../errors.ts'
import { again } from '../store/again.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../system/clock.ts'
import { withoutLinks } from '../system/folder.ts'
import { worktrees } from '../system/git.ts'
import { addressBookOf } from './address-book-of.ts'
import { type Here, keyAt, machineOf } from './here.ts'

/** The project of whoever opened it. */
export interface OwnProject {
  key: string
  name: string
  /** That nobody has used the one that was named, in words. */
  unknown?: string | undefined
}

/** With the project of this process. */
export async function openProject(
  config: Config,
  database: Database,
  here: Here,
  options: { create?: boolean; clock?: Clock } = {},
): Promise<{ coordination: Coordination; own: OwnProject; book: AddressBook }> {
  let ownKey: string | undefined
  const isOwn = (project: string) => project === ownKey
  const coordination = await openCoordination(config, database, { ...options, isOwn })
  try {
    ownKey = await keyAt(coordination.projects, here)
    const name = await coordination.projects.nameOf(ownKey)
    const book = addressBookOf(config, coordination, isOwn)
    const unknown =
      'project' in here ? await unknownAs(coordination.projects, here.project) : undefined
    return { coordination, own: { key: ownKey, name, unknown }, book }
  } catch (error) {
    await coordination.close()
    throw error
  }
}

/**
 * @param options.isOwn whether a project is that of the current folder, which may be in no repository.
 * @param options.clock another than the database's.
 */
export async function openCoordination(
  config: Config,
  database: Database,
  options: { create?: boolean; isOwn?: (project: string) => boolean; clock?: Clock } = {},
): Promise<Coordination> {
  // The agents of all repositories are swept by it.
  const staleMs = config.withoutRepository().seconds('staleSeconds') * 1000
  const { isOwn = () => false, clock } = options
  const here = folderHere() // once: it may be removed under a process that stays
  let store: Store | undefined
  try {
    const opened = await database.open(options)
    store = opened
    const coordination = await Coordination.open({
      store: opened,
      staleMs,
      machine: machineOf(config),
      ...(clock && { clock }),
      rootsOf: (project, known) =>
        new Roots(
          async () => foldersOf([...(isOwn(project) ? here : []), ...(await known())]),
          withoutLinks,
        ),
    })
    await again(() => opened.transaction(async () => {})) // so that a locked database is told now
    return coordination
  } catch (error) {
    await store?.close()
    if (AgentMailError.is(error) && error.code !== 'storage') throw error
    throw database.explained(error)
  }
}

function folderHere(): string[] {
  try {
    return [process.cwd()]
  } catch {
    return [] // it is gone
  }
}

/** Where an absolute path belongs to the project: in any worktree of its repositories, by either name of a folder. */
async function foldersOf(roots: string[]): Promise<string[]> {
  const folders: string[] = []
  for (const root of roots) {
    if (!existsSync(root)) continue
    const checkedOut = await worktrees(root)
    folders.push(...(checkedOut.length > 0 ? checkedOut : [root]))
  }
  const both = folders.flatMap((one) => [one, existsSync(one) ? realpathSync(one) : one])
  return [...new Set(both)]
}
