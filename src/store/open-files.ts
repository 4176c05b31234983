/** Whether the files of an open database are still those at their paths: what is written to one that was removed or replaced is gone with it. */
import { type BigIntStats, lstatSync, rmSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { isSameFile, moveFile, moveIfFree } from '../system/files.ts'
import { log } from '../system/log.ts'
import { StoreError, type StoreFile } from './store.ts'

type FilesByEnd = Map<string, BigIntStats>

/** The log of a file and the index of it, which all processes at it share. */
const sides = ['-wal', '-shm']

/** Taken when all are there: from then on nobody replaces one of them in an orderly way. */
export class OpenFiles implements StoreFile {
  readonly #path: string
  readonly #opened: FilesByEnd
  readonly #lost = new AbortController()
  /** Whether it was looked at in this turn: what one call reads in a row is one look. */
  #isFresh = false

  private constructor(path: string, opened: FilesByEnd) {
    this.#path = path
    this.#opened = opened
  }

  /** @param before what stood at the path before it was opened: if that is another now, nobody knows which of the two was. */
  static of(path: string, before: BigIntStats | undefined): OpenFiles {
    const opened = filesAt(path, ['', ...sides])
    if (opened.size < 3) throw new StoreError('again', 'its files were removed while it was opened')
    // Some file systems give a file another number when it is first opened to be written.
    if (before && !isSameFile(before, opened.get('')))
      throw new StoreError('again', 'its file was replaced while it was opened')
    return new OpenFiles(path, opened)
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  check(): void {
    if (this.#isFresh) return
    this.checkNow()
    this.#isFresh = true
    setImmediate(() => {
      this.#isFresh = false
    })
  }

  /** The same, also where it was looked at in this turn. */
  checkNow(): void {
    if (this.#lost.signal.aborted) throw databaseLost()
    const end = [...this.#opened.keys()].find((one) => !this.#isOurs(one))
    if (end === undefined) return
    this.#isFresh = false
    log(
      `the database is gone: ${this.#path}${end} was removed, moved or replaced. Everything is refused until the next start.`,
    )
    this.#lost.abort()
    throw databaseLost()
  }

  /** Whether what is in the log can be brought into the file: it is there, and nobody began another log. */
  get isOnlyLogGone(): boolean {
    return this.#isOurs('') && !at(`${this.#path}-wal`)
  }

  /** What stands beside a path where another file will be, or is, would be taken for a part of that. */
  setAside(): void {
    if (!this.#isOurs('')) setAside(this.#path, this.#opened)
  }

  /** What is there is kept as it is now: how the file was when it was last seen tells what its log belongs to. */
  #isOurs(end: string): boolean {
    const [opened, there] = [this.#opened.get(end), at(this.#path + end)]
    if (!opened || !there || !isSameFile(opened, there)) return false
    this.#opened.set(end, there)
    return true
  }
}

/** What was left beside a path at which there is no file; nothing of a process that makes one now. */
export const leftBeside = (path: string): FilesByEnd =>
  at(path) ? new Map() : filesAt(path, sides)

/** Puts the log of a file that is gone out of the way of the next. It is kept: the file may come back, and this is its end. */
export function setAside(path: string, left: FilesByEnd): void {
  const isLeft = (end: string) => {
    const file = left.get(end)
    return file !== undefined && isSameFile(file, at(path + end))
  }
  if (isLeft('-shm')) rmSync(`${path}-shm`, { force: true })
  if (!isLeft('-wal')) return
  const aside = asideOf(path, left.get(''))
  moveFile(`${path}-wal`, aside)
  log(`the log of the file that was at ${path} is kept as ${aside}`)
}

/** Gives a file that came back the log that was put aside for it; not where nobody may write beside it. */
export function putBack(path: string): void {
  const file = at(path)
  const aside = asideOf(path, file)
  if (!file || !at(aside)?.isFile()) return // a repository can bring links along
  try {
    if (moveIfFree(aside, `${path}-wal`)) log(`${aside} is its log again`)
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error
  }
}

/** How the name of a log that was put aside begins. */
export const asideBegin = (path: string): string => `${path}-wal.lost`

/** By the time and size of the file, which change with whatever is written into it. */
const asideOf = (path: string, file: BigIntStats | undefined): string =>
  `${asideBegin(path)}${file ? `-${file.mtimeNs}-${file.size}` : ''}`

function filesAt(path: string, ends: string[]): FilesByEnd {
  const files: FilesByEnd = new Map()
  for (const end of ends) {
    const file = at(path + end)
    if (file) files.set(end, file)
  }
  return files
}

/** What a path names, not through a link. */
export function at(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return undefined
    throw new StoreError('unreadable', `its files cannot be looked at: ${error}`)
  }
}

const databaseLost = () =>
  new AgentMailError(
    'database_lost',
    'the database is gone: its file was removed, moved or replaced while it was in use',
    'What it held is in that file, wherever it is now. Put it back if you want it, and start AgentMail again (agentmail serve, or the client that runs it); until then everything is refused. This call was not acknowledged: make it again then.',
  )
