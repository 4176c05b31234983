/** The folder of local mail on the disk: made where it is missing, and never left through a link. */
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import { AgentMailError, hasCode } from '../../errors.ts'
import { makeFolder } from '../../system/files.ts'
import { Folder } from '../../system/folder.ts'
import { wholeLines } from '../raw-mail.ts'

export type BoxName = 'inbox' | 'sent'
export const boxNames: readonly BoxName[] = ['inbox', 'sent']

/**
 * Makes what is missing; gives the real path.
 *
 * @param begin is run before the boxes are there, where nobody has used the folder yet.
 */
export function makeMailFolder(dir: string, begin: (root: string) => void): string {
  try {
    makeFolder(dir, 0o700)
    const root = realpathSync(dir)
    if (!existsSync(join(root, 'sent'))) begin(root)
    for (const box of boxNames) openBox(root, box).close()
    return root
  } catch (error) {
    throw folderError(error)
  }
}

/** Somebody may have tidied up since, so each use makes what is missing. */
export function openBox(root: string, box: BoxName): Folder {
  return openFolder(root, (folder) => {
    makeFolder(join(root, box), 0o700)
    const entered = folder.enter(box)
    if (entered) return entered
    throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
  })
}

/** Runs `use` on the folder itself. */
export function openFolder<T>(root: string, use: (folder: Folder) => T): T {
  try {
    makeFolder(root, 0o700)
    const folder = Folder.root(root)
    try {
      return use(folder)
    } finally {
      folder.close()
    }
  } catch (error) {
    throw folderError(error)
  }
}

/** What cannot be opened like a file is no mail. */
const notMail = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM', 'EIO']

export interface OpenMail {
  stat: BigIntStats
  /** The first bytes of it, at most so many; what is cut is cut after a line, where there is one. */
  start(limit: number): Buffer
}

/** Runs `use` on a regular file; the answer is nothing where there is none that can be read. */
export function withMail<T>(
  folder: Folder,
  name: string,
  use: (mail: OpenMail) => T,
): T | undefined {
  if (!folder.stat(name)?.isFile()) return undefined // to open a device may be to use it
  let fd: number
  try {
    fd = folder.open(name, constants.O_RDONLY)
  } catch (error) {
    if (AgentMailError.is(error) || hasCode(error, ...notMail)) return undefined
    throw error
  }
  try {
    const stat = fstatSync(fd, { bigint: true })
    if (!stat.isFile()) return undefined
    const size = Number(stat.size)
    return use({
      stat,
      start: (limit) => (size <= limit ? readStart(fd, size) : wholeLines(readStart(fd, limit))),
    })
  } finally {
    closeSync(fd)
  }
}

/** It may have become shorter meanwhile. */
function readStart(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let done = 0
  while (done < size) {
    const count = readSync(fd, bytes, done, Math.min(size - done, 1 << 20), done)
    if (count === 0) break
    done += count
  }
  return bytes.subarray(0, done)
}

/** ENOENT is what a place such as /proc answers that takes no folders. */
const unusable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENAMETOOLONG', 'EIO', 'ENOENT']

function folderError(error: unknown): unknown {
  if (AgentMailError.is(error) && error.code !== 'permission_denied') return error
  if (AgentMailError.is(error) || hasCode(error, 'ENOTDIR', 'EEXIST', 'ELOOP', 'EISDIR')) {
    const words = 'the place of local mail is not a folder, or inbox/ or sent/ in it is not'
    const next =
      'Put folders there instead of links and files, or name another folder in AGENTMAIL_MAIL_DIR.'
    return new AgentMailError('bad_config', words, next, { cause: error })
  }
  if (!hasCode(error, ...unusable)) return error
  const next =
    'See that AGENTMAIL_MAIL_DIR names a folder that you may write to, on a disk with room.'
  return new AgentMailError('storage', 'the folder of local mail cannot be used', next, {
    cause: error,
  })
}
