/** What waits for the person, of every kind and in all projects. */
import type { AgentEntry } from '../../coordination/agents.ts'
import type { Project } from '../../coordination/coordination.ts'
import { titleOf } from '../../coordination/messages.ts'
import { timeText } from '../../coordination/time.ts'
import { AgentMailError } from '../../errors.ts'
import type { NeedsPage, NeedView } from '../shapes.ts'
import { stateSince } from './agent-state.ts'
import { recipientsOf } from './agents-view.ts'
import { conflictKey } from './conflicts.ts'
import { excerptOf } from './excerpts.ts'
import { type Undecided, undecided } from './needs-person.ts'
import type { SeenProject, Sight } from './sight.ts'

/** Of each kind in a project. */
const mostNeeds = 500
const agentsAPage = 500
const textShown = 400
const filesNamed = 3

export async function needsPage(sight: Sight): Promise<NeedsPage> {
  const { items, faults } = await undecided(sight.config)
  const needs = items.map(ofUndecided)
  for (const seen of await sight.projects()) {
    try {
      needs.push(...(await messagesFor(sight, seen, faults)))
      needs.push(...mailFor(sight, seen, faults))
      needs.push(...(await agentsFor(sight, seen)))
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      faults.push(`${seen.name} could not be looked at: ${error.message}`)
    }
  }
  return { needs: needs.sort(urgentThenNewest), faults }
}

/** What has no time that can be read counts as oldest. */
const timeOf = ({ at }: NeedView): number => Date.parse(at ?? '') || 0

const urgentThenNewest = (one: NeedView, other: NeedView): number =>
  Number(other.urgent) - Number(one.urgent) || timeOf(other) - timeOf(one)

const ofUndecided = (item: Undecided): NeedView => ({
  key: `${item.kind} ${item.target}`,
  ...{ kind: item.kind, project: null, at: item.at, target: item.target },
  from: excerptOf(item.from),
  title: excerptOf(item.subject),
  text: excerptOf([item.to, item.reason ?? ''].filter((part) => part !== '').join(': '), textShown),
  urgent: item.isUrgent,
  ...(item.asked_by !== undefined && { asked_by: item.asked_by }),
})

async function messagesFor(
  { person }: Sight,
  { name, project }: SeenProject,
  faults: string[],
): Promise<NeedView[]> {
  const { inbox, has_more } = await project.inbox({ name: person, limit: mostNeeds })
  if (has_more) faults.push(`more messages wait for you in ${name} than are shown`)
  return inbox.map(({ id, from, at, text }) => ({
    key: `message ${id} ${name}`,
    ...{ kind: 'message', project: name, from, at, title: titleOf(text) },
    ...{ text: excerptOf(text, textShown), urgent: false, target: id },
  }))
}

function mailFor({ person }: Sight, { name, offices }: SeenProject, faults: string[]): NeedView[] {
  const waiting = offices.flatMap((office) => office.mailbox(person).unread())
  if (waiting.length > mostNeeds) faults.push(`more mail waits for you in ${name} than is shown`)
  return waiting.slice(0, mostNeeds).map(({ id, from, message, created_at }) => ({
    key: `mailbox ${id} ${name}`,
    ...{ kind: 'mailbox', project: name, from, title: titleOf(message) },
    at: typeof created_at === 'string' ? created_at : null,
    ...{ text: excerptOf(message, textShown), urgent: false, target: `${person}/${id}` },
  }))
}

/** Agents that ask, that are silent though others may want what they hold, and that want what another holds. */
async function agentsFor(sight: Sight, seen: SeenProject): Promise<NeedView[]> {
  const { overview } = seen.project
  const { nowUs } = overview
  const agents = await allAgents(seen.project)
  const signs = await overview.signs(agents.map(({ agent_id }) => agent_id))
  const recipients = new Map(recipientsOf(seen).map((one) => [one.name, one]))
  const states = agents.map((agent) => {
    const facts = { signs: signs.get(agent.agent_id), recipient: recipients.get(agent.name) }
    return { agent, ...stateSince({ ...facts, registered_at: agent.registered_at, nowUs }) }
  })
  const silent = states.filter(({ state, agent }) => state === 'silent' && agent.claims > 0)
  const files = await overview.firstFiles(silent.map(({ agent }) => agent))
  const living = new Set(agents.map(({ agent_id }) => agent_id))
  return [
    ...states
      .filter(({ state }) => state === 'waits')
      .map(({ agent: { agent_id, name, role }, since }) => ({
        key: `waits ${agent_id} ${since}`,
        ...{ kind: 'waits' as const, project: seen.name, from: name, at: since, urgent: false },
        ...{ title: `${name} waits for an answer`, text: role, target: name },
      })),
    ...silent.map(({ agent: { agent_id, name, claims }, since }) => ({
      key: `silent ${agent_id} ${since}`,
      ...{ kind: 'silent' as const, project: seen.name, from: name, at: since, urgent: false },
      title: `${name} is silent and holds ${claims === 1 ? '1 file' : `${claims} files`}`,
      text: (files.get(agent_id) ?? []).slice(0, filesNamed).join(', '),
      target: name,
    })),
    ...(await sight.conflicts.in(seen.project, living)).map((claim) => ({
      key: conflictKey(claim),
      ...{ kind: 'conflict' as const, project: seen.name, from: claim.wanted_by, urgent: false },
      at: timeText(claim.at_us),
      title: `${claim.wanted_by} waits for ${claim.path}`,
      text: `held by ${claim.holder_name}`,
      target: claim.path,
    })),
  ]
}

async function allAgents(project: Project): Promise<AgentEntry[]> {
  const all: AgentEntry[] = []
  for (let after: string | undefined; ; ) {
    const page = await project.agents.list({ limit: agentsAPage, after })
    all.push(...page.agents)
    after = page.agents.at(-1)?.agent_id
    if (!page.has_more || after === undefined) return all
  }
}
