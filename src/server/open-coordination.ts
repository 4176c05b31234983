/** Opens the coordination of a repository on its database, as the settings say. */
import { closeSync, existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { Coordination } from '../coordination/coordination.ts'
import { Roots } from '../coordination/roots.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { worktrees } from '../mailbox/git.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import { openRegularFile } from '../mailbox/regular-file.ts'
import { again } from '../store/again.ts'
import { openSqlite } from '../store/sqlite.ts'
import { type Store, StoreError } from '../store/store.ts'

/** The file of the database that the settings name, or the one in the post office. */
export async function databaseFile(config: Config): Promise<string> {
  const named = config.text('db')
  if (named !== undefined) return namedFile(named)
  const office = await PostOffice.locate(config)
  office.create()
  return join(office.dir, 'agentmail.db')
}

function namedFile(named: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(named)?.[1]
  if (scheme) {
    throw new AgentMailError(
      'server_config',
      `this version knows no ${scheme}:// databases`,
      'Give the path of a file as AGENTMAIL_DB or --db.',
    )
  }
  const path = resolve(named)
  if (!existsSync(dirname(path))) throw unreadable(path, 'its folder does not exist')
  return existsSync(path) ? realpathSync(path) : path
}

export async function openCoordination(config: Config, path: string): Promise<Coordination> {
  const staleMs = config.seconds('staleSeconds') * 1000
  let store: Store | undefined
  try {
    checkNoLinks(path)
    closeSync(openRegularFile(path, { create: true })) // so that only its owner may read it
    const opened = await openSqlite(path)
    store = opened
    const roots = new Roots(() => projectRoots(path), withoutLinks)
    const coordination = await Coordination.open({ store: opened, staleMs, roots })
    await again(() => opened.transaction(async () => {})) // so that a locked database is told now
    return coordination
  } catch (error) {
    await store?.close()
    if (AgentMailError.is(error) && error.code !== 'storage') throw error
    throw explained(error, path)
  }
}

/** A repository can bring links along, and what is written must not follow them out. */
function checkNoLinks(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw unreadable(file, 'it is a link')
    }
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

function explained(error: unknown, path: string): AgentMailError {
  if (error instanceof StoreError && error.trouble === 'again') {
    return new AgentMailError(
      'database_locked',
      `the database is locked by another process: ${path}`,
      'Wait for that process or end it, then start again; or name another database with --db.',
      { cause: error },
    )
  }
  if (error instanceof StoreError && error.trouble === 'failed') {
    return unreadable(path, `it does not look like one of AgentMail: ${error.message}`)
  }
  if (error instanceof StoreError) return unreadable(path, error.message)
  if (AgentMailError.is(error)) return unreadable(path, 'it is no plain file')
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return unreadable(path, 'it may not be written')
  return unreadable(path, error instanceof Error ? error.message : String(error))
}

const unreadable = (path: string, why: string) =>
  new AgentMailError(
    'database_unreadable',
    `the database could not be opened: ${path} (${why})`,
    'Check the file and its permissions, or name another database with --db.',
  )
