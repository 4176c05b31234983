/** Our plugin: whether a client has it, and how it is installed. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shellWord } from '../system/text.ts'
import { type Places, pluginName, type SetupClient } from './clients/client.ts'
import { configText, readConfigFile } from './config-file.ts'
import { entryIn } from './entries.ts'

/** It brings the server of coordination and the hooks, which would run twice beside those of setup. */
export function hasPlugin(client: SetupClient, places: Places): boolean {
  const spot = client.plugin?.(places)
  if (!spot) return false
  try {
    return isOn(entryIn(configText(readConfigFile(spot.path)), spot.path, spot.at))
  } catch {
    return false // told of where its parts are looked at
  }
}

/** Gemini CLI has a list of folders, of which those with a `!` have it not. */
const isOn = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some((folder) => typeof folder === 'string' && !folder.startsWith('!'))
    : value === true

/** `plugins` of the package in which this file lies. */
export function pluginsFolder(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const plugins = join(folder, 'plugins')
    if (existsSync(join(plugins, '.claude-plugin/marketplace.json'))) return plugins
  }
  return undefined
}

export const pluginClients = ['claude', 'codex', 'copilot', 'gemini'] as const
export type PluginClient = (typeof pluginClients)[number]

/** The commands of a client that install it, as a shell takes them. */
export function pluginCommands(client: PluginClient, plugins: string): string[] {
  if (client === 'gemini') return [`gemini extensions link ${shellWord(join(plugins, 'gemini'))}`]
  const verb = client === 'codex' ? 'add' : 'install'
  return [
    `${client} plugin marketplace add ${shellWord(plugins)}`,
    `${client} plugin ${verb} ${pluginName}`,
  ]
}
