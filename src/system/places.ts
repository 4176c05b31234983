/** Where a user's programs keep their things: what can be made again, what must last, what is set up. */
import { existsSync, readdirSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Config, SettingName } from '../config.ts'
import { AgentMailError } from '../errors.ts'

const places = {
  cacheHome: ['.cache', 'Library/Caches'],
  dataHome: ['.local/share', 'Library/Application Support'],
  stateHome: ['.local/state', 'Library/Application Support'],
  configHome: ['.config', 'Library/Application Support'],
} as const satisfies Partial<Record<SettingName, [string, string]>>

/** What can be made again. */
export const cacheFolder = (config: Config): string => placeOf(config, 'cacheHome')

/** What agents have stored, of all repositories. */
export const dataFolder = (config: Config): string => join(placeOf(config, 'dataHome'), 'agentmail')

/** What AgentMail has to remember. */
export const stateFolder = (config: Config): string =>
  join(placeOf(config, 'stateHome'), 'agentmail')

/** @param path what could not be made or written there. */
export const unusableState = (path: string, cause: unknown): AgentMailError =>
  new AgentMailError(
    'storage',
    `the state folder cannot be used: ${path}`,
    'Check its permissions and the free space, or set XDG_STATE_HOME to a folder that can be written.',
    { cause },
  )

/** What a person has set up. */
export const configFolder = (config: Config): string =>
  join(placeOf(config, 'configHome'), 'agentmail')

function placeOf(config: Config, name: keyof typeof places): string {
  const named = config.text(name)
  if (named !== undefined && isAbsolute(named)) return named // a relative one is to be ignored
  const [usual, onMac] = places[name]
  return join(home(), process.platform === 'darwin' ? onMac : usual)
}

/** Never relative: what is remembered must not depend on the current folder. */
function home(): string {
  const named = homedir()
  return isAbsolute(named) ? named : userInfo().homedir
}

/** A broom goes through so many at once. */
const mostListed = 500

/** The paths of what stands in a folder of ours under such names. */
export const pathsIn = (folder: string, names = /./): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => names.test(name))
    .slice(0, mostListed)
    .map((name) => join(folder, name))

/** Tidies up a place where something new is made: where that does not work, it is somebody else's turn. */
export function sweepUp(sweep: () => void): void {
  try {
    sweep()
  } catch {
    // what is left is in nobody's way
  }
}
