/** One session is one agent: whoever registers in it is who it has been all along, under another name. */
import type { Write } from '../../store/batch.ts'
import { integer, text } from '../../store/store.ts'
import { uuid } from '../../system/random.ts'
import type { AgentName } from '../agents.ts'
import { handOn } from '../claims/taking.ts'
import type { Desk } from '../desk.ts'
import { enter } from '../entering.ts'
import { type Welcome, welcome } from '../inbox/company.ts'
import { countUnread, moveMark, moveMarkBack } from '../inbox/marks.ts'
import { Ledger } from '../ledger.ts'
import { broadcast, directChannel } from '../messages.ts'
import { type Session, type SessionFacts, saveSession, sessionOfKey } from './session-rows.ts'

export interface Registering {
  name: string
  role: string
}

/** Gives the agent of a session this name and role; it keeps its id, and what is unread under its former name stays so. */
export async function renameAgent(
  desk: Desk,
  session: Session,
  { name, role }: Registering,
): Promise<{ agent_id: string } & Welcome> {
  const { agent, namesakes } = await desk.queue.write(async (write) => {
    const current = (await sessionOfKey(write, desk.project, session.key)) ?? session
    const { agent_id, place } = current
    const newcomer = { name, role, agent_id, place, isRenamed: true }
    const entered = await enter(write, desk, newcomer)
    const former = current.name === name ? current.former : current.name
    await saveSession(write, desk, current, { ...current, former })
    return entered
  })
  const told = await welcome(desk, agent, namesakes)
  const notes = [told.note, await formerNote(desk, agent, session.name)]
  const note = notes.filter((one) => one !== undefined).join(' ')
  return { agent_id: agent.agent_id, ...told, ...(note !== '' && { note }) }
}

async function formerNote(
  desk: Desk,
  agent: AgentName,
  former: string,
): Promise<string | undefined> {
  if (former === agent.name) return undefined
  const channel = directChannel(former)
  const unread = await countUnread(desk, agent, [channel])
  if (unread === 0) return undefined
  const those = unread === 1 ? '1 message is' : `${unread} messages are`
  return `${those} unread in ${channel}, as you were called before: read_messages with channel ${JSON.stringify(channel)} and unread: true.`
}

/** From now on the session is this agent; what its former one held and was handed is this one's, and that one leaves. */
export async function becomeAgent(
  write: Write,
  desk: Desk,
  session: Session,
  agentId: string,
): Promise<Pick<SessionFacts, 'agent_id' | 'former'>> {
  const { project, clock } = desk
  const { agent_id, former } = session
  const [row] = await write.all(
    `SELECT a.name FROM agents a
      JOIN presence p ON p.project = a.project AND p.agent_id = a.agent_id
      WHERE a.project = ? AND a.agent_id = ?`,
    ...[project, agentId],
  )
  if (agentId === agent_id || !row) return { agent_id, former } // nobody of this project
  const to = { agent_id: agentId, name: text(row.name) }
  await takeMarks(write, project, session, to)
  if (!(await isShared(write, project, session))) {
    await handOn(write, desk, session, to)
    await leaveNow(write, desk, session)
  }
  await write.run(
    'UPDATE presence SET place = ?, last_seen_us = ?, token = ? WHERE project = ? AND agent_id = ?',
    ...[session.place, clock.now() * 1000, uuid(), project, agentId],
  )
  return { agent_id: agentId, former: session.name === to.name ? former : session.name }
}

/** Whether another session is the same agent. */
export async function isShared(
  write: Write,
  project: string,
  { agent_id, key }: Session,
): Promise<boolean> {
  const others = await write.all(
    "SELECT session_key FROM sessions WHERE project = ? AND agent_id = ? AND session_key <> ? AND state <> 'offline' LIMIT 1",
    ...[project, agent_id, key],
  )
  return others.length > 0
}

/** Without a notice that it is gone. */
export async function leaveNow(
  write: Write,
  desk: Desk,
  { agent_id, name }: AgentName,
): Promise<void> {
  const gone = await write.run(
    'DELETE FROM presence WHERE project = ? AND agent_id = ?',
    ...[desk.project, agent_id],
  )
  if (gone > 0) (await Ledger.open(write, desk)).record({ agent_id, name }, 'left')
}

/** What was handed to one in its own channel is not handed to the other again; to all was said what either of them has not read. */
async function takeMarks(
  write: Write,
  project: string,
  from: AgentName,
  to: AgentName,
): Promise<void> {
  const rows = await write.all(
    'SELECT channel, last_id FROM marks WHERE project = ? AND agent_id = ? AND channel IN (?, ?)',
    ...[project, from.agent_id, broadcast, directChannel(from.name)],
  )
  for (const row of rows) {
    const place = { channel: text(row.channel), after: integer(row.last_id) }
    if (place.channel !== broadcast) await moveMark(write, project, to.agent_id, place)
    else await moveMarkBack(write, project, to.agent_id, place)
  }
}
