/** Where a server is: the one that the settings name, else the one that has left its note for the database. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { noteFor } from '../../store/usual-database.ts'
import { isOnThisMachine } from '../../system/network.ts'
import { isOwnProcess, readServerNote, type ServerNote } from '../server-note.ts'

/** Its address, also as it was given to a client: with /mcp, and a project after that. */
export function namedServer(
  config: Config,
): { url: string; project: string | undefined } | undefined {
  const named = config.text('server')
  if (named === undefined) return undefined
  const url = URL.canParse(named) ? new URL(named) : undefined
  const path = /^\/(?:(?:mcp|sse)(?:\/([^/]+))?\/?)?$/.exec(url?.pathname ?? '')
  if (url && path && /^https?:$/.test(url.protocol)) {
    return { url: url.origin, project: decoded(path[1]) }
  }
  throw new AgentMailError(
    'server_config',
    'AGENTMAIL_SERVER must be an address like http://127.0.0.1:8391',
    'Correct it, or leave it out to use the one that runs for the database.',
  )
}

/** A repository can bring a note along, and neither mail nor a token must follow it out. */
export function notedServer(file: string): ServerNote | undefined {
  const note = readServerNote(file)
  return note && isOnThisMachine(note.url) && isOwnProcess(note.pid) ? note : undefined
}

/** Whichever of them there is; it may have gone. */
export const serverOf = (
  config: Config,
): { url: string; instance?: string; pid?: number } | undefined =>
  namedServer(config) ?? notedServer(noteFor(config))

export const serverToken = (config: Config): string | undefined => config.text('token')?.trim()

function decoded(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part)
  } catch {
    return part
  }
}
