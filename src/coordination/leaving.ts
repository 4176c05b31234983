/** Leaving without a notice: at once, or, for whoever still holds files, with the last of them. */
import type { Write } from '../store/batch.ts'
import { uuid } from '../system/random.ts'
import type { AgentName } from './agents.ts'
import type { Desk } from './desk.ts'
import { Ledger } from './ledger.ts'

/** What `leaving` says of whoever came for one thing; nothing of one that came to stay. */
export const stays = {
  /** Until its files are released. */
  forFiles: 1,
  /** It has not said goodbye yet. */
  asGuest: 2,
}

export async function sayGoodbye(write: Write, desk: Desk, agent: AgentName): Promise<void> {
  const whose = [desk.project, agent.agent_id]
  const which = 'WHERE project = ? AND agent_id = ?'
  const claims = await write.all(`SELECT file_path FROM file_claims ${which} LIMIT 1`, ...whose)
  if (claims.length > 0) {
    const changed = [stays.forFiles, uuid()]
    await write.run(`UPDATE presence SET leaving = ?, token = ? ${which}`, ...changed, ...whose)
    return
  }
  const ledger = await Ledger.open(write, desk)
  await write.run(`DELETE FROM presence ${which}`, ...whose)
  ledger.record(agent, 'left')
}

/** For after a release: whoever has said goodbye goes with the last of its files. */
export async function leaveIfDone(write: Write, desk: Desk, agent: AgentName): Promise<void> {
  const [row] = await write.all(
    'SELECT leaving FROM presence WHERE project = ? AND agent_id = ?',
    desk.project,
    agent.agent_id,
  )
  if (row?.leaving === stays.forFiles) await sayGoodbye(write, desk, agent)
}
