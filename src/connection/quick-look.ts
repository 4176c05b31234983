/** Where those of a name stand, by one read of a database that is a file: for a look by the way, which must not cost more than what it is beside. */
import type { Standings } from '../addresses/send.ts'
import type { Config } from '../config.ts'
import { placesByName } from '../coordination/inbox/standing.ts'
import { keyCalled } from '../coordination/projects/keys.ts'
import { databaseOf } from '../store/database.ts'
import { type Reader, text } from '../store/store.ts'
import { systemClock } from '../system/clock.ts'
import { type Here, hereOf, machineOf } from './here.ts'

/** Nothing where another way has to tell: the database is elsewhere, or does not know this repository. */
export async function quickLook(config: Config, name: string): Promise<Standings | undefined> {
  if (config.text('server') !== undefined) return undefined
  const database = databaseOf(config, { create: false })
  const view = database.path === undefined ? undefined : await database.view()
  if (!view) return undefined
  try {
    const key = await keySeen(view, await hereOf(config))
    if (key === undefined) return undefined
    const sinceUs = (systemClock.now() - config.seconds('staleSeconds') * 1000) * 1000
    const agents = await placesByName(view, key, { name, sinceUs })
    return { agents, machine: machineOf(config) }
  } finally {
    await view.close()
  }
}

/** By the root itself, not by its hash: to load what makes one takes longer than all the rest. */
async function keySeen(reader: Reader, here: Here): Promise<string | undefined> {
  if ('project' in here) return keyCalled(reader, here.project)
  if (here.wished !== undefined) return undefined
  const [row, other] = await reader.all(
    'SELECT project FROM project_roots WHERE machine = ? AND root = ?',
    ...[here.machine, here.root],
  )
  return row && !other ? text(row.project) : undefined
}
