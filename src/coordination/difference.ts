/** What differs between two moments of a project: agents that came or went, claims, messages, changes. */
import type { Row } from '../store/store.ts'
import type { Desk } from './desk.ts'
import {
  type Condition,
  historyEntryOf,
  momentOf,
  prunedAt,
  readJournal,
  versionToRead,
} from './history.ts'
import { checkHorizon } from './horizon.ts'

export interface Difference {
  change: 'added' | 'removed'
  what: 'agent' | 'claim' | 'message' | 'change'
  at: string
  agent_id: string
  agent_name: string
  file: string | null
  text: string | null
}

export interface DifferenceRequest {
  /** Times, or versions where the database keeps them. */
  from: string
  to: string
}

type Thing = Omit<Difference, 'change'>

/** What comes and goes, by what tells one from another. */
type Standing = Map<string, Thing>

const comings = ['registered', 'claimed']
const goings = ['left', 'went stale', 'released']
/** What something stands by, or does not any more, as SQL lists it. */
export const standingEvents = [...comings, ...goings].map((event) => `'${event}'`).join(', ')

/** From the first moment to the second; if that is the earlier one, what came since is told as removed. Oldest first. */
export async function* readDifference(
  desk: Desk,
  request: DifferenceRequest,
): AsyncGenerator<Difference> {
  const finder = await desk.versions?.finder()
  const from = await momentOf(desk, request.from, 'diff', finder)
  const to = await momentOf(desk, request.to, 'diff', finder)
  const isForward = from.entry <= to.entry
  const [early, late] = isForward ? [from, to] : [to, from]
  const check = async () => {
    for (const { version } of [early, late]) {
      checkHorizon(Math.min(from.us, to.us), await prunedAt(desk, version, finder), 'diff')
    }
  }
  await check()
  const [gone, come] = isForward ? (['removed', 'added'] as const) : (['added', 'removed'] as const)

  const before: Condition = ['j.entry <= ?', early.entry]
  const between: Condition[] = [
    ['j.entry > ?', early.entry],
    ['j.entry <= ?', late.entry],
  ]
  const comingAndGoing: Condition = [`j.event IN (${standingEvents})`]
  const stood: Standing = new Map()
  await follow(stood, readJournal(desk, [before, comingAndGoing], versionToRead(early)))
  const stands: Standing = new Map(stood)
  await follow(stands, readJournal(desk, [...between, comingAndGoing], versionToRead(late)))

  for (const [key, thing] of stood) if (!stands.has(key)) yield { change: gone, ...thing }
  for await (const row of readJournal(desk, between, versionToRead(late))) {
    const entry = historyEntryOf(row)
    const key = standingKey(entry)
    const came = stood.has(key) ? undefined : stands.get(key)
    if (came?.at === entry.at) yield { change: come, ...came }
    if (typeof row.body === 'string') yield { change: come, ...thingOf('message', entry) }
    if (typeof row.summary === 'string') yield { change: come, ...thingOf('change', entry) }
  }
  await check() // somebody may have pruned meanwhile
}

type Entry = ReturnType<typeof historyEntryOf>

const thingOf = (what: Thing['what'], { event: _, commit: __, ...entry }: Entry): Thing => ({
  what,
  ...entry,
})

export const isGoing = (event: string): boolean => goings.includes(event)

/** What tells one thing that stands from another. */
export const standingKey = ({ agent_id, file }: Pick<Entry, 'agent_id' | 'file'>): string =>
  `${agent_id} ${file ?? ''}`

/** Brings what stands up to date with entries of the journal. */
async function follow(standing: Standing, rows: AsyncIterable<Row>): Promise<void> {
  for await (const row of rows) {
    const entry = historyEntryOf(row)
    const key = standingKey(entry)
    const what = entry.file === null ? 'agent' : 'claim'
    if (isGoing(entry.event)) standing.delete(key)
    else if (!standing.has(key)) standing.set(key, thingOf(what, entry))
  }
}
