/** Where a user's programs keep their things: what can be made again, what must last, what is set up. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Config, SettingName } from '../config.ts'

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
