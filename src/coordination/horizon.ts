/** How far back the journal of a project reaches: what is older may have been pruned. */
import { AgentMailError } from '../errors.ts'
import type { Write } from '../store/batch.ts'
import { integer, type Reader } from '../store/store.ts'
import { uuid } from '../system/random.ts'
import { timeText } from './time.ts'

/** In microseconds; 0 where nothing was pruned. */
export async function horizonOf(
  reader: Reader,
  project: string,
  table = 'horizons',
): Promise<number> {
  const [row] = await reader.all(`SELECT pruned_us FROM ${table} WHERE project = ?`, project)
  return row ? integer(row.pruned_us) : 0
}

/** Before anything is removed, so that nobody is told a part of it as the whole. It never moves back. */
export async function moveHorizon(write: Write, project: string, us: number): Promise<void> {
  const known = await horizonOf(write, project)
  if (known >= us) return
  const token = uuid()
  if (known === 0) write.append('horizons', { project, pruned_us: us, token })
  else {
    await write.run(
      'UPDATE horizons SET pruned_us = ?, token = ? WHERE project = ?',
      us,
      token,
      project,
    )
  }
}

/** What was pruned cannot be told. */
export function checkHorizon(us: number, pruned: number, name: string): void {
  if (us >= pruned) return
  throw new AgentMailError(
    'invalid_request',
    `${name}: the journal before ${timeText(pruned)} was pruned`,
    'Ask for that time or a later one. What still held at that time is in the journal as it is now.',
  )
}
