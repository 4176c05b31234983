/** recipients.jsonl: who is there, whether they can be disturbed, and when they were last told. */
import { AgentMailError } from '../errors.ts'
import { rfc3339 } from '../system/clock.ts'
import { readRegularFile, replaceFile } from '../system/files.ts'
import { bytesOfLine, readLines, type TextLine } from '../system/lines.ts'
import { withStorageErrors } from '../system/post-office-folder.ts'
import { isRecord, jsonOf } from '../system/text.ts'
import { withLockedFile } from './locked-file.ts'
import type { Told } from './mailman/nudge-times.ts'

export const statuses = ['ready', 'work', 'offline'] as const
export type Status = (typeof statuses)[number]

export interface Recipient {
  name: string
  /** What the agent or its hooks said last; nothing where it has only registered. */
  status?: Status
  notified: boolean
  /** Unix time in milliseconds. */
  last_read_at?: number
  updated_at?: string
  notified_at?: string
  /** When it was first told of the mail that waits, and the id of the newest of that mail. */
  notified_since?: string
  notified_id?: string
  /** The same of mail that is in no mailbox. */
  notified_number?: number
  /** When it said its status, and from which pane. */
  status_at?: string
  status_pane?: string | null
  /** The tmux pane it last worked from, `%5`, and the process id of its tmux server; null for an agent outside tmux. */
  pane?: string | null
  server?: number | undefined
  /** Where its name is from. */
  source?: NameSource
}

/** AGENTMAIL_AGENT, `agentmail name`, or the name of a tmux window. */
const nameSources = ['environment', 'given', 'window'] as const
type NameSource = (typeof nameSources)[number]

/** Where an agent is, and where its name is from. */
export interface Registration {
  pane: string | null
  server?: number | undefined
  source: NameSource
}

/** Whether a name was given to its agent, and holds whatever tmux calls its window. */
export const isNameGiven = ({ source, pane }: Recipient): boolean =>
  source === 'environment' || source === 'given' || pane === null

/** Being at work is a sign of life too, which is noted so often. */
const signEveryMs = 10 * 60_000

export function checkStatus(status: string): Status {
  const known = statuses.find((one) => one === status)
  if (known) return known
  throw new AgentMailError('invalid_status', invalidStatus(status))
}

export const invalidStatus = (status: string) =>
  `Invalid status: ${status}. Valid: ${statuses.join(', ')}`

/** A line of the file: a recipient, or something else that is kept as it is. */
interface Entry {
  text: string
  recipient?: Recipient
  /** A line that is too long to be read; it has no text then. */
  long?: TextLine
}

export class Recipients {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  list(): Recipient[] {
    return recipientsOf(this.#entries())
  }

  /**
   * Puts an agent on the list if it is not there, and gives the list. Being there is no status: nobody
   * is disturbed who did not say so.
   */
  async register(
    name: string,
    { pane, server, source }: Registration,
    now: number,
    onChange: () => void = () => {},
  ): Promise<Recipient[]> {
    const known = this.list()
    const found = known.find((recipient) => recipient.name === name)
    const isSame = found?.pane === pane && found.server === server && found.source === source
    if (isSame && now - Date.parse(found.updated_at ?? '') < signEveryMs) return known
    await this.#change(name, (before) => ({
      ...(before ?? newcomer(name)),
      pane,
      server,
      source,
      updated_at: rfc3339(now),
    }))
    onChange()
    return this.list()
  }

  /** A pane bears this name no longer. */
  async leave(name: string, pane: string): Promise<void> {
    if (!this.list().some((one) => one.name === name && one.pane === pane)) return
    await this.#change(name, (before) => {
      const { pane: _, server: __, source: ___, ...rest } = before ?? newcomer(name)
      return rest
    })
  }

  setStatus(name: string, status: Status, pane: string | null, now: number): Promise<void> {
    return this.#change(name, (found) => {
      const { notified, ...rest } = found ?? newcomer(name)
      return {
        ...rest,
        status,
        notified: status === 'ready' && notified,
        updated_at: rfc3339(now),
        status_at: rfc3339(now),
        status_pane: pane,
      }
    })
  }

  setNotified(name: string, { at, since, id, number }: Told): Promise<void> {
    return this.#change(name, (found) => ({
      ...(found ?? newcomer(name)),
      notified: true,
      notified_at: rfc3339(at),
      notified_since: rfc3339(since),
      ...(id !== undefined && { notified_id: id }),
      ...(number !== undefined && { notified_number: number }),
    }))
  }

  setLastRead(name: string, now: number): Promise<void> {
    return this.#change(name, (found) => ({
      ...(found ?? newcomer(name)),
      last_read_at: now,
      updated_at: rfc3339(now),
    }))
  }

  /** Changes one entry, or adds it; `found` is what there is so far. */
  #change(name: string, update: (found: Recipient | undefined) => Recipient): Promise<void> {
    return this.#rewrite((entries) => {
      const isNamed = (entry: Entry) => entry.recipient?.name === name
      const recipient = update(entries.findLast(isNamed)?.recipient)
      const changed = { text: textOf(recipient), recipient }
      const at = entries.findIndex(isNamed)
      if (at === -1) return [...entries, changed]
      return [
        ...entries.slice(0, at),
        changed,
        ...entries.slice(at).filter((entry) => !isNamed(entry)),
      ]
    })
  }

  async removeWhere(isGone: (recipient: Recipient) => boolean): Promise<void> {
    await this.#rewrite((entries) =>
      entries.filter(({ recipient }) => !(recipient && isGone(recipient))),
    )
  }

  /** Lines that hold no recipient, by number. */
  damagedLines(): number[] {
    return this.#entries().flatMap((entry, index) =>
      entry.recipient || (entry.text.trim() === '' && !entry.long) ? [] : [index + 1],
    )
  }

  #entries(): Entry[] {
    return withStorageErrors(() => readRegularFile(this.#path, parse, []))
  }

  /** The whole file is small: it is written anew and put in place in one step. */
  async #rewrite(update: (entries: Entry[]) => Entry[]): Promise<void> {
    await withLockedFile(this.#path, { create: true }, (fd) => {
      const before = parse(fd)
      const after = update(before)
      const isKept = ({ text, long }: Entry, at: number) =>
        text === before[at]?.text && long === before[at]?.long
      if (after.length !== before.length || !after.every(isKept))
        replaceFile(this.#path, linesOf(fd, after))
    })
  }
}

const newcomer = (name: string): Recipient => ({ name, notified: false })

/** One recipient a name: where a name stands twice, the later line counts. */
function recipientsOf(entries: Entry[]): Recipient[] {
  const byName = new Map<string, Recipient>()
  for (const { recipient } of entries) if (recipient) byName.set(recipient.name, recipient)
  return [...byName.values()]
}

const parse = (fd: number): Entry[] => Array.from(readLines(fd), entryOf)

function entryOf(line: TextLine): Entry {
  if (!line.bytes) return { text: '', long: line }
  const text = line.bytes.toString()
  const recipient = recipientOf(text)
  return recipient ? { text, recipient } : { text }
}

function* linesOf(fd: number, entries: Entry[]) {
  for (const { text, long } of entries) {
    if (long) yield* bytesOfLine(fd, long)
    if (!long?.whole) yield Buffer.from(`${text}\n`)
  }
}

function recipientOf(text: string): Recipient | undefined {
  const value = jsonOf(text)
  if (!isRecord(value)) return undefined
  const { recipient, ...rest } = value
  const name = rest.name ?? recipient
  if (typeof name !== 'string' || name === '') return undefined
  const { status, last_read_at, pane, status_pane, server, source, notified_number, ...others } =
    rest
  const { updated_at, notified_at, notified_since, notified_id, status_at, ...unknown } = others
  const texts = { updated_at, notified_at, notified_since, notified_id, status_at }
  const known = statuses.find((one) => one === status)
  const from = nameSources.find((one) => one === source)
  return {
    ...unknown,
    name,
    ...(known && { status: known }),
    notified: rest.notified === true,
    ...(typeof last_read_at === 'number' ? { last_read_at } : {}),
    ...(typeof notified_number === 'number' ? { notified_number } : {}),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string')),
    ...(isPane(pane) ? { pane } : {}),
    ...(typeof server === 'number' ? { server } : {}),
    ...(from && { source: from }),
    ...(isPane(status_pane) ? { status_pane } : {}),
  }
}

const isPane = (value: unknown): value is string | null =>
  typeof value === 'string' || value === null

function textOf(recipient: Recipient): string {
  const { name, status, notified, last_read_at, updated_at, notified_at, ...rest } = recipient
  return JSON.stringify({ name, status, notified, last_read_at, updated_at, notified_at, ...rest })
}
