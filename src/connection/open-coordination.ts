/** Opens the coordination of all projects on a database, as the settings say. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { AddressBook } from '../addresses/address-book.ts'
import type { Config } from '../config.ts'
import { Coordination } from '../coordination/coordination.ts'
import { Roots } from '../coordination/paths.ts'
import { AgentMailError } from '../errors.ts'
import { again } from '../store/again.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import { worktrees } from '../system/git.ts'
import { addressBookOf } from './address-book-of.ts'
import { type Here, keyAt, machineOf } from './here.ts'

/** The project of whoever opened it. */
export interface OwnProject {
  key: string
  name: string
}

/** With the project of this process. */
export async function openProject(
  config: Config,
  database: Database,
  here: Here,
  options: { create?: boolean } = {},
): Promise<{ coordination: Coordination; own: OwnProject; book: AddressBook }> {
  let ownKey: string | undefined
  const isOwn = (project: string) => project === ownKey
  const coordination = await openCoordination(config, database, { ...options, isOwn })
  try {
    ownKey = await keyAt(coordination.projects, here)
    const name = await coordination.projects.nameOf(ownKey)
    const book = addressBookOf(config, coordination, isOwn)
    return { coordination, own: { key: ownKey, name }, book }
  } catch (error) {
    await coordination.close()
    throw error
  }
}

/** @param options.isOwn whether a project is that of the current folder, which may be in no repository. */
export async function openCoordination(
  config: Config,
  database: Database,
  options: { create?: boolean; isOwn?: (project: string) => boolean } = {},
): Promise<Coordination> {
  const staleMs = config.seconds('staleSeconds') * 1000
  const { isOwn = () => false } = options
  let store: Store | undefined
  try {
    const opened = await database.open(options)
    store = opened
    const coordination = await Coordination.open({
      store: opened,
      staleMs,
      machine: machineOf(config),
      rootsOf: (project, known) =>
        new Roots(async () => foldersOf(await known(), isOwn(project)), withoutLinks),
    })
    await again(() => opened.transaction(async () => {})) // so that a locked database is told now
    return coordination
  } catch (error) {
    await store?.close()
    if (AgentMailError.is(error) && error.code !== 'storage') throw error
    throw database.explained(error)
  }
}

/** Where an absolute path belongs to the project: in any worktree of its repositories, by either name of a folder. */
async function foldersOf(roots: string[], isHere: boolean): Promise<string[]> {
  const folders: string[] = []
  for (const root of isHere ? [process.cwd(), ...roots] : roots) {
    if (!existsSync(root)) continue
    const checkedOut = await worktrees(root)
    folders.push(...(checkedOut.length > 0 ? checkedOut : [root]))
  }
  const both = folders.flatMap((one) => [one, existsSync(one) ? realpathSync(one) : one])
  return [...new Set(both)]
}

/** Resolves the part of a path that exists; nothing is opened. */
function withoutLinks(spelling: string): string {
  const path = spelling.replaceAll('\\', '/')
  if (!/^\/[^/]/.test(path)) return path // a drive or another machine
  for (let existing = resolve(path); ; existing = dirname(existing)) {
    try {
      return join(realpathSync(existing), relative(existing, resolve(path)))
    } catch {
      if (existing === dirname(existing)) return path
    }
  }
}
