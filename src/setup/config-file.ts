/** A configuration file of a person: read whole, and replaced in one step unless somebody has changed it meanwhile. A link to it stays. */
import {
  accessSync,
  type BigIntStats,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  readSync,
  realpathSync,
  rmdirSync,
} from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'
import {
  makeFolder,
  readRegularFile,
  removeFile,
  replaceFile,
  syncFolder,
} from '../system/files.ts'
import { randomId } from '../system/random.ts'
import { targetOf } from '../system/secret-file.ts'

const maxBytes = 64 << 20

export interface ConfigFile {
  /** As the client knows it. */
  path: string
  /** Where it is, behind all links. */
  target: string
  /** Nothing where there is no file. */
  bytes: Buffer | undefined
}

/** @param root what a repository's own links may not lead out of. */
export function readConfigFile(path: string, root?: string): ConfigFile {
  try {
    const target = resolve(targetOf(path))
    if (root !== undefined) checkInside(target, root)
    return { path, target, bytes: bytesAt(target) }
  } catch (error) {
    throw inWords(error, 'read')
  }
}

/** @throws where these bytes are no text: what is not understood is not changed. */
export function configText({ bytes }: ConfigFile): string {
  const text = bytes?.toString('utf8') ?? ''
  if (bytes === undefined || Buffer.from(text).equals(bytes)) return text
  throw new AgentMailError('parse_error', 'it is no text in UTF-8', 'Save it in UTF-8.')
}

/** @param mode of a new one; what is there keeps its own. */
export function writeConfigFile(file: ConfigFile, bytes: Buffer, mode: number): void {
  const { target } = file
  try {
    checkWritable(file)
    makeFolder(dirname(target), mode === 0o600 ? 0o700 : 0o777)
    const isWritten = replaceFile(
      target,
      [bytes],
      {
        temporary: `.${basename(target)}.${randomId(8)}`,
        mode,
        prepare: (fd) => likeBefore(fd, target),
      },
      () => isUnchanged(file),
    )
    if (!isWritten) throw changedMeanwhile()
  } catch (error) {
    throw inWords(error, 'written')
  }
}

export function removeConfigFile(file: ConfigFile): void {
  try {
    checkWritable(file)
    if (!isUnchanged(file)) throw changedMeanwhile()
    removeFile(file.target)
    syncFolder(file.target)
  } catch (error) {
    throw inWords(error, 'removed')
  }
}

/** Those that were made for files which are gone, where nothing is in them. */
export function removeFolders(folders: string[]): void {
  for (const folder of folders.toSorted((one, other) => other.length - one.length)) {
    try {
      rmdirSync(folder)
    } catch {} // somebody has put something into it, or has removed it
  }
}

/** Which folders would have to be made, the innermost first. */
export function missingFolders(target: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(target); !existsSync(folder); folder = dirname(folder)) {
    folders.push(folder)
  }
  return folders
}

function checkWritable({ target, bytes }: ConfigFile): void {
  if (bytes === undefined) return
  accessSync(dirname(target), constants.W_OK)
  accessSync(target, constants.W_OK)
  const isMeantForNobody = statOf(target)?.mode ?? 0o200n
  if ((isMeantForNobody & 0o222n) === 0n) throw Object.assign(new Error(), { code: 'EACCES' })
}

const statOf = (target: string): BigIntStats | undefined =>
  readRegularFile<BigIntStats | undefined>(
    target,
    (fd) => fstatSync(fd, { bigint: true }),
    undefined,
  )

/** Mode and owner stay, also where an administrator sets somebody up. */
function likeBefore(fd: number, target: string): void {
  const before = statOf(target)
  if (!before) return
  const own = fstatSync(fd)
  const [uid, gid] = [Number(before.uid), Number(before.gid)]
  if (own.uid !== uid || own.gid !== gid) {
    try {
      fchownSync(fd, uid, gid)
    } catch (error) {
      if (!hasCode(error, 'EPERM')) throw error
    }
  }
  fchmodSync(fd, Number(before.mode & 0o7777n))
}

function isUnchanged({ path, target, bytes }: ConfigFile): boolean {
  if (resolve(targetOf(path)) !== target) return false
  const now = bytesAt(target)
  return now === undefined || bytes === undefined ? now === bytes : now.equals(bytes)
}

/** Nothing where there is no file. */
export function bytesAt(target: string): Buffer | undefined {
  return readRegularFile<Buffer | undefined>(
    target,
    (fd) => {
      const { size } = fstatSync(fd)
      if (size > maxBytes) throw Object.assign(new Error('too large'), { code: 'EFBIG' })
      const bytes = Buffer.alloc(size)
      let done = 0
      for (let more = -1; more !== 0 && done < size; done += more) {
        more = readSync(fd, bytes, done, size - done, done)
      }
      return bytes.subarray(0, done)
    },
    undefined,
  )
}

/** A repository is written by others: nothing in it decides what is changed elsewhere. */
function checkInside(target: string, root: string): void {
  let there = target
  while (!existsSync(there)) there = dirname(there)
  const inside = relative(realpathSync(root), realpathSync(there)).split(sep)
  if (inside[0] !== '..' && inside[0] !== '.git') return
  throw new AgentMailError(
    'permission_denied',
    'a link leads out of the repository',
    'Put a file in its place, or use --scope user.',
  )
}

const changedMeanwhile = () =>
  new AgentMailError('conflict', 'it was changed meanwhile, and is as it was', 'Run this again.')

function inWords(error: unknown, done: 'read' | 'written' | 'removed'): unknown {
  if (AgentMailError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const why: Record<string, string> = {
    EACCES: 'it is read-only, or not yours',
    EPERM: 'the system does not allow it',
    EROFS: 'its disk is read-only',
    ENXIO: 'it is no regular file',
    EISDIR: 'it is a folder',
    ELOOP: 'its links lead in a circle',
    ENOTDIR: 'a file stands where its folder should be',
    EFBIG: 'it is too large',
    ENOSPC: 'the disk is full',
  }
  return new AgentMailError(
    'unwritable',
    `it cannot be ${done}: ${why[code] ?? code}`,
    'Nothing in it was changed.',
    { cause: error },
  )
}
