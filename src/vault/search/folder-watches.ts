/** Hears of changes in the folders of a vault: one watch a folder, on the folder itself, wherever its path leads later. */
import { type FSWatcher, watch } from 'node:fs'
import { hasCode } from '../../errors.ts'
import type { Folder } from '../../system/folder.ts'
import { isNoteName } from '../note-path.ts'

interface Watch {
  /** Which folder it is on. */
  inode: string
  watcher: FSWatcher
}

export class FolderWatches {
  readonly #watches = new Map<string, Watch>()
  readonly #onChange: (path: string) => void
  readonly #onFailure: (error: unknown) => void
  #hasFailed = false

  /** @param onChange is told the path of a note or folder that may have changed. */
  constructor(onChange: (path: string) => void, onFailure: (error: unknown) => void) {
    this.#onChange = onChange
    this.#onFailure = onFailure
  }

  /** To be called before the folder is listed, so that nothing is missed. */
  add(path: string, folder: Folder): void {
    if (this.#hasFailed) return
    const stat = folder.stat('.')
    const inode = `${stat?.dev}-${stat?.ino}`
    if (this.#watches.get(path)?.inode === inode) return
    this.#watches.get(path)?.watcher.close()
    try {
      this.#watches.set(path, { inode, watcher: this.#watch(path, folder.at('')) })
    } catch (error) {
      this.#watches.delete(path)
      if (!hasCode(error, 'ENOENT')) this.#fail(error)
    }
  }

  #watch(path: string, place: string): FSWatcher {
    const prefix = path === '' ? '' : `${path}/`
    const watcher = watch(place, { persistent: false }, (_event, name) => {
      if (!name) lose()
      else if (!name.startsWith('.') || isNoteName(name)) this.#onChange(prefix + name)
    })
    // Something happened to the folder itself: if it is gone, another may have its number soon.
    const lose = () => {
      watcher.close()
      if (this.#watches.get(path)?.watcher === watcher) this.#watches.delete(path)
      this.#onChange(path)
    }
    watcher.on('error', lose)
    return watcher
  }

  /** Lets go of a folder that is gone, and of those that were below it, but for those that are there. */
  drop(path: string, there: Set<string>): void {
    for (const [watched, { watcher }] of this.#watches) {
      const isBelow = path === '' || watched === path || watched.startsWith(`${path}/`)
      if (!isBelow || there.has(watched)) continue
      watcher.close()
      this.#watches.delete(watched)
    }
  }

  /** Half of the folders would be worse than none, since nobody would look at the others. */
  #fail(error: unknown): void {
    this.#hasFailed = true
    this.close()
    this.#onFailure(error)
  }

  close(): void {
    for (const { watcher } of this.#watches.values()) watcher.close()
    this.#watches.clear()
  }
}
