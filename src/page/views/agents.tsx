/** Agents: one list of all, and one of them with its files, its messages, its day; one click writes to it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AgentView } from '../../person/shapes.ts'
import { Compose, sendTo } from '../parts/compose.tsx'
import {
  ConnectFirst,
  Fault,
  FileLink,
  Heading,
  Loading,
  Nothing,
  ProjectChip,
} from '../parts/frame.tsx'
import { Rows } from '../parts/list.tsx'
import { MessageList } from '../parts/message-list.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { Ago, count, Words } from '../parts/words.tsx'
import { useLive } from '../state/live.ts'
import { addressOfView, project, route } from '../state/route.ts'
import { agents, agentsFault, agentsOf } from '../state/shared.ts'
import { allClaims } from './files.tsx'
import { ReleaseButton } from './release.tsx'

const order: AgentView['state'][] = ['waits', 'silent', 'working', 'here', 'ready', 'gone']

/** Who was never heard of is not who has fallen silent. */
const rank = ({ state, since }: AgentView): number =>
  order.indexOf(state === 'silent' && since === null ? 'ready' : state)

export function AgentsView(): JSX.Element {
  const { id } = route.value
  return id === null ? <AllAgents /> : <OneAgent key={`${project.value} ${id}`} name={id} />
}

function AllAgents(): JSX.Element {
  const list = agentsOf(project.value).sort((one, other) => rank(one) - rank(other))
  return (
    <>
      <Heading title="Agents" />
      <Fault text={agentsFault.value} />
      {agents.value === undefined && <Loading />}
      {agents.value && list.length === 0 && (
        <Nothing title="Nobody is here yet.">
          <ConnectFirst />
        </Nothing>
      )}
      {list.length > 0 && (
        <Rows
          count={list.length}
          rowHeight={innerWidth < 700 ? 104 : 72}
          label="Agents"
          row={(index) => (
            <AgentRow
              key={keyOf(list[index])}
              agent={list[index]}
              index={index}
              count={list.length}
            />
          )}
        />
      )}
    </>
  )
}

const keyOf = (agent: AgentView | undefined): string =>
  agent ? `${agent.project} ${agent.agent_id ?? ''} ${agent.name} ${agent.state === 'gone'}` : ''

function AgentRow({
  agent,
  index,
  count: all,
}: {
  agent: AgentView | undefined
  index: number
  count: number
}) {
  if (!agent) return null
  const { name, role, project: of, client, where, claims, files, unread, last_words } = agent
  return (
    <li class="line agent" aria-setsize={all} aria-posinset={index + 1}>
      <a href={addressOfView({ project: of, view: 'agents', id: name })} data-item>
        <span class="row">
          <StateBadge agent={agent} />
          <strong>
            <Words text={name} />
          </strong>
          {role !== null && (
            <span class="quiet role">
              <Words text={role} />
            </span>
          )}
          <ProjectChip name={of} />
          <span class="right quiet">
            {unread > 0 && <span class="unread">{unread} unread</span>}{' '}
            <Ago at={agent.last_heard} />
          </span>
        </span>
        <span class="one-line quiet">
          <Words text={client ?? where} />
          {claims > 0 && (
            <>
              {' · holds '}
              <span class="path">
                <Words text={files.join(', ')} />
              </span>
              {claims > files.length && ` and ${claims - files.length} more`}
            </>
          )}
          {last_words && (
            <>
              {' · “'}
              <Words text={last_words.text} />”
            </>
          )}
        </span>
      </a>
    </li>
  )
}

function OneAgent({ name }: { name: string }): JSX.Element {
  const [isWriting, setWriting] = useState(false)
  const found = agentsOf(project.value).filter((agent) => agent.name === name)
  const [agent] = found.sort((one, other) => rank(one) - rank(other))
  const of = agent?.project ?? project.value
  const claims = useLive(
    `claims of ${of} ${name}`,
    async (signal) => (await allClaims(of, signal)).claims.filter(({ agent }) => agent === name),
    (heard) => heard.kind === 'entry' && heard.entry.file !== null,
  )
  return (
    <>
      <Heading title={name}>
        <div class="row">
          <a href={addressOfView({ view: 'agents' })}>All agents</a>
          <a href={addressOfView({ project: of, view: 'timeline', query: { agent: name } })}>
            Time line
          </a>
          {of !== null && (
            <button
              type="button"
              class="main"
              data-key="r"
              aria-expanded={isWriting}
              onClick={() => setWriting(!isWriting)}
            >
              Write to <Words text={name} />
            </button>
          )}
        </div>
      </Heading>
      {agent ? (
        <p>
          <StateBadge agent={agent} /> <Words text={agent.role ?? ''} />{' '}
          <span class="quiet">
            <Words text={`${agent.client ?? ''} ${agent.where}`} /> · last heard of{' '}
            <Ago at={agent.last_heard} /> · {count(agent.unread, 'unread message')}
          </span>{' '}
          <ProjectChip name={agent.project} />
        </p>
      ) : (
        <p class="quiet">Nobody of this name is here now.</p>
      )}
      {isWriting && of !== null && (
        <Compose
          about={`to ${of} ${name}`}
          label={`Message to ${name}`}
          hasFocus
          send={sendTo(of, `@${name}`)}
          onSent={() => setWriting(false)}
        />
      )}
      <h2>Files</h2>
      {claims.data?.length === 0 && <p class="quiet">It holds none.</p>}
      <ul class="plain-list">
        {claims.data?.slice(0, 200).map((claim) => (
          <li key={claim.path} class="row">
            <FileLink path={claim.path} of={claim.project} /> <Ago at={claim.since} />
            <ReleaseButton claim={claim} />
          </li>
        ))}
      </ul>
      <h2>Messages</h2>
      <MessageList query={{ project: of, agent: name }} />
    </>
  )
}
