/** The path that a call of the file system means: by an open file, by the number of an open folder, or plainly. */
import { readlinkSync } from 'node:fs'

export function placeOf(given: unknown): string {
  if (typeof given === 'number') return readlinkSync(`/proc/self/fd/${given}`)
  return String(given).replace(/^\/proc\/self\/fd\/\d+/, (folder) => readlinkSync(folder))
}
