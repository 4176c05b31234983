/** Sessions of coding clients: each is one agent of the project, from its first moment to its last. */
import { AgentMailError } from '../../errors.ts'
import type { Write } from '../../store/batch.ts'
import type { AgentName } from '../agents.ts'
import { heldAt, othersOver } from '../claims/held.ts'
import { tellRefused } from '../claims/refused.ts'
import { heldAsSeenBy, letGo, take } from '../claims/taking.ts'
import type { Desk } from '../desk.ts'
import { type Welcome, welcome } from '../inbox/company.ts'
import type { NotifiedWay } from '../inbox/receipts.ts'
import {
  actAs,
  ifNothingChanges,
  type SessionActing,
  type SessionCaller,
  type SessionParts,
} from './acting.ts'
import {
  announceEdits,
  type FileHolder,
  fileAt,
  holdersBelow,
  holdersOf,
  isClaimable,
  rememberEdits,
} from './edits.ts'
import { type HandedOver, type HandOverRequest, handOver } from './handing-over.ts'
import { becomeAgent, isShared, leaveNow, type Registering, renameAgent } from './joining.ts'
import {
  type Session,
  type SessionName,
  type SessionState,
  saveSession,
  sessionKey,
  sessionOfKey,
  sessionsWhere,
} from './session-rows.ts'
import { announce, type Untold, type WakingView, wakingView } from './waking.ts'

/** By its client, else by the tmux pane in which it is. */
export interface SessionSearch {
  client?: string | undefined
  session?: string | undefined
  place?: string | null | undefined
}

export class Sessions {
  readonly #parts: SessionParts
  readonly #desk: Desk

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#desk = parts.desk
  }

  /** Registered, or resumed. */
  async start(caller: SessionCaller): Promise<{ session: Session; welcome: Welcome }> {
    const session = await this.#act(caller, async (write, { facts, session }) => {
      facts.state = 'ready'
      const isThere = caller.place === session.place || caller.place === null
      if (!isThere && !(await this.#isTaken(write, session, caller.place))) {
        const name = caller.names[0] ?? session.name
        facts.place = caller.place
        facts.mailbox = caller.mailboxOf(name, caller.names.length > 0) ?? facts.mailbox
      }
      const { place, mailbox } = facts
      return { ...session, ...caller.settings, place, mailbox }
    })
    return { session, welcome: await welcome(this.#desk, session, []) }
  }

  /** Whether another session is in this pane. */
  async #isTaken(write: Write, { key }: Session, place: string | null): Promise<boolean> {
    if (!place?.startsWith(pane)) return false
    const which = "s.place = ? AND s.session_key <> ? AND s.state <> 'offline'"
    const others = await sessionsWhere(write, this.#desk.project, which, place, key)
    return others.length > 0
  }

  /** A sign of life, which costs no write where nothing has changed. */
  async note(caller: SessionCaller, state?: SessionState): Promise<Session> {
    const known = await ifNothingChanges(this.#parts, caller, state)
    if (known) return known
    return this.#act(caller, async (_, { facts, session }) => {
      facts.state = state ?? facts.state
      return session
    })
  }

  /**
   * Before an edit: what others hold is told, and nothing claimed then; else what is free is claimed
   * for the turn.
   * @param paths in their normal form.
   */
  async edit(
    caller: SessionCaller,
    paths: string[],
  ): Promise<{ session: Session; holders: FileHolder[] }> {
    const files = [...new Set(paths)].map(fileAt)
    const known = await ifNothingChanges(this.#parts, caller, 'work')
    if (known) {
      const { store, project } = this.#desk
      const isLeftAlone = known.guard === 'off' || files.length === 0
      const held = isLeftAlone ? undefined : await heldAt(store, project, files)
      const isOwn = files.every(({ path }) => held?.get(path)?.agent_id === known.agent_id)
      if (isLeftAlone || isOwn) return { session: known, holders: [] }
    }
    return this.#act(caller, async (write, { session, agent, facts }) => {
      facts.state = 'work'
      if (facts.guard === 'off' || files.length === 0) return { session, holders: [] }
      const held = await heldAsSeenBy(write, this.#desk, files, agent.agent_id)
      const holders = await holdersOf(write, this.#desk, files, held, agent.agent_id)
      const refused = files.flatMap((file) => {
        const row = othersOver(file, held, agent.agent_id).at(-1)
        return row ? [{ path: file.path, row }] : []
      })
      tellRefused(write, this.#desk, agent, refused)
      if (holders.length === 0 && facts.auto_claim !== 'off') {
        const free = files.filter((file) => isClaimable(file) && !held.has(file.path))
        await take(write, this.#desk, agent, free, true)
      }
      return { session, holders }
    })
  }

  /** @param paths in their normal form. */
  async edited(caller: SessionCaller, paths: string[]): Promise<Session> {
    const files = [...new Set(paths)].filter((path) => isClaimable(fileAt(path)))
    return this.#act(caller, async (write, { session, facts }) => {
      facts.state = 'work'
      await rememberEdits(write, this.#desk, session.key, files)
      return session
    })
  }

  /** Who else holds these, or what is below them; nothing is claimed. */
  async holders({ agent_id }: Session, paths: string[]): Promise<FileHolder[]> {
    const { store, project } = this.#desk
    const files = [...new Set(paths)].map(fileAt)
    const held = await heldAt(store, project, files)
    return [
      ...(await holdersOf(store, this.#desk, files, held, agent_id)),
      ...(await holdersBelow(store, this.#desk, files, agent_id)),
    ]
  }

  /** The normal form of a path, or nothing where it is outside the project. */
  async normal(path: string): Promise<string | undefined> {
    try {
      return (await this.#desk.normalPaths([path]))[0]
    } catch (error) {
      if (AgentMailError.is(error, 'invalid_request')) return undefined
      throw error
    }
  }

  handOver(caller: SessionCaller, request: HandOverRequest): Promise<HandedOver> {
    return handOver(this.#parts, caller, request)
  }

  /** From now on the session is this agent, which was registered in it. */
  async become(caller: SessionCaller, agentId: string): Promise<void> {
    await this.#act(caller, async (write, { session, facts }) =>
      Object.assign(facts, await becomeAgent(write, this.#desk, session, agentId)),
    )
  }

  /** Gives the agent of a session this name and role; it keeps its id. Outside a session an agent is registered as ever. */
  async register(
    search: SessionSearch | undefined,
    input: Registering & { agent_id?: string | undefined },
  ): Promise<{ agent_id: string } & Welcome> {
    const session = search && (await this.#around(search))
    if (session && [undefined, session.agent_id].includes(input.agent_id)) {
      return renameAgent(this.#desk, session, input)
    }
    const registered = await this.#parts.agents.register(input)
    if (session) await this.#bind(session, registered.agent_id)
    return registered
  }

  async #bind({ key }: Session, agentId: string): Promise<void> {
    const { queue, project } = this.#desk
    await queue.write(async (write) => {
      const session = await sessionOfKey(write, project, key)
      if (!session) return
      const facts = await becomeAgent(write, this.#desk, session, agentId)
      await saveSession(write, this.#desk, session, { ...session, ...facts })
    })
  }

  /** The session that is meant, unless it has ended. By place only where that is a pane, of which each is somebody's own. */
  async find({ client, session, place }: SessionSearch): Promise<Session | undefined> {
    const { store, project } = this.#desk
    if (client !== undefined && session !== undefined) {
      const found = await sessionOfKey(store, project, sessionKey({ client, session }))
      if (found && found.state !== 'offline') return found
    }
    if (!place?.startsWith(pane)) return undefined
    const which = "s.place = ? AND s.state <> 'offline'"
    return (await sessionsWhere(store, project, which, place))[0]
  }

  /** The same for a process that it has started: a client that begins anew has another session, and the same agent. */
  async #around(search: SessionSearch): Promise<Session | undefined> {
    const { store, project } = this.#desk
    const { client, session } = search
    const found = await this.find(search)
    if (found || client === undefined || session === undefined) return found
    const ended = await sessionOfKey(store, project, sessionKey({ client, session }))
    const which = "s.agent_id = ? AND s.state <> 'offline'"
    return ended && (await sessionsWhere(store, project, which, ended.agent_id))[0]
  }

  /** Who a session is. @param hasMailbox from now on it has one under its name, where it had none. */
  async agentOf(search: SessionSearch, hasMailbox = false): Promise<AgentName | undefined> {
    const session = await this.#around(search)
    if (!session) return undefined
    const { agent_id, name, mailbox, place, key } = session
    if (hasMailbox && mailbox !== name && !place?.startsWith(pane)) {
      await this.#desk.queue.write(async (write) => {
        const current = await sessionOfKey(write, this.#desk.project, key)
        if (current) await saveSession(write, this.#desk, current, { ...current, mailbox: name })
      })
    }
    return { agent_id, name }
  }

  /** What a session could be woken for; nothing where nobody knows it. */
  view(name: SessionName): Promise<WakingView | undefined> {
    return wakingView(this.#parts, name)
  }

  /** Notes that an idle session is told of what waits for it, if it was not: whoever gets an answer that has any tells it. */
  announce(name: SessionName, by: NotifiedWay): Promise<Untold> {
    return announce(this.#parts, name, by)
  }

  /** Those of a client that are idle, whoever was heard of last first. */
  idle(client: string): Promise<Session[]> {
    const { store, project } = this.#desk
    return sessionsWhere(store, project, "s.client = ? AND s.state = 'ready'", client)
  }

  /** Everything is released, and nobody is told of a stale agent. */
  async end(name: SessionName): Promise<Session | undefined> {
    const { queue, project } = this.#desk
    return queue.write(async (write) => {
      const session = await sessionOfKey(write, project, sessionKey(name))
      if (!session || session.state === 'offline') return undefined
      await announceEdits(write, this.#desk, session.key, session)
      if (!(await isShared(write, project, session))) {
        await letGo(write, this.#desk, session)
        await leaveNow(write, this.#desk, session)
      }
      await saveSession(write, this.#desk, session, { ...session, state: 'offline' })
      return session
    })
  }

  #act<T>(
    caller: SessionCaller,
    work: (write: Write, acting: SessionActing) => Promise<T>,
  ): Promise<T> {
    return actAs(this.#parts, caller, work)
  }
}

/** How the place of a tmux pane begins. */
const pane = 'tmux '
