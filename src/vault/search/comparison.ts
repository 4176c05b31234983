/** Brings the index in line with the notes: what has changed is read again, what is gone is dropped. */

import type { BigIntStats } from 'node:fs'
import { AgentMailError, hasCode } from '../../errors.ts'
import { type Pause, systemClock } from '../../system/clock.ts'
import type { Folder } from '../../system/folder.ts'
import { fieldsOf } from '../filter.ts'
import { removeLeftover } from '../note-change.ts'
import { isFolderName, isNoteName } from '../note-path.ts'
import type { Found, Vault } from '../vault.ts'
import { enterable, entriesOf } from '../walk.ts'
import { ChangeBatch, joined } from './change-batch.ts'
import type { FolderWatches } from './folder-watches.ts'
import type { NoteIndex } from './note-index.ts'
import { readSearchable } from './scan.ts'
import { stampOf, unsure } from './stamp.ts'

/** A file can change twice within one tick of the clock that its times come from; some disks count whole seconds. */
const tickMs = 100
const slowTickMs = 2100

/** Whether a change after this time would show. */
function isSettled({ mtimeMs, ctimeMs, ctimeNs }: BigIntStats, time: number): boolean {
  const ms = ctimeNs % 1_000_000_000n === 0n ? slowTickMs : tickMs
  return Math.max(Number(mtimeMs), Number(ctimeMs)) <= time - ms
}

export class Comparison {
  readonly #vault: Vault
  readonly #index: NoteIndex
  readonly #watches: FolderWatches
  readonly #pause: Pause
  readonly #changes: ChangeBatch
  /** How many notes were looked at. */
  count = 0

  constructor(vault: Vault, index: NoteIndex, watches: FolderWatches, pause: Pause) {
    this.#vault = vault
    this.#index = index
    this.#watches = watches
    this.#pause = pause
    this.#changes = new ChangeBatch(index, pause)
  }

  /** Looks at what stands at these paths, or stood there; '' is the whole vault. */
  async run(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      await this.#path(path)
      await this.#pause()
    }
    await this.#changes.flush()
  }

  async #path(path: string): Promise<void> {
    const names = path === '' ? [] : path.split('/')
    const name = names.pop()
    if (!names.every(isFolderName)) return
    const found = this.#enter(names)
    try {
      if (name === undefined) {
        if (found) await this.#folder(found.folder, '')
        return
      }
      const spelled = found?.folder.spelling(name)
      if (spelled !== name) await this.#gone(names.join('/'), name)
      if (found && spelled !== undefined) {
        await this.#entry(found.folder, found.folders.join('/'), spelled)
      }
    } finally {
      found?.folder.close()
    }
  }

  #enter(names: string[]): Found | undefined {
    try {
      return this.#vault.enter(names)
    } catch (error) {
      const isOfVault = names.length === 0
      if (!isOfVault && (AgentMailError.is(error) || hasCode(error, 'EACCES'))) return undefined
      throw error
    }
  }

  async #entry(folder: Folder, parent: string, name: string): Promise<void> {
    const stat = folder.stat(name)
    const child = stat?.isDirectory() && isFolderName(name) ? enterable(folder, name) : undefined
    if (!child) {
      await this.#gone(parent, name)
      if (stat?.isFile() && isNoteName(name)) await this.#read(folder, parent, name)
      return
    }
    try {
      await this.#folder(child, joined(parent, name))
    } finally {
      child.close()
    }
  }

  async #gone(parent: string, name: string): Promise<void> {
    await this.#dropBelow(joined(parent, name), new Set())
    if (isNoteName(name)) await this.#changes.add({ folder: parent, name })
  }

  async #folder(folder: Folder, path: string): Promise<void> {
    const visited = new Set<string>()
    await this.#compare(folder, path, visited)
    await this.#dropBelow(path, visited)
  }

  /** All folders at and below a path, but for those that were visited. */
  async #dropBelow(path: string, visited: Set<string>): Promise<void> {
    this.#watches.drop(path, visited)
    for (const folder of await this.#index.foldersBelow(path)) {
      if (visited.has(folder)) continue
      for (const name of (await this.#index.notesIn(folder)).keys()) {
        await this.#changes.add({ folder, name })
      }
    }
  }

  async #compare(folder: Folder, path: string, visited: Set<string>): Promise<void> {
    this.#watches.add(path, folder)
    visited.add(path)
    removeLeftovers(folder)
    const known = await this.#index.notesIn(path)
    const entries = entriesOf(folder)
    for (const { name, isFolder } of entries) {
      if (isFolder) continue
      const stat = folder.stat(name)
      if (!stat || known.get(name) !== stampOf(stat)) await this.#read(folder, path, name)
      known.delete(name)
      this.count++
      await this.#pause()
    }
    for (const name of known.keys()) await this.#changes.add({ folder: path, name })
    for (const { name, isFolder } of entries) {
      const child = isFolder ? enterable(folder, name) : undefined
      if (!child) continue
      try {
        await this.#compare(child, joined(path, name), visited)
      } finally {
        child.close()
      }
    }
  }

  async #read(folder: Folder, path: string, name: string): Promise<void> {
    const before = systemClock.now()
    const read = readSearchable(folder, name, joined(path, name))
    if (!read) return this.#changes.add({ folder: path, name })
    const { stat, bytes, ...note } = read
    const stamp = stat && isSettled(stat, before) ? stampOf(stat) : unsure
    const fields = bytes ? fieldsOf(bytes) : null
    await this.#changes.add({ folder: path, name, read: { note, stamp, fields } })
  }
}

function removeLeftovers(folder: Folder): void {
  try {
    for (const { name } of folder.entries()) removeLeftover(folder, name)
  } catch (error) {
    if (!AgentMailError.is(error) && !(error instanceof Error && 'code' in error)) throw error
  }
}
