/** A person releases what an agent holds: it goes, the journal says by whom, and the agent is told, all at once. */
import { AgentMailError } from '../../errors.ts'
import type { Write } from '../../store/batch.ts'
import { type Row, StoreError, text } from '../../store/store.ts'
import type { Agents } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { leaveIfDone } from '../leaving.ts'
import { Ledger } from '../ledger.ts'
import { type PostedLetter, store } from '../messages.ts'
import { heldBy } from './held.ts'

export interface ReleaseByPerson {
  /** Exactly as it is held. */
  path: string
  /** Who must still hold it. */
  holder_id: string
  /** As whom the person acts. */
  agent_id: string
  /** What the holder is told. */
  letter: PostedLetter
}

/** Of what a note of the journal holds. */
const longestNote = 250

export function releaseByPerson(
  desk: Desk,
  agents: Agents,
  { path, holder_id, agent_id, letter }: ReleaseByPerson,
): Promise<{ message_id: number }> {
  return desk.queue.writeWith([agents.alive(agent_id)], async (write) => {
    const person = await agents.touch(write, agent_id)
    const row = await rowHeldBy(write, desk, path, holder_id)
    const holder = { agent_id: holder_id, name: text(row.agent_name) }
    const ledger = await Ledger.open(write, desk)
    const gone = await write.run(
      'DELETE FROM file_claims WHERE project = ? AND path_hash = ? AND agent_id = ?',
      ...[desk.project, text(row.path_hash), holder_id],
    )
    if (gone !== 1) throw new StoreError('again', 'another process released the claim')
    const note = [...`by ${person.name}`].slice(0, longestNote).join('')
    ledger.record(holder, 'released', { file_path: text(row.file_path), note })
    await leaveIfDone(write, desk, holder)
    return { message_id: await store(write, desk, person, letter, 'said') }
  })
}

async function rowHeldBy(write: Write, desk: Desk, path: string, holderId: string): Promise<Row> {
  const row = (await heldBy(write, desk.project, [path])).get(path)
  if (row?.agent_id === holderId) return row
  throw notHeldNow(path, row && text(row.agent_name))
}

/** @param holder whoever holds it now, if anybody does. */
export const notHeldNow = (path: string, holder: string | undefined): AgentMailError =>
  new AgentMailError(
    'conflict',
    holder === undefined ? `nobody holds ${path} any more` : `${path} is held by ${holder} now`,
    'Nothing was released. Look again who holds what.',
  )
