/** Releases what hooks have claimed for a session that nothing is heard of: its turn was stopped, or its client has gone, whatever else keeps its agent alive. */
import { type Reader, text } from '../../store/store.ts'
import type { AgentName } from '../agents.ts'
import { letGo } from '../claims/taking.ts'
import type { Desk } from '../desk.ts'

const unheardUs = 15 * 60 * 1_000_000
/** So long a session is waited for that asks its user something. */
export const askingUs = 3600 * 1_000_000

export async function releaseUnheard(desk: Desk): Promise<void> {
  if ((await unheardHolders(desk.store, desk)).length === 0) return
  await desk.queue.write(async (write) => {
    for (const agent of await unheardHolders(write, desk)) {
      await letGo(write, desk, agent, { isByHook: true })
    }
  })
}

/** But for those that keep what they have edited as long as they are there. */
async function unheardHolders(reader: Reader, { project, clock }: Desk): Promise<AgentName[]> {
  const now = clock.now() * 1000
  const own = 's.project = c.project AND s.agent_id = c.agent_id'
  const rows = await reader.all(
    `SELECT DISTINCT c.agent_id, c.agent_name FROM file_claims c
      WHERE c.project = ? AND c.by_hook IS NOT NULL
        AND EXISTS (SELECT s.session_key FROM sessions s WHERE ${own})
        AND NOT EXISTS (SELECT s.session_key FROM sessions s WHERE ${own} AND s.state <> 'offline'
          AND (s.heard_us >= ? OR (s.state = 'ready' AND s.auto_claim = 'session')
            OR (s.state = 'waits' AND s.state_us >= ?)))`,
    ...[project, now - unheardUs, now - askingUs],
  )
  return rows.map((row) => ({ agent_id: text(row.agent_id), name: text(row.agent_name) }))
}
