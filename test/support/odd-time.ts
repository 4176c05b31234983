/** Servers whose time is not ours. */
import { pathToFileURL } from 'node:url'
import { type Env, worker } from './agentmail.ts'

/** What a server has in its environment whose clock is wrong by `shiftMs`, or whose time goes `speed` times as fast. */
export const oddTime = ({ shiftMs = 0, speed = 1 }): Env => ({
  NODE_OPTIONS: `--import=${pathToFileURL(worker('odd-time'))}`,
  TIME_SHIFT_MS: String(shiftMs),
  TIME_SPEED: String(speed),
})
