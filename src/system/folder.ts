/** The one door to the file system for paths from outside: folders are held open and entered name by name, so that one which is swapped for a link leads nowhere. */
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statfsSync,
} from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'

/** Each folder on the way down is held open during a walk, and a process may open only so many files. */
export const maxDepth = 64

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Where the system gives a name to what a process holds open, a folder can be used whatever stands at its path. */
const openFolders = '/proc/self/fd'
const hasOpenFolders = existsSync(openFolders)

export interface FolderOptions {
  /** Tests switch it off to try what other systems get. */
  isByDescriptor?: boolean
}

export class Folder {
  readonly #fd: number
  /** Its path at the time it was entered. */
  readonly #path: string
  readonly #isByDescriptor: boolean
  /** How many folders below the root it is. */
  readonly #depth: number

  private constructor(fd: number, path: string, isByDescriptor: boolean, depth: number) {
    this.#fd = fd
    this.#path = path
    this.#isByDescriptor = isByDescriptor
    this.#depth = depth
  }

  /** The root may be reached through links; nothing below it is. */
  static root(path: string, { isByDescriptor = hasOpenFolders }: FolderOptions = {}): Folder {
    const real = realpathSync(path)
    return new Folder(openSync(real, O_RDONLY | O_DIRECTORY), real, isByDescriptor, 0)
  }

  /** The folder of this name, or nothing where there is none. */
  enter(name: string): Folder | undefined {
    if (this.#depth >= maxDepth) throw tooDeep()
    try {
      const fd = this.open(name, O_RDONLY | O_DIRECTORY)
      return new Folder(fd, join(this.#path, name), this.#isByDescriptor, this.#depth + 1)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      if (!hasCode(error, 'ENOTDIR', 'ELOOP')) throw error
      if (this.stat(name)?.isSymbolicLink() !== false) throw linked(name)
      return undefined
    }
  }

  /** The folder of this name, made if it is not there; one that is there keeps its mode. */
  make(name: string, mode = 0o777): Folder {
    const found = this.enter(name)
    if (found) return found
    try {
      mkdirSync(this.at(name), mode)
      this.sync()
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
    const made = this.enter(name)
    if (made) return made
    throw new AgentMailError('invalid_request', `${name} is not a folder`, 'Choose another path.')
  }

  /** Opens what has this name: never through a link, and without waiting for the other end of a pipe. */
  open(name: string, flags: number, mode = 0o666): number {
    const fd = openSync(this.at(name), flags | O_NOFOLLOW | O_NONBLOCK, mode)
    if (this.#isByDescriptor) return fd
    let isHere = false
    try {
      const [opened, there] = [fstatSync(fd, { bigint: true }), this.stat(name)]
      isHere = opened.ino === there?.ino && opened.dev === there.dev
    } finally {
      if (!isHere) closeSync(fd)
    }
    if (isHere) return fd
    throw linked(name)
  }

  /** What has this name; a link is told as a link. */
  stat(name: string): BigIntStats | undefined {
    return this.#looked(lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false }))
  }

  entries(): Dirent[] {
    return this.#looked(readdirSync(this.at(''), { withFileTypes: true }))
  }

  /** How the name is spelled here: accents may be composed in one place and not in the other. */
  spelling(name: string): string | undefined {
    if (this.stat(name)) return name
    if (/^[\x20-\x7e]*$/.test(name)) return undefined
    const composed = name.normalize('NFC')
    return this.#looked(readdirSync(this.at(''))).find(
      (entry) => entry.normalize('NFC') === composed,
    )
  }

  /** The path to use for an entry in a call of the system; valid while this folder is open. */
  at(name: string): string {
    if (this.#isByDescriptor) return `${openFolders}/${this.#fd}/${name}`
    this.#check()
    return join(this.#path, name)
  }

  /** What was seen through the path counts only if that led here after the look, too. */
  #looked<T>(seen: T): T {
    if (!this.#isByDescriptor) this.#check()
    return seen
  }

  /** Refuses to go on unless this folder is still at its path. */
  #check(): void {
    const [held, there] = [
      fstatSync(this.#fd, { bigint: true }),
      lstatSync(this.#path, { bigint: true, throwIfNoEntry: false }),
    ]
    if (held.ino !== there?.ino || held.dev !== there.dev) throw linked(this.#path)
  }

  /** A new, renamed or removed entry is only so for good once its folder is on disk. */
  sync(): void {
    if (process.platform !== 'win32') fsyncSync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** Whether a folder stands at a path below a root; nothing is said where nothing stands there. One that a link leads to is none. */
export function isFolderBelow(root: string, path: string): boolean | undefined {
  try {
    const place = join(root, path)
    const there = lstatSync(place, { throwIfNoEntry: false })
    if (!there?.isDirectory()) return there && false
    return realpathSync.native(place) === join(realpathSync.native(root), path)
  } catch {
    return undefined // not ours to see, or no name that the system knows
  }
}

const linked = (name: string) =>
  new AgentMailError(
    'permission_denied',
    `a link is not followed: ${name.split('/').at(-1)}`,
    'Use the note at its own place in the vault.',
  )

export const tooDeep = () =>
  new AgentMailError(
    'invalid_request',
    `folders are nested deeper than ${maxDepth}`,
    'Choose a shorter path.',
  )

/** An absolute path without the links that lead to it, as far as it exists; nothing is opened. */
export async function withoutLinks(spelling: string): Promise<string> {
  const path = spelling.replaceAll('\\', '/')
  if (!/^\/[^/]/.test(path)) return path // a drive or another machine
  const whole = resolve(path)
  for (let existing = whole; ; existing = dirname(existing)) {
    try {
      return join(await realpath(existing), relative(existing, whole))
    } catch {
      if (existing === dirname(existing)) return whole
    }
  }
}

/** File systems of Linux that nobody writes to past this machine's kernel: ext, XFS, Btrfs, ZFS, F2FS, tmpfs, overlay. */
const ownDisks = [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630]

/** Whether a watch is told of every change there as soon as it is made. */
export function tellsOfChanges(path: string): boolean {
  try {
    return process.platform === 'linux' && ownDisks.includes(statfsSync(path).type)
  } catch {
    return false
  }
}
