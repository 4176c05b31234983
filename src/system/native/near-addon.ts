/** Loads a package's native part straight from its prebuilt file: the loaders that come with such packages take longer than a whole command may. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * What it exports, from where Node would find it, too; nothing where it is not there.
 *
 * @param file of a package, below node_modules.
 */
export function addonNear<T extends object>(file: string): Partial<T> | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', file)
    if (!existsSync(path)) continue
    const addon: { exports: Partial<T> } = { exports: {} }
    process.dlopen(addon, path)
    return addon.exports
  }
  return undefined
}
