/** Opens the coordination of a repository on its database, as the settings say. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { Coordination } from '../coordination/coordination.ts'
import { Roots } from '../coordination/paths.ts'
import { AgentMailError } from '../errors.ts'
import { again } from '../store/again.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import { worktrees } from '../system/git.ts'

export async function openCoordination(
  config: Config,
  database: Database,
  options: { create?: boolean } = {},
): Promise<Coordination> {
  const staleMs = config.seconds('staleSeconds') * 1000
  let store: Store | undefined
  try {
    const opened = await database.open(options)
    store = opened
    const roots = new Roots(() => projectRoots(database.name), withoutLinks)
    const coordination = await Coordination.open({ store: opened, staleMs, roots })
    await again(() => opened.transaction(async () => {})) // so that a locked database is told now
    return coordination
  } catch (error) {
    await store?.close()
    if (AgentMailError.is(error) && error.code !== 'storage') throw error
    throw database.explained(error)
  }
}

/** Where an absolute path belongs to the project: in any worktree of the repository, by either name of its folder. */
async function projectRoots(database: string): Promise<string[]> {
  const cwd = process.cwd()
  const checkedOut = await worktrees(cwd)
  const roots = checkedOut.length > 0 ? checkedOut : [cwd]
  if (basename(dirname(database)) === '.agentmail') roots.push(dirname(dirname(database)))
  return [...new Set(roots.flatMap((root) => [root, existsSync(root) ? realpathSync(root) : root]))]
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
