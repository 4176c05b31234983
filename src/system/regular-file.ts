/** Opens and replaces the files of a post office: never through a link, never waiting on a pipe, never half. */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'

export interface OpenOptions {
  /** Create the file if there is none; without it, a missing file is `undefined`. */
  create?: boolean
  /** Every write goes to the end of the file. */
  append?: boolean
  readOnly?: boolean
}

export function openRegularFile(path: string, options: OpenOptions & { create: true }): number
export function openRegularFile(path: string, options?: OpenOptions): number | undefined
export function openRegularFile(path: string, options: OpenOptions = {}): number | undefined {
  const flags =
    (options.readOnly ? constants.O_RDONLY : constants.O_RDWR) |
    (constants.O_NOFOLLOW ?? 0) |
    (constants.O_NONBLOCK ?? 0) |
    (options.create ? constants.O_CREAT : 0) |
    (options.append ? constants.O_APPEND : 0)
  let fd: number
  try {
    fd = openSync(path, flags, 0o600)
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !options.create) return undefined
    throw hasCode(error, 'ELOOP', 'EISDIR', 'ENXIO') ? notAFile(path) : error
  }
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notAFile(path)
}

/** Runs `work` on an open file, which is closed afterwards; `missing` is the answer where there is none. */
export function readRegularFile<T>(path: string, work: (fd: number) => T, missing: T): T {
  const fd = openRegularFile(path, { readOnly: true })
  if (fd === undefined) return missing
  try {
    return work(fd)
  } finally {
    closeSync(fd)
  }
}

export const textOfFile = (path: string): string =>
  readRegularFile(path, (fd) => readFileSync(fd, 'utf8'), '')

/** Writes a file anew beside itself and puts it in its place in one step. The caller holds the file's lock. */
export function replaceFile(path: string, content: Iterable<Buffer>): void {
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  const fd = openSync(temporary, 'wx', 0o600)
  try {
    for (const bytes of content) writeAll(fd, bytes)
    fsyncSync(fd)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, path)
  try {
    syncFolder(path)
  } catch {} // it is in its place, and to call that a failure would be untrue
}

export function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}

/** A new, renamed or removed file is only so for good once its folder is on disk. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return // folders cannot be opened there
  const fd = openSync(dirname(path), 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const notAFile = (path: string) =>
  new AgentMailError(
    'storage',
    `a file of the post office is not a regular file: ${basename(path)}`,
    'Look into the .agentmail folder and remove the link, folder or pipe that stands there.',
  )
