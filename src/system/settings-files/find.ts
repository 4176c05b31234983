/** The files that settings may stand in: the user's own, and the repository's, which anybody may have written. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Config, SettingsFile } from '../../config.ts'
import { hasCode } from '../../errors.ts'
import { isNotRegular, notRegular, openRegularFile } from '../files.ts'
import { configFolder } from '../places.ts'
import { worktreeAbove } from '../repository.ts'

const { O_RDONLY, O_NONBLOCK = 0 } = constants

const maxBytes = 1 << 16

export interface FoundFile {
  source: SettingsFile['source']
  path: string
  text: string
  /** Nobody but its owner can read it. */
  isPrivate: boolean
  /** Why it could not be read. */
  trouble?: string
}

export const userFile = (config: Config): string => join(configFolder(config), 'config.toml')

/** At the root of the worktree that one stands in; nothing outside of one. */
export function repositoryFile(cwd: string): string | undefined {
  const root = worktreeAbove(cwd)
  return root === undefined ? undefined : join(root, '.agentmail.toml')
}

/** Those that are there, the one that wins first: two files are opened at most, and nothing is started. */
export function findSettingsFiles(config: Config, cwd: string | undefined): FoundFile[] {
  const repository = cwd === undefined ? undefined : repositoryFile(cwd)
  const user = ifHome(() => userFile(config))
  return [
    repository === undefined ? undefined : readIfThere('repository', repository),
    user === undefined ? undefined : readIfThere('user', user),
  ].filter((file) => file !== undefined)
}

/** Whoever has no home, as in some containers, has no file there. */
function ifHome(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Nothing where there is none. */
export function readIfThere(source: FoundFile['source'], path: string): FoundFile | undefined {
  const found = { source, path, text: '', isPrivate: false }
  try {
    // Most have none, and to make the error of a file that is not there takes longer than to look.
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
    const fd = source === 'user' ? openLinked(path) : openRegularFile(path, { readOnly: true })
    if (fd === undefined) return undefined
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) throw notRegular(path)
      if (source === 'repository' && isOthers(stat)) return { ...found, trouble: 'it is not yours' }
      return { ...found, ...textOf(fd), isPrivate: isPrivate(stat) }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown reason'
    const trouble = isNotRegular(error) ? 'it is no regular file' : `it cannot be read (${code})`
    return { ...found, trouble }
  }
}

/** People keep such files elsewhere and put a link in their place. Nothing waits for the other end of a pipe. */
const openLinked = (path: string): number => openSync(path, O_RDONLY | O_NONBLOCK)

/** As git obeys nobody's repository but one's own. */
const isOthers = ({ uid }: Stats): boolean =>
  process.geteuid !== undefined && uid !== process.geteuid()

const isPrivate = ({ mode }: Stats): boolean => process.platform === 'win32' || (mode & 0o077) === 0

function textOf(fd: number): { text: string; trouble?: string } {
  const bytes = Buffer.allocUnsafe(maxBytes + 1)
  let size = 0
  for (let count = -1; count !== 0 && size < bytes.length; size += count) {
    count = readSync(fd, bytes, size, bytes.length - size, null)
  }
  if (size > maxBytes) return { text: '', trouble: 'it is larger than 64 KB' }
  const text = bytes.toString('utf8', 0, size)
  const isText = Buffer.from(text).equals(bytes.subarray(0, size))
  return isText ? { text } : { text: '', trouble: 'it is not UTF-8' }
}
