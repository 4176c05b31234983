/** What a coordination database holds, read past the server, and what is wrong with it. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import * as z from 'zod'

/** `message <marker>` and `change <marker>` have an id, `claim <path> <agent_id>` has none. */
export interface Entry {
  name: string
  id: number | undefined
}

/** The first word of a text, by which a test knows it again. */
export const markerOf = (text: string) => text.split(' ', 1)[0]

export interface Stored {
  entries: Entry[]
  /** Sentences; none where all is well. */
  faults: string[]
}

const numbered = z.array(z.object({ id: z.int(), at: z.int(), text: z.string() }))
const counterNames = ['last_message', 'last_change', 'last_entry', 'last_us'] as const

/** Reads a copy, since whoever opens a database that was left by a killed process mends it. */
export function readStored(database: string): Stored {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-copy-'))
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(database + end)) copyFileSync(database + end, join(folder, `copy.db${end}`))
    }
    const copy = new DatabaseSync(join(folder, 'copy.db'))
    try {
      return read((sql) => copy.prepare(sql).all())
    } finally {
      copy.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function read(all: (sql: string) => unknown): Stored {
  const messages = numbered.parse(
    all('SELECT id, created_us AS at, body AS text FROM messages ORDER BY id'),
  )
  const changes = numbered.parse(
    all('SELECT id, announced_us AS at, summary AS text FROM changes ORDER BY id'),
  )
  const journal = numbered.parse(
    all(`SELECT entry AS id, at_us AS at, event || ' ' || coalesce(message_id, change_id, file_path, '') AS text
      FROM journal ORDER BY entry`),
  )
  const claims = z
    .array(z.object({ file_path: z.string(), agent_id: z.string() }))
    .parse(all('SELECT file_path, agent_id FROM file_claims'))
  const [counters] = z
    .array(z.object({ counters: z.string() }))
    .parse(all(`SELECT ${counterNames.join(" || ' ' || ")} AS counters FROM projects`))

  const told = (event: string) => journal.filter(({ text }) => text.startsWith(`${event} `))
  const latest = journal.at(-1)
  const expected = [messages.length, changes.length, journal.length, latest?.at ?? 0].join(' ')
  return {
    entries: [
      ...messages.map(({ id, text }) => ({ name: `message ${markerOf(text)}`, id })),
      ...changes.map(({ id, text }) => ({ name: `change ${markerOf(text)}`, id })),
      ...claims.map((claim) => ({
        name: `claim ${claim.file_path} ${claim.agent_id}`,
        id: undefined,
      })),
    ],
    faults: [
      ...z
        .array(z.object({ integrity_check: z.string() }))
        .parse(all('PRAGMA integrity_check'))
        .flatMap(({ integrity_check }) => (integrity_check === 'ok' ? [] : [integrity_check])),
      ...faultsOfSeries('messages', messages),
      ...faultsOfSeries('changes', changes),
      ...faultsOfSeries('journal', journal),
      ...faultsOfJournal('said', told('said'), messages),
      ...faultsOfJournal('announced', told('announced'), changes),
      ...(told('claimed').length === claims.length
        ? []
        : [`the journal tells of ${told('claimed').length} claims, and ${claims.length} are held`]),
      ...((counters?.counters ?? '0 0 0 0') === expected
        ? []
        : [`the counters are ${counters?.counters}, not ${expected}`]),
    ],
  }
}

/** Ids count from 1 without a gap, and times rise with them. */
function faultsOfSeries(what: string, rows: { id: number; at: number }[]): string[] {
  return rows.flatMap(({ id, at }, index) => [
    ...(id === index + 1 ? [] : [`${what}: ${id} stands at ${index + 1}`]),
    ...(at > (rows[index - 1]?.at ?? 0) ? [] : [`${what}: the time of ${id} does not rise`]),
  ])
}

/** Each row has its entry, in the same order. */
function faultsOfJournal(event: string, entries: { text: string }[], rows: { id: number }[]) {
  const told = entries.map(({ text }) => text).join()
  return told === rows.map(({ id }) => `${event} ${id}`).join()
    ? []
    : [`the journal tells something else than was ${event}`]
}
