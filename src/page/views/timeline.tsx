/** Time line: the day of every agent, any moment of it as it was then, and who writes to whom. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { JournalPage } from '../../person/shapes.ts'
import { Choice } from '../parts/choice.tsx'
import {
  AgentLink,
  ConnectFirst,
  Fault,
  FileLink,
  Heading,
  Loading,
  Nothing,
} from '../parts/frame.tsx'
import { clock, count, Words } from '../parts/words.tsx'
import { get } from '../state/api.ts'
import { type Lane, lanesOf, matrixOf, momentIn } from '../state/day.ts'
import { useLive } from '../state/live.ts'
import { change, project, route } from '../state/route.ts'
import { now } from '../state/shared.ts'
import { plain } from '../state/unseen.ts'
import { allClaims } from './files.tsx'
import { Lanes, type Span } from './lanes.tsx'

const ranges = [
  ['1', '1 hour'],
  ['6', '6 hours'],
  ['12', '12 hours'],
  ['24', '24 hours'],
  ['168', '7 days'],
] as const
const mostEntries = 20_000
const mostLanes = 40
const hourMs = 3600_000

export function TimelineView(): JSX.Element {
  const { range = '12', agent = '', from: zoomFrom, to: zoomTo, at } = route.value.query
  const hours = Number(range) || 12
  const of = project.value
  const { data, error, reload } = useLive(
    `journal ${of} ${hours}`,
    async (signal) => {
      const since = new Date(now.peek() - hours * hourMs).toISOString()
      const [journal, { claims }] = await Promise.all([
        get<JournalPage>('/journal', { project: of, since, limit: mostEntries }, signal),
        allClaims(of, signal),
      ])
      return { ...journal, claims }
    },
    (heard) => heard.kind === 'entry' || (heard.kind === 'hint' && heard.hint.about === 'mailbox'),
  )
  const all = useMemo(() => (data ? lanesOf(data.entries, data.claims, data.mails) : []), [data])
  const lanes = all.filter((lane) => agent === '' || lane.agent === agent)
  const end = Math.max(now.value, latestIn(data))
  const whole: Span = { from: end - hours * hourMs, to: end }
  const span: Span = { from: Number(zoomFrom) || whole.from, to: Number(zoomTo) || whole.to }
  const moment = Number(at) || undefined
  return (
    <>
      <Heading title="Time line">
        <div class="row filters">
          <Choice
            label="How far back"
            options={ranges}
            chosen={range}
            onChoose={(value) => change({ range: value, from: '', to: '', at: '' })}
          />
          {zoomFrom !== undefined && (
            <button type="button" onClick={() => change({ from: '', to: '' })}>
              Show all of it
            </button>
          )}
          {agent !== '' && (
            <button type="button" onClick={() => change({ agent: '' })}>
              Show everybody
            </button>
          )}
        </div>
      </Heading>
      <Fault text={error} retry={reload} />
      {!data && error === undefined && <Loading />}
      {data && lanes.length === 0 && (
        <Nothing title="Nothing happened in this time.">
          <p>
            Each agent gets a lane here: what it holds is a bar, what it says a dot, what it changed
            a tick.
          </p>
          <ConnectFirst />
        </Nothing>
      )}
      {lanes.length > 0 && (
        <>
          {data?.cut_at != null && (
            <p class="quiet">Nothing is shown of before {clock(data.cut_at)}.</p>
          )}
          <p class="legend quiet">
            <span class="swatch bar" /> claim <span class="swatch dot" /> message{' '}
            <span class="swatch tick" /> change. Drag to zoom; click for a moment.
          </p>
          <Lanes
            lanes={lanes.slice(0, mostLanes)}
            span={span}
            moment={moment}
            onMoment={(time) => change({ at: String(Math.round(time)) })}
            onZoom={(zoom) =>
              change({ from: String(Math.round(zoom.from)), to: String(Math.round(zoom.to)) })
            }
          />
          {lanes.length > mostLanes && (
            <p class="quiet">And {lanes.length - mostLanes} others, quiet for longer.</p>
          )}
          <Moment lanes={lanes} span={span} at={moment ?? span.to} isLast={moment === undefined} />
          <Matrix lanes={lanes} span={span} />
        </>
      )}
    </>
  )
}

/** The clock of the page moves seldom, and what has just happened is shown all the same. */
const latestIn = (journal: JournalPage | undefined): number =>
  Math.max(
    0,
    ...[journal?.entries.at(-1), journal?.mails.at(-1)].map((last) =>
      last ? Date.parse(last.at) + 1 : 0,
    ),
  )

function Moment({
  lanes,
  span,
  at,
  isLast,
}: {
  lanes: Lane[]
  span: Span
  at: number
  isLast: boolean
}): JSX.Element {
  const there = momentIn(lanes, Math.min(at, span.to) - 1)
  return (
    <section class="card" aria-label="As it was">
      <label class="row">
        <strong>{isLast ? 'Now' : `As it was at ${clock(at)}`}</strong>
        <input
          type="range"
          aria-label="Moment"
          min={Math.round(span.from)}
          max={Math.round(span.to)}
          step={Math.max(1000, Math.round((span.to - span.from) / 500))}
          value={Math.round(at)}
          aria-valuetext={clock(at)}
          onInput={(event) => change({ at: event.currentTarget.value })}
        />
      </label>
      {there.length === 0 && <p class="quiet">Nobody {isLast ? 'is' : 'was'} here.</p>}
      <ul class="plain-list">
        {there.map(({ lane, paths }) => (
          <li key={lane.key}>
            <AgentLink name={lane.agent} of={lane.project} />{' '}
            {paths.length === 0 ? (
              <span class="quiet">{isLast ? 'holds' : 'held'} nothing</span>
            ) : (
              <>
                {isLast ? 'holds' : 'held'}{' '}
                {paths.slice(0, 8).map((path, index) => (
                  <span key={path}>
                    {index > 0 && ', '}
                    <FileLink path={path} of={lane.project} />
                  </span>
                ))}
                {paths.length > 8 && ` and ${paths.length - 8} more`}
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Matrix({ lanes, span }: { lanes: Lane[]; span: Span }): JSX.Element | null {
  const { rows, columns, highest, at } = matrixOf(lanes, span.from, span.to)
  if (rows.length === 0) return null
  return (
    <section class="card scroll" aria-label="Who writes to whom">
      <table class="matrix">
        <caption>Who writes to whom</caption>
        <thead>
          <tr>
            <th scope="col">from \ to</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Words text={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">
                <AgentLink name={row} />
              </th>
              {columns.map((column) => {
                const times = at(row, column)
                const level = times === 0 ? 0 : 1 + Math.floor((3 * times) / (highest + 1))
                return (
                  <td
                    key={column}
                    class={`heat${level}`}
                    title={
                      times > 0
                        ? plain(`${row} to ${column}: ${count(times, 'message')}`)
                        : undefined
                    }
                  >
                    {times > 0 ? times : ''}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
