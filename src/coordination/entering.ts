/** Coming into a project: under a new id, under an earlier one, or under another name than before. */
import { AgentMailError } from '../errors.ts'
import type { Write } from '../store/batch.ts'
import { integer, type Reader, text } from '../store/store.ts'
import { uuid } from '../system/random.ts'
import type { AgentName } from './agents.ts'
import type { Desk } from './desk.ts'
import { livingOf, type Namesake } from './inbox/company.ts'
import { leaveMarks, takeOver } from './inbox/marks.ts'
import { stays } from './leaving.ts'
import { Ledger } from './ledger.ts'

const livingAProject = 5_000

export interface Newcomer {
  name: string
  role: string
  /** What it was known by. */
  agent_id?: string | undefined
  /** It keeps its id also where that was known under another name, which it has no longer. */
  isRenamed?: boolean
  /** It comes for one thing, and reads no channel. */
  isGuest?: boolean
  place?: string | null
}

/** @returns who it is from now on, and who else of its name lives. */
export async function enter(
  write: Write,
  desk: Desk,
  { name, role, agent_id: earlier, isRenamed, isGuest, place = null }: Newcomer,
): Promise<{ agent: AgentName; namesakes: Namesake[] }> {
  const { project, clock } = desk
  const known = earlier && (await nameOfAgent(write, project, earlier))
  const isBack = known !== undefined && (known === name || isRenamed === true)
  const agent = { agent_id: earlier && isBack ? earlier : uuid(), name }
  const { agent_id } = agent
  await checkRoom(write, desk, agent_id)
  const ledger = await Ledger.open(write, desk)
  const which = 'WHERE project = ? AND agent_id = ?'
  if (isBack && known !== name) await leaveMarks(write, project, { agent_id, name: known })
  if (isBack) {
    const values = [name, role, project, agent_id]
    await write.run(`UPDATE agents SET name = ?, role = ? ${which}`, ...values)
  }
  if (isBack && known !== name) {
    await write.run(`UPDATE file_claims SET agent_name = ? ${which}`, name, project, agent_id)
  }
  const living = await livingOf(write, desk, name)
  const namesakes = living.filter((other) => other.agent_id !== agent_id)
  const others = namesakes.map((other) => other.agent_id)
  await takeOver(write, desk, ledger, { agent, others, isBack: known === name })
  const at = ledger.nextTime()
  await write.run(`DELETE FROM presence ${which}`, project, agent_id)
  write.append('presence', {
    project,
    agent_id,
    last_seen_us: clock.now() * 1000,
    token: uuid(),
    leaving: isGuest ? stays.asGuest : null,
    place,
  })
  if (!isBack) write.append('agents', { project, ...agent, role, registered_us: at })
  ledger.record(agent, 'registered', { at, note: role })
  return { agent, namesakes }
}

/** Refuses one more than may live; who lives already may come again. */
async function checkRoom(write: Write, desk: Desk, agentId: string): Promise<void> {
  const { project, clock, presence } = desk
  await Ledger.lookedAt(write, desk)
  const living = 'FROM presence WHERE project = ? AND last_seen_us >= ?'
  const since = (clock.now() - presence.staleMs) * 1000
  const [counted] = await write.all(`SELECT COUNT(*) AS agents ${living}`, project, since)
  if (integer(counted?.agents) < livingAProject) return
  const own = await write.all(
    `SELECT agent_id ${living} AND agent_id = ?`,
    ...[project, since, agentId],
  )
  if (own.length > 0) return
  throw new AgentMailError(
    'invalid_request',
    `too many agents: the project has ${integer(counted?.agents)} living ones of at most ${livingAProject}`,
    `Nobody was registered. Resume as one of yours with its agent_id, or wait: an agent that is silent for ${presence.staleMs / 1000} s counts no more.`,
  )
}

export async function nameOfAgent(
  reader: Reader,
  project: string,
  agentId: string,
): Promise<string | undefined> {
  const [row] = await reader.all(
    'SELECT name FROM agents WHERE project = ? AND agent_id = ?',
    ...[project, agentId],
  )
  return row && text(row.name)
}
