/** The hooks of clients in the forms that several of them share. */
import { shellWord } from '../../system/text.ts'
import type { ClientName, Entry, HooksByEvent, Wanted } from './client.ts'

/** In seconds. A server is on this machine, or it is not there. */
const httpSeconds = 1
export const commandSeconds = 5

export const hookCommand = (client: ClientName, { program }: Wanted): string =>
  `${shellWord(program)} hook ${client}`

/** A command that the client starts. @param perSecond in what the client counts time. */
export const commandHook = (command: string, perSecond = 1): Entry => ({
  type: 'command',
  command,
  timeout: commandSeconds * perSecond,
})

/** A request that the client makes itself, which starts no process. */
export const httpHook = (client: ClientName, { port }: Wanted): Entry => ({
  type: 'http',
  url: `http://127.0.0.1:${port}/hooks/${client}`,
  headers: { Authorization: 'Bearer $AGENTMAIL_TOKEN' },
  allowedEnvVars: ['AGENTMAIL_TOKEN'],
  timeout: httpSeconds,
})

/** One group of these handlers, for the tools that are named, or for all. */
export const group = (hooks: Entry[], matcher?: string): Entry =>
  matcher === undefined ? { hooks } : { matcher, hooks }

/** Each of these events by the same handlers. */
export const eachBy = (events: string[], hooks: Entry[], matcher?: string): HooksByEvent =>
  Object.fromEntries(events.map((event) => [event, [group(hooks, matcher)]]))
