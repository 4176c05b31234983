/** Tells whether a process still lives: each holds a lock that the system drops with it. */
import { closeSync, openSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../errors.ts'
import { systemClock } from './clock.ts'
import { makeFolder } from './files.ts'
import { lockIfFree } from './lock.ts'
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
