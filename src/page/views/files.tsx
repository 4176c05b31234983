/** Files: who holds what, folders folded, and the history of one path. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ClaimView, FileView } from '../../person/shapes.ts'
import { AgentLink, ConnectFirst, Fault, Heading, Loading, Nothing } from '../parts/frame.tsx'
import { JournalLine } from '../parts/journal-line.tsx'
import { Rows } from '../parts/list.tsx'
import { Ago, count, Words } from '../parts/words.tsx'
import { get } from '../state/api.ts'
import { type FileRow, fileRows } from '../state/file-tree.ts'
import { useLive } from '../state/live.ts'
import { addressInList, addressOfList, project, projectOfOpen, route } from '../state/route.ts'
import type { Heard } from '../state/stream.ts'
import { ReleaseButton } from './release.tsx'

/** To show more would take the page too long; the command lists them all. */
const mostClaims = 20_000
const claimsAPage = 500

interface ClaimsFound {
  claims: ClaimView[]
  isCut: boolean
}

export async function allClaims(of: string | null, signal: AbortSignal): Promise<ClaimsFound> {
  const found: ClaimView[] = []
  for (let after: string | undefined; ; ) {
    const page = await get<{ claims: ClaimView[]; has_more: boolean }>(
      '/claims',
      { project: of, after, limit: claimsAPage },
      signal,
    )
    found.push(...page.claims)
    const last = page.claims.at(-1)
    if (!page.has_more || !last) return { claims: found, isCut: false }
    if (found.length >= mostClaims) return { claims: found, isCut: true }
    after = of === null ? `${last.project}\n${last.path}` : last.path
  }
}

const concernsFiles = (heard: Heard): boolean =>
  heard.kind === 'entry' &&
  ['claimed', 'released', 'left', 'went stale'].includes(heard.entry.event)

export function FilesView(): JSX.Element {
  const { id } = route.value
  const { data, error, reload } = useLive(
    `claims ${project.value}`,
    (signal) => allClaims(project.value, signal),
    concernsFiles,
  )
  const [unfolded, setUnfolded] = useState<ReadonlyMap<string, boolean>>(new Map())
  const rows = data ? fileRows(data.claims, unfolded) : []
  const toggle = ({ key, isOpen }: FileRow) => setUnfolded(new Map(unfolded).set(key, !isOpen))
  return (
    <>
      <Heading title="Files">
        {data && (
          <p class="quiet">
            {count(data.claims.length, 'claim')}
            {data.isCut && ' and more: agentmail claims lists them all'}
          </p>
        )}
      </Heading>
      <Fault text={error} retry={reload} />
      <div class={`split${id === null ? '' : ' open'}`}>
        <div class="side">
          {!data && error === undefined && <Loading />}
          {data?.claims.length === 0 && (
            <Nothing title="Nobody holds a file.">
              <p>What agents claim, and what they edit, is here for as long as they hold it.</p>
              <ConnectFirst />
            </Nothing>
          )}
          {rows.length > 0 && (
            <Rows
              count={rows.length}
              rowHeight={36}
              label="Claims"
              row={(index) => <Row key={rows[index]?.key} row={rows[index]} onToggle={toggle} />}
            />
          )}
        </div>
        {id !== null && <OneFile key={`${projectOfOpen.value} ${id}`} path={id} />}
      </div>
    </>
  )
}

function Row({
  row,
  onToggle,
}: {
  row: FileRow | undefined
  onToggle(row: FileRow): void
}): JSX.Element | null {
  if (!row) return null
  const indent = { paddingInlineStart: `${0.5 + row.depth * 1.1}rem` }
  const { claim } = row
  if (!claim) {
    return (
      <li class="line file">
        <button
          type="button"
          data-item
          aria-expanded={row.isOpen}
          style={indent}
          onClick={() => onToggle(row)}
        >
          <span aria-hidden="true">{row.isOpen ? '▾' : '▸'} </span>
          <span class="path">
            <Words text={row.name} />
          </span>
          <span class="right quiet">{row.claims}</span>
        </button>
      </li>
    )
  }
  const isOpen = route.value.id === claim.path && projectOfOpen.value === claim.project
  return (
    <li class="line file">
      <a
        href={addressInList(claim.project, 'files', claim.path)}
        data-item
        aria-current={isOpen ? 'true' : undefined}
        style={indent}
      >
        <span class="path">
          <Words text={row.name} />
        </span>
        <span class="right">
          <Words text={claim.agent} />{' '}
          <span class="quiet">
            <Ago at={claim.since} after="" />
          </span>
        </span>
      </a>
    </li>
  )
}

function OneFile({ path }: { path: string }): JSX.Element {
  const of = projectOfOpen.value
  const { data, error, reload } = useLive(
    `file ${of} ${path}`,
    (signal) => get<FileView>('/file', { project: of, path }, signal),
    (heard) => heard.kind === 'entry' && heard.entry.file !== null,
  )
  return (
    <article class="letter card" data-open>
      <a class="close" href={addressOfList('files')}>
        Close
      </a>
      <h2 class="path">
        <Words text={path} />
      </h2>
      <Fault text={error} retry={reload} />
      {!data && error === undefined && <Loading />}
      {data?.claims.length === 0 && <p>Nobody holds it now.</p>}
      {data?.claims.map((claim) => (
        <p key={claim.path} class="row">
          <AgentLink name={claim.agent} of={claim.project} /> holds{' '}
          <span class="path">
            <Words text={claim.path} />
          </span>{' '}
          <Ago at={claim.since} before="for " after="" />{' '}
          {claim.by_hook && <span class="quiet">for this turn</span>}
          <ReleaseButton claim={claim} />
        </p>
      ))}
      <h3>History</h3>
      {data?.entries.length === 0 && <p class="quiet">Nothing is known of it.</p>}
      <ol class="history">
        {data?.entries.map((entry) => (
          <JournalLine key={entry.entry} entry={entry} />
        ))}
      </ol>
      {data?.has_more && (
        <p class="quiet">
          Older: agentmail history --file <Words text={path} />
        </p>
      )}
    </article>
  )
}
