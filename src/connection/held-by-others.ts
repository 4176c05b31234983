/** Which of some files others hold, with all that is said of it. */
import type { Config } from '../config.ts'
import type { ClaimEntry } from '../coordination/claims/held.ts'
import { pathsOver } from '../coordination/claims/places.ts'
import { normalPath } from '../coordination/paths.ts'
import { ownPane } from '../mailbox/tmux.ts'
import { ask, listOf } from './acting.ts'
import type { Connection } from './connection.ts'
import { ownPlace } from './here.ts'

export interface HeldFile extends ClaimEntry {
  /** As it was asked for; `file_path` is what is claimed, a folder perhaps. */
  file: string
  role: string | null
}

/**
 * All claims are read and compared here, since a file may have any name and a claim may not.
 *
 * @param who asks, by any of these; whoever is nobody holds nothing.
 */
export async function heldByOthers(
  config: Config,
  connection: Connection,
  files: string[],
  who: { name?: string | undefined; agent_id?: string | undefined },
): Promise<HeldFile[]> {
  const claims = await allClaims(connection)
  if (claims.size === 0) return []
  const found = files.flatMap((file) => {
    const over = [...pathsOver(plainPath(file))].flatMap((path) => claims.get(path) ?? [])
    const other = over.find(
      ({ holder_name, agent_id }) => holder_name !== who.name && agent_id !== who.agent_id,
    )
    return other ? [{ ...other, file }] : []
  })
  const holders = await holdersOf(connection, new Set(found.map(({ agent_id }) => agent_id)))
  const here = ownPane(config) === undefined ? undefined : ownPlace(config)
  return found.flatMap((held) => {
    const { role = null, place } = holders.get(held.agent_id) ?? {}
    // Whoever registered from this very pane is who works in it, whatever the name.
    return here !== undefined && place === here ? [] : [{ ...held, role }]
  })
}

async function allClaims(connection: Connection): Promise<Map<string, ClaimEntry>> {
  const found = new Map<string, ClaimEntry>()
  for (let after: string | undefined; ; ) {
    const { claims, has_more } = await ask(connection, 'get_file_claims', { after })
    for (const claim of claims) found.set(claim.file_path, claim)
    after = claims.at(-1)?.file_path
    if (!has_more || after === undefined) return found
  }
}

async function holdersOf(connection: Connection, ids: Set<string>) {
  const found = new Map<string, { role: string; place: string | null }>()
  for (const agent of ids) {
    for (const { agent_id, role, place } of await listOf(connection.standings({ agent }))) {
      if (agent_id === agent) found.set(agent, { role, place })
    }
  }
  return found
}

/** As a claim on it would be written, which knows no backslash. */
function plainPath(file: string): string {
  try {
    return normalPath(file, [])
  } catch {
    return file
  }
}
