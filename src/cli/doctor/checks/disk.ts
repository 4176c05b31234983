/** Whether there is room where things are kept, and whether they can be written there. */
import { accessSync, constants, existsSync, statfs } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { dataFolder, stateFolder } from '../../../system/places.ts'
import { type Check, type Checked, ok, type Patient, problem, warn } from '../check.ts'

const mebibyte = 1 << 20
/** Less is used up by a busy day. */
const littleBytes = 500 * mebibyte
/** Less is used up by one thing that goes wrong. */
const noneBytes = 50 * mebibyte
const fewFiles = 1000

export const diskCheck: Check = {
  name: 'disk',
  async look(patient) {
    const looked = await Promise.all(foldersOf(patient).map(lookAt))
    const bad = looked.flatMap(({ found }) => found ?? [])
    if (bad.length > 0) return bad
    const least = Math.min(...looked.map(({ free }) => free))
    return [ok('disk', `${sizeOf(least)} free where data, state and mail are kept`)]
  },
}

const foldersOf = ({ config, office }: Patient): string[] => [
  ...new Set([dataFolder(config), stateFolder(config), ...(office ? [office.dir] : [])]),
]

async function lookAt(folder: string): Promise<{ free: number; found?: Checked }> {
  const there = nearest(folder)
  const { bavail, bsize, files, ffree } = await promisify(statfs)(there)
  const free = bavail * bsize
  const advice = 'Make room there: what is sent is refused where it cannot be kept.'
  const left = `${sizeOf(free)} are left on its disk`
  if (!isWritable(there)) {
    const mend = 'Look at its owner and permissions.'
    return { free, found: problem(folder, `${there} may not be written by you`, mend) }
  }
  if (free < noneBytes) return { free, found: problem(folder, left, advice) }
  if (files > 0 && ffree < fewFiles) {
    return { free, found: problem(folder, `${ffree} files can still be made on its disk`, advice) }
  }
  return free < littleBytes ? { free, found: warn(folder, left, advice) } : { free }
}

/** What is there of a path: the rest is made when it is needed. */
const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const sizeOf = (bytes: number): string =>
  bytes >= 1 << 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${Math.floor(bytes / mebibyte)} MB`
