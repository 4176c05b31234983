/** Search: one box over everything that was said, changed, held, drafted, and over who is here. */
import type { JSX } from 'preact'
import type { SearchView as Found } from '../../person/shapes.ts'
import { Fault, Heading, Loading, Nothing, ProjectChip } from '../parts/frame.tsx'
import { Ago, Words } from '../parts/words.tsx'
import { get } from '../state/api.ts'
import { useLive } from '../state/live.ts'
import { addressOfResult } from '../state/need.ts'
import { addressOfView, project, route } from '../state/route.ts'

export function SearchResults(): JSX.Element {
  const words = route.value.query.q ?? ''
  const { data, error, reload } = useLive(
    `search ${project.value} ${words}`,
    async (signal) =>
      words.trim() === ''
        ? { results: [] }
        : get<{ results: Found[] }>('/search', { project: project.value, words }, signal),
    () => false,
  )
  return (
    <>
      <Heading title="Search" />
      <Fault text={error} retry={reload} />
      {!data && error === undefined && <Loading />}
      {data?.results.length === 0 && (
        <Nothing
          title={words.trim() === '' ? 'What are you looking for?' : `Nothing has all of: ${words}`}
        >
          <p>
            Every word must occur, in whatever case: in messages, changes, mailbox mail, drafts,
            paths and names.
          </p>
          {project.value !== null && words.trim() !== '' && (
            <p>
              <a href={addressOfView({ project: null, view: 'search', query: { q: words } })}>
                Search all projects
              </a>
            </p>
          )}
        </Nothing>
      )}
      <ul class="cards" aria-label="Results">
        {data?.results.map((result, index) => (
          <li key={index} class="card">
            <a href={addressOfResult(result)} data-item class="whole">
              <span class="row">
                <span class="kind">{result.kind}</span> <ProjectChip name={result.project} />
                <strong>
                  <Words text={result.title} />
                </strong>
                <span class="right quiet">
                  <Ago at={result.at} />
                </span>
              </span>
              <span class="one-line quiet">
                <Words text={result.text} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
