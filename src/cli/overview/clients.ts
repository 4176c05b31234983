/** Which coding clients are on this machine, and whether they are set up. */
import type { Config } from '../../config.ts'
import { clientNames, type Scope } from '../../setup/clients/client.ts'
import { setupPlaces, wantedOf } from '../../setup/request.ts'
import { type ClientStatus, setupStatusOf } from '../../setup/status.ts'

export interface ClientState {
  client: string
  /** In a few words. */
  state: string
  /** The command that sets up what is missing or old. */
  next: string | null
}

/** Those that are installed, or set up all the same: for the user, or in this repository. */
export async function clientStates(config: Config): Promise<ClientState[]> {
  const places = await setupPlaces(config)
  const wanted = await wantedOf(config, places, { scope: 'user', server: undefined })
  const scopes: Scope[] = places.repository === undefined ? ['user'] : ['user', 'project']
  return clientNames.flatMap((name) => {
    const statuses = scopes.map((scope) => setupStatusOf(name, places, { ...wanted, scope }))
    const [own] = statuses
    if (!own || (!own.isFound && own.server === 'missing')) return []
    return [stateOfClient(statuses.find(({ server }) => server !== 'missing') ?? own)]
  })
}

function stateOfClient({ client, server, hooks, problems, ...rest }: ClientStatus): ClientState {
  const next = rest.next ?? null
  const [broken] = problems
  if (broken) return { client, state: `${broken.path}: ${broken.problem}`, next: null }
  if (server === 'missing') return { client, state: 'not set up', next }
  if (next === null) return { client, state: 'set up', next }
  const isBare = server === 'current' && hooks === 'missing'
  return { client, state: isBare ? 'set up without hooks' : 'set up by another version', next }
}
