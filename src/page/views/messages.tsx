/** Messages: by channel, agent or kind, live, with what became of each; the person answers in the same place. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { MessageView } from '../../person/shapes.ts'
import { Choice } from '../parts/choice.tsx'
import { answer, Compose, sendTo } from '../parts/compose.tsx'
import { AgentLink, Fault, Heading, Loading, ProjectChip } from '../parts/frame.tsx'
import { MessageList } from '../parts/message-list.tsx'
import { Receipt } from '../parts/state-badge.tsx'
import { LongText, Words } from '../parts/words.tsx'
import { boot, get } from '../state/api.ts'
import { useLive } from '../state/live.ts'
import { addressOfList, go, project, projectOfOpen, route } from '../state/route.ts'
import { agentsOf } from '../state/shared.ts'
import { plain } from '../state/unseen.ts'

export function MessagesView(): JSX.Element {
  const { query, id } = route.value
  const [isWriting, setWriting] = useState(false)
  const { channel = '', agent = '', kind = '' } = query
  return (
    <>
      <Heading title="Messages">
        <div class="row filters">
          <Filters channel={channel} agent={agent} kind={kind} />
          <button
            type="button"
            class="main"
            aria-expanded={isWriting}
            onClick={() => setWriting(!isWriting)}
          >
            Write
          </button>
        </div>
      </Heading>
      {isWriting && <Write onSent={() => setWriting(false)} />}
      <div class={`split${id === null ? '' : ' open'}`}>
        <div class="side">
          <MessageList query={{ project: project.value, channel, agent, kind }} />
        </div>
        {id !== null && <Letter key={`${projectOfOpen.value} ${id}`} id={id} />}
      </div>
    </>
  )
}

const kinds = [
  ['', 'All'],
  ['direct', 'Direct'],
  ['mailbox', 'Mailbox'],
] as const

function Filters({
  channel,
  agent,
  kind,
}: {
  channel: string
  agent: string
  kind: string
}): JSX.Element {
  const channels = useLive(
    `channels ${project.value}`,
    (signal) =>
      get<{ channels: { name: string }[] }>('/channels', { project: project.value }, signal),
    () => false,
  )
  const change = (query: Record<string, string>) =>
    go({ view: 'messages', query: { ...route.peek().query, ...query } })
  const names = [...new Set(agentsOf(project.value).map(({ name }) => name))]
  return (
    <>
      <Choice
        label="Kind"
        options={kinds}
        chosen={kind}
        onChoose={(value) => change({ kind: value })}
      />
      <label>
        <span class="hidden">Channel</span>
        <select
          value={channel}
          onChange={(event) => change({ channel: event.currentTarget.value })}
        >
          <option value="">every channel</option>
          {withChosen(channels.data?.channels.map(({ name }) => name) ?? [], channel).map(
            (name) => (
              <option key={name} value={name}>
                {plain(name)}
              </option>
            ),
          )}
        </select>
      </label>
      <label>
        <span class="hidden">Agent</span>
        <select value={agent} onChange={(event) => change({ agent: event.currentTarget.value })}>
          <option value="">everybody</option>
          {withChosen(names, agent).map((name) => (
            <option key={name} value={name}>
              {plain(name)}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

const withChosen = (names: string[], chosen: string): string[] =>
  chosen === '' || names.includes(chosen) ? names : [chosen, ...names]

/** To a name or to everybody, in one project. */
function Write({ onSent }: { onSent(): void }): JSX.Element {
  const { own = '', projects: known = [] } = boot.value ?? {}
  const projects = withChosen(
    known.map(({ name }) => name),
    own,
  )
  const [of, setOf] = useState(project.value ?? own)
  const [channel, setChannel] = useState('broadcast')
  const names = [
    ...new Set(
      agentsOf(of)
        .filter(({ state }) => state !== 'gone')
        .map(({ name }) => name),
    ),
  ]
  return (
    <div class="card">
      <div class="row">
        {project.value === null && (
          <label>
            Project{' '}
            <select value={of} onChange={(event) => setOf(event.currentTarget.value)}>
              {projects.map((name) => (
                <option key={name} value={name}>
                  {plain(name)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          To{' '}
          <select value={channel} onChange={(event) => setChannel(event.currentTarget.value)}>
            <option value="broadcast">everybody (broadcast)</option>
            {names.map((name) => (
              <option key={name} value={`@${name}`}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Compose
        about="write"
        label={`Message to ${channel}`}
        hasFocus
        isShort={false}
        send={sendTo(of, channel)}
        onSent={onSent}
      />
    </div>
  )
}

function Letter({ id }: { id: string }): JSX.Element {
  const of = projectOfOpen.value
  const { data, error, reload } = useLive(
    `message ${of} ${id}`,
    (signal) => get<MessageView>('/message', { project: of, id }, signal),
    (heard) => heard.kind === 'hint' && ['receipts', 'mailbox'].includes(heard.hint.about),
  )
  return (
    <article class="letter card" data-open>
      <a class="close" href={addressOfList('messages')}>
        Close
      </a>
      <Fault text={error} retry={reload} />
      {!data && error === undefined && <Loading />}
      {data && (
        <>
          <h2>
            <Words text={data.subject} />
          </h2>
          <p class="quiet">
            From <AgentLink name={data.from} of={data.project} /> to <Words text={data.channel} />,{' '}
            <time dateTime={data.at}>{new Date(data.at).toLocaleString()}</time>{' '}
            <ProjectChip name={data.project} /> <Receipt head={data} />
            {data.notified_by !== null && ` by ${data.notified_by}`}
          </p>
          <LongText text={data.body} label="Text of the message" />
          <Answer message={data} />
        </>
      )}
    </article>
  )
}

function Answer({ message }: { message: MessageView }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  if (message.from === boot.value?.person) return null
  return isOpen ? (
    <Compose
      about={`${message.project} ${message.id}`}
      label={`Answer ${message.from}`}
      hasFocus
      send={answer(message.project, message.id)}
      onSent={() => setOpen(false)}
    />
  ) : (
    <button type="button" data-key="r" onClick={() => setOpen(true)}>
      Answer
    </button>
  )
}
