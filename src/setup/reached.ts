/** What our entries in the files of a client start and call, for whoever tries whether that answers. */
import { isRecord } from '../system/text.ts'
import type { ClientName, Entry, Places, Scope } from './clients/client.ts'
import { setupClients } from './clients/clients.ts'
import { configText, readConfigFile } from './config-file.ts'
import { entryIn, ownHooksIn } from './entries.ts'
import { isOwnServer } from './own.ts'

export interface Reached {
  /** What is started, and what it finds in its environment beside what is there. */
  program?: { command: string[]; env: Record<string, string> }
  /** A server that is called over HTTP instead. */
  url?: string
  /** Of hooks that are requests. */
  hookUrls: string[]
}

export function reachedFrom(name: ClientName, places: Places, scope: Scope): Reached {
  const entry = ownServerEntry(name, places, scope)
  const url = entry && urlOf(entry)
  const hookUrls = [...new Set(ownHooks(name, places, scope).map(({ url }) => url))].filter(isText)
  if (!entry) return { hookUrls }
  return { ...(url === undefined ? { program: programOf(entry) } : { url }), hookUrls }
}

/** The entry of coordination; nothing where there is none, or the file cannot be read. */
export function ownServerEntry(name: ClientName, places: Places, scope: Scope): Entry | undefined {
  const spot = setupClients[name].servers(places, scope)
  try {
    const text = configText(readConfigFile(spot.path))
    const entry = entryIn(text, spot.path, [...spot.at, 'agentmail'])
    return isRecord(entry) && isOwnServer('agentmail', entry) ? entry : undefined
  } catch {
    return undefined // told of where its parts are looked at
  }
}

export const urlOf = (entry: Entry): string | undefined =>
  [entry.url, entry.httpUrl].find((text) => typeof text === 'string')

function ownHooks(name: ClientName, places: Places, scope: Scope): Entry[] {
  const spot = setupClients[name].hooks?.(places, scope)
  if (!spot) return []
  try {
    return ownHooksIn(configText(readConfigFile(spot.path)), spot)
  } catch {
    return []
  }
}

function programOf({ command, args, env, environment }: Entry) {
  const given = Object.entries(isRecord(env) ? env : isRecord(environment) ? environment : {})
  const texts = given.filter((pair): pair is [string, string] => isText(pair[1]))
  return { command: [command, args].flat().filter(isText), env: Object.fromEntries(texts) }
}

const isText = (value: unknown): value is string => typeof value === 'string'
