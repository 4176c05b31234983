/** What differs between two moments of a project: agents that came or went, claims, messages, changes. */
import type { Desk } from './desk.ts'
import { entryOf, momentOf, readJournal } from './history.ts'

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
const standingEvents = [...comings, ...goings].map((event) => `'${event}'`).join(', ')

/** From the first moment to the second; if that is the earlier one, what came since is told as removed. */
export async function readDifference(
  desk: Desk,
  request: DifferenceRequest,
): Promise<Difference[]> {
  const finder = await desk.versions?.finder()
  const from = await momentOf(desk, request.from, 'diff', finder)
  const to = await momentOf(desk, request.to, 'diff', finder)
  const [early, late] = from.entry <= to.entry ? [from, to] : [to, from]

  const standing: Standing = new Map()
  const before = readJournal(
    desk,
    [['j.entry <= ?', early.entry], [`j.event IN (${standingEvents})`]],
    early.version,
  )
  for await (const row of before) follow(standing, entryOf(row))
  const stood: Standing = new Map(standing)

  const said: Thing[] = []
  const between = readJournal(
    desk,
    [
      ['j.entry > ?', early.entry],
      ['j.entry <= ?', late.entry],
    ],
    late.version,
  )
  for await (const row of between) {
    const entry = entryOf(row)
    follow(standing, entry)
    if (typeof row.body === 'string') said.push(thing('message', entry))
    if (typeof row.summary === 'string') said.push(thing('change', entry))
  }

  const only = (one: Standing, other: Standing) =>
    [...one].filter(([key]) => !other.has(key)).map(([, value]) => value)
  const isForward = early === from
  const as = (change: Difference['change'], things: Thing[]): Difference[] =>
    things.map((one) => ({ change, ...one }))
  return [
    ...as(isForward ? 'removed' : 'added', only(stood, standing)),
    ...as(isForward ? 'added' : 'removed', [...only(standing, stood), ...said]),
  ].sort((a, b) => (a.at < b.at ? -1 : 1))
}

type Entry = ReturnType<typeof entryOf>

const thing = (what: Thing['what'], { event: _, commit: __, ...entry }: Entry): Thing => ({
  what,
  ...entry,
})

/** Brings what stands up to date with an entry. */
function follow(standing: Standing, entry: Entry): void {
  const what = entry.file === null ? 'agent' : 'claim'
  const key = `${entry.agent_id} ${entry.file ?? ''}`
  if (goings.includes(entry.event)) standing.delete(key)
  else if (comings.includes(entry.event) && !standing.has(key))
    standing.set(key, thing(what, entry))
}
