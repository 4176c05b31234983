/** The sessions whose hooks have warned: each does it once. */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { makeFolder, replaceFile, textOfFile } from '../system/files.ts'
import { cacheFolder } from '../system/places.ts'

const maxSessions = 200

/** True as well where that cannot be kept. */
export function isFirstWarning(config: Config, session: string): boolean {
  const folder = join(cacheFolder(config), 'agentmail')
  const file = join(folder, 'warned-sessions')
  try {
    const known = textOfFile(file).split('\n')
    if (known.includes(session)) return false
    makeFolder(folder, 0o700)
    const lines = [...known.filter(Boolean), session].slice(-maxSessions)
    replaceFile(file, [Buffer.from(`${lines.join('\n')}\n`)])
  } catch {
    // It is said again then.
  }
  return true
}
