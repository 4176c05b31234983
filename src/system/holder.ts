/** Tells whether a process still lives: each holds a lock that the system drops with it. */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { hasCode } from '../errors.ts'
import { systemClock } from './clock.ts'
import { makeFolder, openRegularFile, removeFile, textHeld, writeAll } from './files.ts'
import { lockIfFree, openLocked } from './lock.ts'
import { randomId } from './random.ts'

/** What a dead process left is removed after this long, when nobody asks for it any more. */
const keptMs = 24 * 3600_000

export class Holder {
  readonly name = randomId(16)
  readonly #folder: string
  #fd: number | undefined

  /** @param folder where the processes of this machine meet. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** From now on, others see that this process lives. */
  hold(): void {
    if (this.#fd !== undefined) return
    makeFolder(this.#folder, 0o700)
    this.#removeOld()
    const fd = openSync(join(this.#folder, this.name), 'wx+', 0o600)
    lockIfFree(fd)
    this.#fd = fd
  }

  /** Whether the process of this name is known to be dead. One of another machine is not known. */
  isGone(name: string): boolean {
    if (name === this.name || !/^[0-9A-Za-z]+$/.test(name)) return false
    return this.#isFree(join(this.#folder, name))
  }

  /** For a process that ends in order, with nothing under way: it leaves no file behind. */
  close(): void {
    if (this.#fd === undefined) return
    rmSync(join(this.#folder, this.name), { force: true })
    closeSync(this.#fd)
    this.#fd = undefined
  }

  #isFree(path: string): boolean {
    let fd: number
    try {
      fd = openSync(path, 'r+')
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    }
    try {
      return lockIfFree(fd)
    } finally {
      closeSync(fd)
    }
  }

  #removeOld(): void {
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name)
      const age = systemClock.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      if (age > keptMs && this.#isFree(path)) unlinkSync(path)
    }
  }
}

/** Opens and locks a file of this process, which is made where there is none; nothing where another does not let go of it in time. */
export async function holdFile(path: string, patienceMs: number): Promise<number | undefined> {
  makeFolder(dirname(path), 0o700)
  return openLocked({
    open: () => openRegularFile(path, { create: true, isPrivate: true }),
    there: () => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
    patienceMs,
  })
}

export interface HeldWords {
  /** From now on it says something else. */
  say(words: string): void
  end(): void
}

/** Says something of this process for as long as it lives; `end` takes it back. Nothing where another holds the file. */
export async function holdWords(
  path: string,
  words: string,
  patienceMs = 2_000,
): Promise<HeldWords | undefined> {
  const fd = await holdFile(path, patienceMs)
  if (fd === undefined) return undefined
  const say = (said: string) => {
    ftruncateSync(fd)
    writeAll(fd, Buffer.from(said), 0)
  }
  say(words)
  return {
    say,
    end() {
      removeFile(path)
      closeSync(fd)
    },
  }
}

/** What the living say in the files of a folder, by their names; what the dead have left there is removed, unless this is only a look. */
export function heldWords(
  folder: string,
  ending: string,
  { isLook = false } = {},
): Map<string, string> {
  const found = new Map<string, string>()
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names.filter((one) => one.endsWith(ending))) {
    const words = wordsIfHeld(join(folder, name))
    if (words !== undefined) found.set(name, words)
    else if (!isLook) removeIfFree(join(folder, name))
  }
  return found
}

/** The files in a folder, and in those below it, that the dead have left. */
export function unheldFiles(folder: string, ending: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && wordsIfHeld(path) === undefined)
}

/** What the process says that holds a file; nothing where none does. */
export function wordsIfHeld(path: string): string | undefined {
  const fd = openRegularFile(path)
  if (fd === undefined) return undefined
  try {
    return lockIfFree(fd) ? undefined : textHeld(fd)
  } finally {
    closeSync(fd)
  }
}

/** Under its lock, so that nobody begins to hold it meanwhile. */
export function removeIfFree(path: string): void {
  const fd = openRegularFile(path)
  if (fd === undefined) return
  if (lockIfFree(fd)) removeFile(path)
  closeSync(fd)
}
