/** Acts as the agent of a session, which is registered first where it is not: every moment of a session begins here. */
import type { Write } from '../../store/batch.ts'
import type { AgentName, Agents } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { enter } from '../entering.ts'
import type { Receipts } from '../inbox/receipts.ts'
import type { Unread } from '../inbox/unread.ts'
import { Ledger } from '../ledger.ts'
import { chooseName, type SessionBeginning } from './naming.ts'
import {
  addSession,
  endOthers,
  isHeardLongAgo,
  type Session,
  type SessionFacts,
  type SessionState,
  saveSession,
  sessionKey,
  sessionOfKey,
} from './session-rows.ts'

/** Whoever a moment is of, and what was told with it. */
export interface SessionCaller extends SessionBeginning {
  /** The role of an agent that is new. */
  role: string
  /** Where it is when its place is another's. */
  elsewhere: string | null
  /** The folder in which it is, should it begin now. */
  home: string | null
  /** As the client's process was started; nothing where that is not told with this moment. */
  settings?: { guard: string | null; auto_claim: string | null } | undefined
  /** The mailbox of an agent of this name, if it has one. */
  mailboxOf(name: string, isGiven: boolean): string | null
}

export interface SessionParts {
  desk: Desk
  agents: Agents
  unread: Unread
  receipts: Receipts
}

export interface SessionActing {
  /** As it was before. */
  session: Session
  agent: AgentName
  /** To be changed; saved at the end. */
  facts: SessionFacts
}

/** In one transaction. */
export function actAs<T>(
  { desk, agents }: SessionParts,
  caller: SessionCaller,
  work: (write: Write, acting: SessionActing) => Promise<T>,
): Promise<T> {
  return desk.queue.write(async (write) => {
    const known = await sessionOfKey(write, desk.project, sessionKey(caller))
    const isThere = known !== undefined && known.state !== 'offline'
    const session = isThere ? known : await begin(write, desk, caller, known)
    const { agent_id, name, role, place } = session
    if (!session.isPresent) await enter(write, desk, { agent_id, name, role, place })
    else if (isThere) await agents.touch(write, agent_id)
    const facts: SessionFacts = { ...session, ...caller.settings }
    const result = await work(write, { session, agent: { agent_id, name }, facts })
    await saveSession(write, desk, session, facts)
    return result
  })
}

async function begin(
  write: Write,
  desk: Desk,
  caller: SessionCaller,
  own: Session | undefined,
): Promise<Session> {
  await Ledger.lookedAt(write, desk) // so that nobody comes between the choice and the name
  const { name, before, isGiven, isPlaceTaken } = await chooseName(write, desk, caller, own)
  const place = isPlaceTaken ? caller.elsewhere : caller.place
  const role = before?.role ?? caller.role
  const { agent } = await enter(write, desk, { name, role, place, agent_id: before?.agent_id })
  const key = sessionKey(caller)
  if (before) await endOthers(write, desk, agent.agent_id, key)
  const facts: SessionFacts = {
    agent_id: agent.agent_id,
    former: null,
    mailbox: isPlaceTaken ? null : caller.mailboxOf(name, isGiven),
    place,
    home: caller.home,
    state: 'ready',
    guard: caller.settings?.guard ?? null,
    auto_claim: caller.settings?.auto_claim ?? null,
  }
  if (own) await saveSession(write, desk, own, facts)
  else await addSession(write, desk, caller, facts)
  const session = await sessionOfKey(write, desk.project, key)
  if (!session) throw new TypeError('a session that was just added is not there')
  return session
}

/** The session as it is, where a write would tell nothing new; its sign of life is written with others'. */
export async function ifNothingChanges(
  { desk }: SessionParts,
  caller: SessionCaller,
  state: SessionState | undefined,
): Promise<Session | undefined> {
  const { store, project, presence } = desk
  const session = await sessionOfKey(store, project, sessionKey(caller))
  if (!session?.isPresent || session.state === 'offline') return undefined
  if (state !== undefined && state !== session.state) return undefined
  const { guard, auto_claim } = caller.settings ?? session
  if (guard !== session.guard || auto_claim !== session.auto_claim) return undefined
  if (presence.isOverdue(session.lastSeenUs) || isHeardLongAgo(session, desk)) return undefined
  presence.seen(project, session.agent_id)
  presence.called(project, session.agent_id)
  return session
}
