/** Where the user's programs keep what they can make again. */
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Config } from '../../config.ts'

export function cacheFolder(config: Config): string {
  const named = config.text('cacheHome')
  if (named !== undefined && isAbsolute(named)) return named // a relative one is to be ignored
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
}
