/** Where the user's programs keep what they can make again. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config.ts'

export const cacheFolder = (config: Config): string =>
  config.text('cacheHome') ??
  join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
