/** The page: its frame with the views, the search box and what needs the person, and the view that is open. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Help } from './parts/help.tsx'
import { Palette } from './parts/palette.tsx'
import { Words } from './parts/words.tsx'
import { isLoggedOut } from './state/api.ts'
import { overlay } from './state/keys.ts'
import { addressOfView, go, project, route, type ViewName, views } from './state/route.ts'
import { needsCount } from './state/shared.ts'
import { connection } from './state/stream.ts'
import { drop, toasts } from './state/toast.ts'
import { AgentsView } from './views/agents.tsx'
import { ApprovalsView } from './views/approvals.tsx'
import { FilesView } from './views/files.tsx'
import { MailListView } from './views/mail.tsx'
import { MessagesView } from './views/messages.tsx'
import { NeedsList } from './views/needs.tsx'
import { SearchResults } from './views/search.tsx'
import { SetupView } from './views/setup.tsx'
import { TimelineView } from './views/timeline.tsx'

const shown: Record<ViewName, () => JSX.Element> = {
  needs: NeedsList,
  agents: AgentsView,
  messages: MessagesView,
  files: FilesView,
  timeline: TimelineView,
  approvals: ApprovalsView,
  mail: MailListView,
  setup: SetupView,
  search: SearchResults,
}

export function App(): JSX.Element {
  const { view, query } = route.value
  const View = shown[view]
  useEffect(() => {
    // On a narrow screen the row of views is longer than the screen.
    document
      .querySelector('nav [aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [view])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <div class="top">
        <span class="brand">AgentMail</span>
        <search>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              go({
                view: 'search',
                query: { q: String(new FormData(event.currentTarget).get('q') ?? '') },
              })
            }}
          >
            <label>
              <span class="hidden">Search everything</span>
              <input
                id="search"
                name="q"
                type="search"
                placeholder="Search everything  /"
                defaultValue={query.q ?? ''}
              />
            </label>
          </form>
        </search>
        <Connection />
      </div>
      <nav aria-label="Views">
        <ul>
          {views.map(({ view: name, title }) => (
            <li key={name}>
              <a
                href={addressOfView({ project: project.value, view: name })}
                aria-current={name === view ? 'page' : undefined}
              >
                {title}
                {name === 'needs' && needsCount.value > 0 && (
                  <span class="count">
                    {needsCount.value}
                    <span class="hidden"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {isLoggedOut.value && <LoggedOut />}
      <main id="main" tabIndex={-1} class={view} hidden={isLoggedOut.value}>
        <View key={view} />
      </main>
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map(({ id, text, isError }) => (
          <p key={id} class={isError ? 'toast error' : 'toast'}>
            <Words text={text} />
            <button type="button" aria-label="Dismiss" onClick={() => drop(id)}>
              ×
            </button>
          </p>
        ))}
      </div>
      {overlay.value === 'palette' && <Palette />}
      {overlay.value === 'help' && <Help />}
    </>
  )
}

function Connection(): JSX.Element {
  const words = { connecting: 'connecting…', live: 'live', broken: 'no connection, trying again' }
  return (
    <span class={`connection ${connection.value}`} role="status">
      {isLoggedOut.value ? 'logged out' : words[connection.value]}
    </span>
  )
}

/** The view stays behind it, with what was typed there. */
function LoggedOut(): JSX.Element {
  return (
    <main>
      <h1>You are logged out</h1>
      <p>The session has ended, or the server was started anew.</p>
      <p>
        What you have typed is kept: log in there, then come back to this tab, and it goes on here.
      </p>
      <p>
        <a class="button" href={`/login${location.hash}`} target="_blank" rel="noreferrer">
          Log in, in a new tab
        </a>
      </p>
    </main>
  )
}
