/** What a project offers: its agents, messages, claims and changes, and what is asked about them. */
import { Agents, type AgentsRequest } from '../agents.ts'
import { Changes } from '../changes.ts'
import { Claims } from '../claims/claims.ts'
import type { Desk } from '../desk.ts'
import { type Difference, type DifferenceRequest, readDifference } from '../difference.ts'
import { type HistoryEntry, type HistoryRequest, prunedBefore, readHistory } from '../history.ts'
import { type AnsweredMessage, answered } from '../inbox/answered.ts'
import { silenceOf } from '../inbox/company.ts'
import { type InboxPage, type InboxRequest, inboxOf } from '../inbox/inbox.ts'
import { Receipts } from '../inbox/receipts.ts'
import { type SentEntry, type SentRequest, sentBy } from '../inbox/sent.ts'
import { type StandingsPage, standAt, standingsOf } from '../inbox/standing.ts'
import { Unread } from '../inbox/unread.ts'
import { type WaitingEntry, type WaitingRequest, waitingFor } from '../inbox/waiting.ts'
import { Messages } from '../messages.ts'
import { ProjectOverview } from '../overview/overview.ts'
import {
  type FoundEntry,
  type SearchPage,
  type SearchRequest,
  searchProject,
} from '../search/search.ts'
import { Sessions } from '../sessions/sessions.ts'

export interface Project {
  /** What the tables know it by. */
  key: string
  agents: Agents
  messages: Messages
  /** What an agent was not handed yet. */
  unread: Unread
  receipts: Receipts
  claims: Claims
  changes: Changes
  /** Those of coding clients, each of which is an agent. */
  sessions: Sessions
  /** What a person looks at. */
  overview: ProjectOverview
  history(request: HistoryRequest): AsyncGenerator<HistoryEntry>
  difference(request: DifferenceRequest): AsyncGenerator<Difference>
  /** Before when something is missing in what `history` tells, if it is. */
  prunedBefore(request: HistoryRequest): Promise<{ pruned_before: string | null }>
  /** The direct messages that were sent under a name, newest first, with what became of them. */
  sent(request: SentRequest): Promise<{ sent: SentEntry[] }>
  /** The messages to a name, the oldest first; nothing is marked. */
  inbox(request: InboxRequest): Promise<InboxPage>
  /** Whoever has this name has answered a message to it. */
  answered(answer: AnsweredMessage): Promise<void>
  /** Why one of this name may not read soon what is written to it, in words; nothing where it lives, or nobody knows it. */
  silence(name: string): Promise<string | undefined>
  /** The registered agents, with where they stand and how much waits for them. */
  standings(request: AgentsRequest): Promise<StandingsPage>
  /** Notes from where an agent was registered. */
  standAt(agentId: string, place: string): Promise<void>
  /** Who of these names has messages to it that were not read. */
  waitingFor(request: WaitingRequest, signal?: AbortSignal): Promise<{ waiting: WaitingEntry[] }>
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchPage<FoundEntry>>
  /** Keeps an agent alive until the function that this gives is called. */
  hold(agentId: string, isInCall?: boolean): () => void
}

export function projectAt(desk: Desk): Project {
  const agents = new Agents(desk)
  const receipts = new Receipts(desk)
  const unread = new Unread(desk, agents, receipts)
  return {
    key: desk.project,
    agents,
    messages: new Messages(desk, agents, receipts),
    unread,
    receipts,
    claims: new Claims(desk, agents),
    changes: new Changes(desk, agents),
    sessions: new Sessions({ desk, agents, unread, receipts }),
    overview: new ProjectOverview(desk),
    history: (request) => readHistory(desk, request),
    difference: (request) => readDifference(desk, request),
    prunedBefore: (request) => prunedBefore(desk, request),
    sent: (request) => sentBy(desk, receipts, request),
    inbox: (request) => inboxOf(desk, receipts, request),
    answered: (answer) => answered(desk, agents, receipts, answer),
    silence: (name) => silenceOf(desk, name),
    standings: (request) => standingsOf(desk, agents, request),
    standAt: (agentId, place) => standAt(desk, agentId, place),
    waitingFor: (request, signal) => waitingFor(desk, request, signal),
    search: (request, signal) => searchProject(desk, request, signal),
    hold: (agentId, isInCall) => desk.presence.hold(desk.project, agentId, isInCall),
  }
}
