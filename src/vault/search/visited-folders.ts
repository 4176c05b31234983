/** The folders that one search goes into, each entered once. */
import type { Folder } from '../../system/folder.ts'
import type { Vault } from '../vault.ts'
import { enterable } from '../walk.ts'

/** Each is held open, and a process may open only so many files. */
const maxOpen = 64

export class VisitedFolders {
  readonly #vault: Vault
  readonly #open = new Map<string, Folder>()

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** The folder at a path of the vault, until the next one is entered. */
  enter(path: string): Folder | undefined {
    if (this.#open.size >= maxOpen) this.close()
    return this.#enter(path)
  }

  #enter(path: string): Folder | undefined {
    const known = this.#open.get(path)
    if (known) return known
    const slash = path.lastIndexOf('/')
    const parent = path === '' ? undefined : this.#enter(path.slice(0, Math.max(0, slash)))
    const folder =
      path === '' ? this.#vault.open() : parent && enterable(parent, path.slice(slash + 1))
    if (folder) this.#open.set(path, folder)
    return folder
  }

  close(): void {
    for (const folder of this.#open.values()) folder.close()
    this.#open.clear()
  }
}
