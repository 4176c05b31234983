/** Makes a folder and those above it. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Not by Node's own `recursive`: that tries for ever where a folder is there and takes no others, as /proc. */
export function makeFolder(path: string, mode = 0o777): void {
  const folder = resolve(path)
  if (isFolder(folder)) return
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    if (!isFolder(folder)) throw error // else somebody was faster
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
