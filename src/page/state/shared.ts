/** What several views and the frame know together: what needs the person, who is here, and the time. */
import { computed, signal } from '@preact/signals'
import type { AgentView, NeedsPage, NeedView } from '../../person/shapes.ts'
import { get } from './api.ts'
import { Asking } from './live.ts'
import { type Heard, listen } from './stream.ts'

export const needs = signal<NeedView[] | undefined>(undefined)
export const needsFaults = signal<string[]>([])
export const agents = signal<AgentView[] | undefined>(undefined)
export const agentsFault = signal<string | undefined>(undefined)
/** The server's clock may be another than the browser's. */
export const skewMs = signal(0)
/** Moves every so often, so that ages are right without anybody asking. */
export const now = signal(Date.now())
export const needsCount = computed(() => needs.value?.length ?? 0)

const tickMs = 10_000
/** As the server has it. */
const silentMs = 5 * 60_000

export const agentsOf = (project: string | null): AgentView[] =>
  (agents.value ?? []).filter((agent) => project === null || agent.project === project)

/** Whether somebody came, went, or holds something else. */
const concernsAgents = (heard: Heard): boolean =>
  heard.kind === 'entry' ||
  (heard.kind === 'hint' && ['agents', 'receipts', 'mailbox'].includes(heard.hint.about))

const concernsNeeds = (heard: Heard): boolean => heard.kind !== 'seen'

export function keepShared(onNeeds: (needs: NeedView[]) => void): void {
  const askNeeds = new Asking(async (signal) => {
    try {
      const page = await get<NeedsPage>('/needs', {}, signal)
      needs.value = page.needs
      needsFaults.value = page.faults
      onNeeds(page.needs)
    } catch (error) {
      needsFaults.value = [error instanceof Error ? error.message : String(error)]
    }
  })
  const askAgents = new Asking(async (signal) => {
    try {
      agents.value = (await get<{ agents: AgentView[] }>('/agents', {}, signal)).agents
      agentsFault.value = undefined
    } catch (error) {
      agentsFault.value = error instanceof Error ? error.message : String(error)
    }
  })
  listen((heard) => {
    if (heard.kind === 'anything' || concernsNeeds(heard)) askNeeds.soon(true)
    if (heard.kind === 'anything' || concernsAgents(heard)) askAgents.soon()
    if (heard.kind === 'seen') markSeen(heard.seen)
  })
  setInterval(() => {
    if (markSilent()) askNeeds.soon(true)
    if (!document.hidden) now.value = Date.now() + skewMs.value
  }, tickMs)
  document.addEventListener('visibilitychange', () => {
    now.value = Date.now() + skewMs.value
  })
}

/** That nothing happens is no event: whoever falls silent is noticed by the clock. Gives whether one did who holds something. */
function markSilent(): boolean {
  const before = Date.now() + skewMs.value - silentMs
  const isSilent = ({ state, last_heard }: AgentView) =>
    (state === 'working' || state === 'here') && Date.parse(last_heard ?? '') < before
  const silent = agents.value?.filter(isSilent) ?? []
  if (silent.length === 0) return false
  agents.value = agents.value?.map((agent) =>
    silent.includes(agent) ? { ...agent, state: 'silent', since: agent.last_heard } : agent,
  )
  return silent.some(({ claims }) => claims > 0)
}

/** Whoever was heard of is not silent any more. */
function markSeen(seen: { project: string; agents: string[]; at: string }): void {
  const ids = new Set(seen.agents)
  agents.value = agents.value?.map((agent) => {
    if (agent.project !== seen.project || !ids.has(agent.agent_id ?? '')) return agent
    const isBack = agent.state === 'silent'
    return {
      ...agent,
      last_heard: seen.at,
      ...(isBack && { state: 'here' as const, since: seen.at }),
    }
  })
}
