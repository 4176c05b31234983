/** Hears of what happens: one stream from the server, which goes on where it was after a break or a restart. */
import { signal } from '@preact/signals'
import type { Hint, JournalView, StreamEvents } from '../../person/shapes.ts'
import { addressOf, boot, enter } from './api.ts'
import { joinTabs, type Tabs } from './tabs.ts'

export type Heard =
  | { kind: 'entry'; entry: JournalView }
  | { kind: 'hint'; hint: Hint }
  | { kind: 'seen'; seen: StreamEvents['seen'] }
  /** Anything may have happened meanwhile. */
  | { kind: 'anything' }

type Listener = (heard: Heard) => void

export const connection = signal<'connecting' | 'live' | 'broken'>('connecting')

const firstPauseMs = 250
const longestPauseMs = 5000

const listeners = new Set<Listener>()
let cursor = ''
let source: EventSource | undefined
let pauseMs = firstPauseMs

export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What the tab that has the stream tells the others. */
interface TabWord {
  connection: typeof connection.value
  cursor: string
  heard?: Heard
}

let tabs: Tabs<TabWord> | undefined

/** Hears from now on: by a stream, or by the tab that has it. */
export function hear(): void {
  let isNew = true
  tabs = joinTabs<TabWord>({
    lead: () => void connect(),
    take: (word) => {
      cursor = word.cursor
      connection.value = word.connection
      const heard = isNew ? { kind: 'anything' as const } : word.heard
      isNew = false
      // The server may be another than the one that this tab knows.
      if (heard?.kind === 'anything') void enter().catch(() => {})
      if (heard) spread(heard)
    },
    greeting: () => ({ connection: connection.value, cursor }),
  })
}

/** Here, and in the other tabs. */
function tell(heard: Heard): void {
  tabs?.tell({ connection: connection.value, cursor, heard })
  spread(heard)
}

function spread(heard: Heard): void {
  const isNewProject = heard.kind === 'hint' && heard.hint.about === 'projects'
  if (isNewProject) void enter().catch(() => {})
  for (const listener of [...listeners]) listener(heard)
}

async function connect(): Promise<void> {
  try {
    const known = await enter()
    if (cursor === '') cursor = known.cursor
    open()
  } catch {
    later() // whoever is logged out may log in meanwhile, in another tab
  }
}

function open(): void {
  source?.close()
  const stream = new EventSource(addressOf('/events', { cursor }))
  source = stream
  let isFirst = true
  const on = <Name extends keyof StreamEvents>(
    event: Name,
    take: (data: StreamEvents[Name]) => void,
  ) =>
    stream.addEventListener(event, ({ data, lastEventId }) => {
      if (lastEventId !== '') cursor = lastEventId
      take(JSON.parse(data))
    })
  on('hello', ({ instance }) => {
    pauseMs = firstPauseMs
    connection.value = 'live'
    if (isFirst) tell({ kind: 'anything' }) // of what hints tell nothing is kept
    isFirst = false
    if (boot.value && boot.value.instance !== instance) void enter().catch(() => {})
  })
  on('entry', (entry) => tell({ kind: 'entry', entry }))
  on('hint', (hint) => tell({ kind: 'hint', hint }))
  on('seen', (seen) => tell({ kind: 'seen', seen }))
  on('reset', (reset) => {
    cursor = reset.cursor
    tell({ kind: 'anything' })
  })
  stream.onerror = () => {
    stream.close()
    if (source === stream) later()
  }
}

function later(): void {
  connection.value = 'broken'
  tabs?.tell({ connection: 'broken', cursor })
  setTimeout(connect, pauseMs)
  pauseMs = Math.min(longestPauseMs, pauseMs * 2)
}
