/** recipients.jsonl: who is there, whether they can be disturbed, and when they were last told. */
import { rfc3339 } from '../system/clock.ts'
import { readRegularFile, replaceFile } from '../system/files.ts'
import { bytesOfLine, readLines, type TextLine } from '../system/lines.ts'
import { withStorageErrors } from '../system/post-office-folder.ts'
import { withLockedFile } from './locked-file.ts'
import type { Told } from './mailman/nudge-times.ts'
import {
  left,
  lineText,
  newcomer,
  panesUsed,
  type Recipient,
  type Registration,
  recipientIn,
  type Status,
  type UsedPane,
  withoutPlace,
  withPlaces,
} from './recipient.ts'

/** Being at work is a sign of life too, which is noted so often. */
const signEveryMs = 10 * 60_000

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
    await this.#change(name, (before = newcomer(name)) => {
      const others = panesUsed(before).filter((one) => one.pane !== pane || one.server !== server)
      const here = { pane, server, source, updated_at: rfc3339(now) }
      return withPlaces({ ...before, ...here }, others)
    })
    onChange()
    return this.list()
  }

  /**
   * Takes panes from whoever bears its name there no longer. Who has none left is no recipient until it is
   * back, unless somebody has its name who did not use it yet.
   */
  async leave(
    isLeft: (name: string, place: UsedPane) => boolean,
    isHeld: (name: string) => boolean,
  ) {
    const leaves = (one: Recipient) => panesUsed(one).some((place) => isLeft(one.name, place))
    if (!this.list().some(leaves)) return
    await this.#update((one) => {
      if (!leaves(one)) return one
      const places = panesUsed(one).filter((place) => !isLeft(one.name, place))
      const last = one.pane === null ? undefined : places.pop()
      if (one.pane === null) return withPlaces(one, places)
      if (!last) return isHeld(one.name) ? withoutPlace(one) : left(one)
      const { at: _, ...place } = last
      return withPlaces({ ...one, ...place }, places)
    })
  }

  /** Keeps of those who are gone that their name is nobody's. */
  async forget(isGone: (recipient: Recipient) => boolean): Promise<void> {
    await this.#update((one) => (isGone(one) ? left(newcomer(one.name)) : one))
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
      const changed = { text: lineText(recipient), recipient }
      const at = entries.findIndex(isNamed)
      if (at === -1) return [...entries, changed]
      return [
        ...entries.slice(0, at),
        changed,
        ...entries.slice(at).filter((entry) => !isNamed(entry)),
      ]
    })
  }

  #update(update: (recipient: Recipient) => Recipient): Promise<void> {
    return this.#rewrite((entries) =>
      entries.map((entry) => {
        const after = entry.recipient && update(entry.recipient)
        if (!after || after === entry.recipient) return entry
        return { text: lineText(after), recipient: after }
      }),
    )
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
  const recipient = recipientIn(text)
  return recipient ? { text, recipient } : { text }
}

function* linesOf(fd: number, entries: Entry[]) {
  for (const { text, long } of entries) {
    if (long) yield* bytesOfLine(fd, long)
    if (!long?.whole) yield Buffer.from(`${text}\n`)
  }
}
