/** Processes that load something of the tests before anything else: faults, watchers, another clock. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { built, type Env } from './agentmail.ts'

const preload = (name: string): string =>
  `--import=${pathToFileURL(join(built, 'preloads', `${name}.mjs`))}`

/** What a process has in its environment that loads these of preloads/ first, the last one around the others. */
export const loading = (names: string[], env: Env = {}): Env => ({
  NODE_OPTIONS: names.map(preload).join(' '),
  ...env,
})

/** For a server whose clock is wrong by `shiftMs`, or whose time goes `speed` times as fast. */
export const oddTime = ({ shiftMs = 0, speed = 1 }): Env =>
  loading(['odd-time'], { TIME_SHIFT_MS: String(shiftMs), TIME_SPEED: String(speed) })
