/** A stretch of time as lanes, one an agent: what it held, said, changed, and when it was here; and any moment of it. */
import type { ClaimView, JournalView, MessageHead } from '../../person/shapes.ts'

interface Bar {
  /** Before everything, where it is not known since when. */
  from: number
  /** After everything, while it lasts. */
  to: number
  path: string
}

export interface Lane {
  key: string
  project: string
  agent: string
  here: Omit<Bar, 'path'>[]
  bars: Bar[]
  /** What it said; mailbox mail among it. */
  dots: Dot[]
  ticks: { at: number; path: string; text: string }[]
  last: number
}

interface Dot {
  at: number
  id: string
  channel: string
  subject: string
}

export function lanesOf(entries: JournalView[], claims: ClaimView[], mails: MessageHead[]): Lane[] {
  const lanes = new Map<string, Lane>()
  const laneOf = (project: string, agent: string): Lane => {
    const key = `${project}\n${agent}`
    const known = lanes.get(key)
    if (known) return known
    const lane: Lane = { key, project, agent, here: [], bars: [], dots: [], ticks: [], last: 0 }
    lanes.set(key, lane)
    return lane
  }
  for (const { project, agent, path, since } of claims) {
    laneOf(project, agent).bars.push({
      from: Date.parse(since),
      to: Number.POSITIVE_INFINITY,
      path,
    })
  }
  // From the newest back: what is held now is known, and each release ends something older.
  const open = new Map<string, Bar>()
  const here = new Map<string, Omit<Bar, 'path'>>()
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]
    if (!entry) continue
    const { project, agent, agent_id, event, file, message, text } = entry
    const at = Date.parse(entry.at)
    const lane = laneOf(project, agent)
    lane.last = Math.max(lane.last, at)
    const held = `${lane.key}\n${file}`
    if (event === 'released' && file !== null) {
      const bar = { from: Number.NEGATIVE_INFINITY, to: at, path: file }
      lane.bars.push(bar)
      open.set(held, bar)
    } else if (event === 'claimed' && file !== null) {
      const bar = open.get(held)
      if (bar) bar.from = at
      open.delete(held)
    } else if (event === 'left' || event === 'went stale') {
      const stay = { from: Number.NEGATIVE_INFINITY, to: at }
      lane.here.push(stay)
      here.set(agent_id, stay)
    } else if (event === 'registered') {
      const stay = here.get(agent_id)
      if (stay) stay.from = at
      else lane.here.push({ from: at, to: Number.POSITIVE_INFINITY })
      here.delete(agent_id)
    } else if (event === 'announced' && file !== null)
      lane.ticks.push({ at, path: file, text: text ?? '' })
    if (message) lane.dots.push({ ...message, id: String(message.id), at })
  }
  for (const { project, from, id, channel, subject, at } of mails) {
    const lane = laneOf(project, from)
    lane.dots.push({ at: Date.parse(at), id, channel, subject })
    lane.last = Math.max(lane.last, Date.parse(at))
  }
  return [...lanes.values()].sort((one, other) => other.last - one.last)
}

const covers = ({ from, to }: Omit<Bar, 'path'>, at: number): boolean => from <= at && at < to

/** Who was here and held what at a moment. */
export function momentIn(
  lanes: Lane[],
  at: number,
): { lane: Lane; isHere: boolean; paths: string[] }[] {
  return lanes
    .map((lane) => ({
      lane,
      isHere:
        lane.here.some((stay) => covers(stay, at)) ||
        (lane.here.length === 0 && lane.bars.some((bar) => covers(bar, at))),
      paths: lane.bars.filter((bar) => covers(bar, at)).map(({ path }) => path),
    }))
    .filter(({ isHere, paths }) => isHere || paths.length > 0)
}

/** Who writes to whom, and how often; those who write or are written to most come first. */
export function matrixOf(lanes: Lane[], from: number, to: number, most = 14) {
  const counts = new Map<string, Map<string, number>>()
  const totals = new Map<string, number>()
  const add = (name: string, by: number) => totals.set(name, (totals.get(name) ?? 0) + by)
  for (const { agent, dots } of lanes) {
    for (const { at, channel } of dots) {
      if (at < from || at > to) continue
      const row = counts.get(agent) ?? new Map<string, number>()
      counts.set(agent, row.set(channel, (row.get(channel) ?? 0) + 1))
      add(agent, 1)
      if (channel.startsWith('@')) add(channel.slice(1), 1)
    }
  }
  const names = [...totals].sort((one, other) => other[1] - one[1]).map(([name]) => name)
  const rooms = [...new Set([...counts.values()].flatMap((row) => [...row.keys()]))].filter(
    (name) => !name.startsWith('@'),
  )
  const columns = [...names.slice(0, most).map((name) => `@${name}`), ...rooms.slice(0, 4)]
  const rows = names.slice(0, most).filter((name) => counts.has(name))
  const highest = Math.max(1, ...[...counts.values()].flatMap((row) => [...row.values()]))
  return {
    rows,
    columns,
    highest,
    at: (row: string, column: string) => counts.get(row)?.get(column) ?? 0,
  }
}
