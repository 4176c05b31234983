/** One table of everybodyPaired: the recipients of the mailbox and the registered agents; who is both, in one place, is one entry. */
import type { AgentEntry } from '../coordination/agents.ts'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { SessionState } from '../coordination/sessions/session-rows.ts'
import { timeText } from '../coordination/time.ts'
import type { Status } from '../mailbox/recipient.ts'
import type { RecipientEntry, Spot } from '../mailbox/recipient-entries.ts'
import { longSilenceMs } from '../mailbox/sent/silence.ts'
import { isElsewhere } from './namesakes.ts'
import { placeAt, whereIs } from './place.ts'

type Nullable<T> = { [Key in keyof T]: T[Key] | null }

/** Of one that is not registered, its name alone is known of what agents have. */
export interface DirectoryEntry extends Nullable<Omit<AgentEntry, 'name' | 'claims'>> {
  name: string
  claims: number
  /** `tmux %5` (or several panes), `outside tmux`; `registered` or `mailbox` where only that is known. */
  where: string
  /** What it or its session said of itself; `silent` where it was not heard of for long, and did not say that it is offline. */
  state: Status | SessionState | 'silent' | null
  /** The coding client whose session it is, where that is known. */
  client?: string
  /** In its mailbox and in `@name`. */
  unread: number
  last_heard: string | null
}

export interface Known {
  recipients: RecipientEntry[]
  agents: AgentStanding[]
  /** The id of this machine. */
  machine: string
  now: number
}

const mostCounted = 1000

/** Somebody who is registered, has a mailbox, or both. */
export interface Somebody {
  agent: AgentStanding | undefined
  recipient: RecipientEntry | undefined
}

/** The registered by their registration, then the others in their order. */
export function everybodyPaired({ recipients, agents, machine }: Omit<Known, 'now'>): Somebody[] {
  const left = new Map(recipients.map((recipient) => [recipient.name, recipient]))
  const owners = ownersOf(agents, left, machine)
  const registered = [...agents].sort(byRegistration).map((agent) => {
    const recipient = owners.get(agent.name) === agent ? left.get(agent.name) : undefined
    if (recipient) left.delete(agent.name)
    return { agent, recipient }
  })
  return [
    ...registered,
    ...[...left.values()].map((recipient) => ({ agent: undefined, recipient })),
  ]
}

/** In the same order. */
export function directory(known: Known): DirectoryEntry[] {
  const { machine, now } = known
  return everybodyPaired(known).map(entryOf)

  function entryOf({ agent, recipient }: Somebody) {
    const {
      place = null,
      unread = 0,
      is_guest: _,
      session,
      ...known
    } = agent ?? { ...nobody, name: recipient?.name ?? '' }
    const heard = Math.max(recipient?.lastSign ?? 0, Date.parse(agent?.last_seen ?? '') || 0)
    return {
      ...known,
      where: recipient ? whereAre(recipient.spots, machine) : whereIs(place, machine),
      state: stateOf(session?.state ?? recipient?.status, heard, now),
      unread: Math.min(unread + (recipient?.unread ?? 0), mostCounted),
      last_heard: heard > 0 ? timeText(heard * 1000) : null,
      ...(session && { client: session.client }),
    }
  }
}

/** Of several registered agents at the place of a recipient, whoever was heard of last is it. */
function ownersOf(
  agents: AgentStanding[],
  recipients: Map<string, RecipientEntry>,
  machine: string,
): Map<string, AgentStanding> {
  const owners = new Map<string, AgentStanding>()
  for (const agent of agents) {
    const spots = recipients.get(agent.name)?.spots ?? []
    const isLater = (agent.last_seen ?? '') >= (owners.get(agent.name)?.last_seen ?? '')
    if (isLater && !isElsewhere(agent, spots, machine)) owners.set(agent.name, agent)
  }
  return owners
}

const nobody = {
  ...{ agent_id: null, name: '', role: null, registered_at: null, last_seen: null, claims: 0 },
  ...{ place: null, unread: 0, is_guest: undefined, session: undefined },
}

const byRegistration = (one: AgentStanding, other: AgentStanding): number =>
  one.registered_at < other.registered_at ? -1 : 1

function whereAre(spots: Spot[], machine: string): string {
  const where = spots.map((spot) => whereIs(placeAt(machine, spot), machine))
  return [...new Set(where)].join(', ') || 'mailbox'
}

function stateOf(
  status: Status | SessionState | undefined,
  heard: number,
  now: number,
): DirectoryEntry['state'] {
  const isSilent = heard > 0 && now - heard >= longSilenceMs
  return isSilent && status !== 'offline' ? 'silent' : (status ?? null)
}
