/** Puts the guard into a repository's pre-commit hook, beside the one that was there, and takes it out again. */
import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { AgentMailError } from '../../errors.ts'
import {
  makeFolder,
  moveFile,
  nameFileAlso,
  removeFile,
  replaceFile,
  textOfFile,
} from '../../system/files.ts'
import { randomId } from '../../system/random.ts'
import { ownCommand } from '../../system/run-program.ts'
import { beforeEnding, hookScript, ownerOf } from './hook-script.ts'
import { type HooksFolder, hooksFolders } from './hooks-folder.ts'

export interface InstalledHook {
  hook: string
  /** The one that was there before, which is run first. */
  former: string | null
  /** Whether anything had to be written. */
  changed: boolean
  note: string | null
}

export async function installHook(cwd: string): Promise<InstalledHook> {
  const [{ path: folder, note = null }] = await hooksFolders(cwd)
  const hook = join(folder, 'pre-commit')
  return withHookErrors(hook, () => ({ ...put(hook, folder), note }))
}

function put(hook: string, folder: string): Omit<InstalledHook, 'note'> {
  const before = hook + beforeEnding
  const found = lookAt(hook)
  if (found === 'changed') throw changed(hook)
  if (found === 'other') keepFormer(hook, before)
  const former = lookAt(before) === undefined ? null : before
  const script = hookScript(former === null ? undefined : beginningOf(before), ownCommand())
  if (found === 'ours' && beginningOf(hook) === script) return { hook, former, changed: false }
  makeFolder(folder)
  const temporary = `.pre-commit.${randomId(8)}`
  replaceFile(hook, [Buffer.from(script)], { mode: 0o755, temporary })
  return { hook, former, changed: true }
}

/** Under a second name, so that there is a hook at every moment. */
function keepFormer(hook: string, before: string): void {
  // Whoever made the former may have made it again, over ours.
  if (isSame(hook, before)) removeFile(before)
  if (nameFileAlso(hook, before)) return
  throw new AgentMailError(
    'conflict',
    `${hook} is not the guard's, and ${before} is there already`,
    'Look at both, and remove the one that is not wanted, or put them into one. Then try again.',
  )
}

export interface GuardStatus {
  hook: string
  /** `old`: ours, and not as it would be written now. `changed`: with lines of somebody else. */
  state: 'none' | 'current' | 'old' | 'changed'
  /** Whether git would run what is there. */
  isRun: boolean
  /** Of a folder that others have a say in. */
  note: string | null
}

/** How a repository is guarded. Nothing is changed. */
export async function guardStatus(cwd: string): Promise<GuardStatus> {
  const [{ path, note = null }] = await hooksFolders(cwd)
  const hook = join(path, 'pre-commit')
  const found = lookAt(hook)
  const isRun = ((lstatSync(hook, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0
  if (found === 'changed') return { hook, state: found, isRun, note }
  if (found !== 'ours') return { hook, state: 'none', isRun, note }
  const before = hook + beforeEnding
  const former = lookAt(before) === undefined ? undefined : beginningOf(before)
  const isCurrent = beginningOf(hook) === hookScript(former, ownCommand())
  return { hook, state: isCurrent ? 'current' : 'old', isRun, note }
}

export interface RemovedHook {
  hook: string
  /** Whether the hook that was there before is in its place again. */
  restored: boolean
}

/** From wherever git looks for hooks, and from where it did before `core.hooksPath` was set. */
export async function uninstallHook(cwd: string): Promise<RemovedHook[]> {
  const folders = await hooksFolders(cwd)
  return folders.flatMap(({ path }: HooksFolder) => {
    const hook = join(path, 'pre-commit')
    return withHookErrors(hook, () => takeOut(hook))
  })
}

function takeOut(hook: string): RemovedHook[] {
  const before = hook + beforeEnding
  const found = lookAt(hook)
  if (found === 'changed') throw changed(hook)
  if (found !== 'ours') return []
  const restored = lookAt(before) !== undefined
  if (restored) moveFile(before, hook)
  else removeFile(hook)
  return [{ hook, restored }]
}

/** Nothing where there is none. What a link leads to is never ours. */
function lookAt(path: string): ReturnType<typeof ownerOf> | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  return found.isFile() ? ownerOf(textOfFile(path)) : 'other'
}

/** Of a link, that of what it leads to. What is not ours to read is called as it is. */
function beginningOf(path: string): string {
  try {
    return textOfFile(realpathSync(path))
  } catch {
    return ''
  }
}

/** Whether two files are alike that are small enough to tell. */
function isSame(one: string, other: string): boolean {
  const isSmall = (path: string) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isFile() === true && found.size <= 4096
  }
  return isSmall(one) && isSmall(other) && textOfFile(one) === textOfFile(other)
}

const changed = (hook: string) =>
  new AgentMailError(
    'conflict',
    `${hook} was changed since agentmail guard wrote it`,
    'Take your lines out of it, into a hook of your own, or remove the file. Then try again.',
  )

function withHookErrors<T>(hook: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (AgentMailError.is(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown reason'
    const next = 'Check the folder and its permissions.'
    throw new AgentMailError('storage', `${hook} could not be changed (${code})`, next, { cause })
  }
}
