/** The frame of every view: its heading with the project, what is said where nothing is, and where something failed. */
import type { ComponentChildren, JSX } from 'preact'
import { boot } from '../state/api.ts'
import { addressOfView, go, project, route } from '../state/route.ts'
import { agents } from '../state/shared.ts'
import { plain } from '../state/unseen.ts'
import { count, Words } from './words.tsx'

export function Heading({
  title,
  children,
}: {
  title: string
  children?: ComponentChildren
}): JSX.Element {
  const known = boot.value?.projects ?? []
  const chosen = known.find(({ name }) => name === project.value)
  const isUnknown = project.value !== null && boot.value !== undefined && !chosen
  const { view, query } = route.value
  const change = (name: string) =>
    go({ project: name === '' ? null : name, view, query: view === 'search' ? query : {} })
  return (
    <header class="heading">
      <h1>
        <Words text={title} />
      </h1>
      <label class="switch">
        <span class="quiet">Project</span>
        <select
          value={project.value === null ? '' : `=${project.value}`}
          onChange={(event) => change(event.currentTarget.value.replace(/^=/, ''))}
        >
          <option value="">all projects</option>
          {known.map(({ name }) => (
            <option key={name} value={`=${name}`}>
              {plain(name)}
            </option>
          ))}
          {isUnknown && <option value={`=${project.value}`}>{plain(project.value ?? '')}</option>}
        </select>
      </label>
      <p class="quiet place">
        {chosen ? (
          <>
            <Words text={chosen.roots[0] ?? 'on another machine'} />
            {chosen.branch !== null && (
              <>
                {' · branch '}
                <Words text={chosen.branch} />
              </>
            )}
          </>
        ) : isUnknown ? (
          'Nothing is known of this project.'
        ) : known.length === 0 ? (
          'no project yet'
        ) : (
          count(known.length, 'project')
        )}
      </p>
      {children}
    </header>
  )
}

/** Names the project of something where several are shown. */
export function ProjectChip({ name }: { name: string | null }): JSX.Element | null {
  if (name === null || project.value === name) return null
  return (
    <span class="chip">
      <Words text={name} />
    </span>
  )
}

export function Nothing({
  title,
  children,
}: {
  title: string
  children?: ComponentChildren
}): JSX.Element {
  return (
    <div class="nothing">
      <p>
        <strong>
          <Words text={title} />
        </strong>
      </p>
      {children}
    </div>
  )
}

/** What to try next, as long as nobody has come at all. */
export function ConnectFirst(): JSX.Element | null {
  if (agents.value?.length !== 0) return null
  return (
    <p>
      <a href={addressOfView({ view: 'setup' })}>Connect a client</a>, then start your agents: they
      are here once they have registered or used a mailbox.
    </p>
  )
}

export function Fault({
  text,
  retry,
}: {
  text: string | undefined
  retry?: () => void
}): JSX.Element | null {
  if (text === undefined) return null
  return (
    <p class="fault" role="alert">
      <Words text={text} />{' '}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  )
}

export const Loading = (): JSX.Element => <p class="quiet loading">Loading…</p>

export function AgentLink({
  name,
  of = project.value,
}: {
  name: string
  of?: string | null
}): JSX.Element {
  return (
    <a href={addressOfView({ project: of, view: 'agents', id: name })}>
      <Words text={name} />
    </a>
  )
}

export function FileLink({
  path,
  of = project.value,
}: {
  path: string
  of?: string | null
}): JSX.Element {
  return (
    <a class="path" href={addressOfView({ project: of, view: 'files', id: path })}>
      <Words text={path} />
    </a>
  )
}
