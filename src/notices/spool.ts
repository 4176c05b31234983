/** The notices that wait for one address, in the state folder: a file of lines, what was posted of them, and who posts. */
import { closeSync, fstatSync, ftruncateSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { systemClock } from '../system/clock.ts'
import {
  makeFolder,
  openRegularFile,
  readRegularFile,
  replaceFile,
  textHeld,
  writeAll,
} from '../system/files.ts'
import { endsInsideLine, readLines } from '../system/lines.ts'
import { openLocked } from '../system/lock.ts'
import { stateFolder } from '../system/places.ts'
import { randomId } from '../system/random.ts'
import { isRecord, jsonOf, sha256 } from '../system/text.ts'
import { countedOn, isSummary, isTime, type NoticeKind, type Waiting, waitingOf } from './notice.ts'

/** What has been posted, and what that says about the next. */
export interface Posted {
  /** When, within the last minute. */
  posts: number[]
  /** In a row. */
  failures: number
  /** Not before then. */
  nextMs: number
  /** Of what is over, posted or dropped: newest last. */
  done: string[]
  /** What was wrong with the last. */
  trouble: string
}

/** More are only counted. */
const mostWaiting = 1000
/** All that may stand in the file, and those before, so that what was told once is known for a while. */
const mostDone = 3 * mostWaiting
/** A thousand of the longest; more is no file of ours. */
const mostBytes = 8 << 20
/** Nobody holds the file for longer than it takes to add a line. */
const patienceMs = 1000
/** Within which a process that was started to post has come. */
const startingMs = 10_000

export class Spool {
  readonly #folder: string

  /** Each address has its own, so that nothing goes to another than it was meant for. */
  constructor(config: Config, url: URL) {
    this.#folder = join(stateFolder(config), 'notices', sha256(url.href).slice(0, 16))
  }

  path(name: 'waiting.jsonl' | 'posted.json' | 'poster' | 'poster.log'): string {
    return join(this.#folder, name)
  }

  get isEmpty(): boolean {
    return !lstatSync(this.path('waiting.jsonl'), { throwIfNoEntry: false })?.size
  }

  /** Whether it waits now; false where it was told before and is over. Not on disk for good: a system that goes down may lose it. */
  async add(notice: Waiting & { kind: NoticeKind }): Promise<boolean> {
    makeFolder(this.#folder, 0o700)
    return this.#locked((fd) => {
      const { size } = fstatSync(fd)
      if (size > mostBytes) ftruncateSync(fd)
      const { count, last, isThere } = looked(fd, notice.id)
      if (isThere) return true
      if (this.posted().done.includes(notice.id)) return false
      const end = fstatSync(fd).size
      const begin = endsInsideLine(fd, end) ? '\n' : ''
      if (count < mostWaiting) writeAll(fd, lineOf(notice, begin), end)
      else if (last && isSummary(last.waiting)) {
        // Never shorter than what it goes over.
        const counts = countedOn(last.waiting.counts, notice.kind)
        writeAll(fd, lineOf({ ...last.waiting, counts }), last.start)
      } else {
        const { at, kind } = notice
        writeAll(fd, lineOf({ id: randomId(16), at, counts: countedOn({}, kind) }, begin), end)
      }
      return true
    })
  }

  /** In the order in which they were told. A line that is none, or is being written, is passed over. */
  waiting({ done } = this.posted()): Waiting[] {
    const over = new Set(done)
    const all = readRegularFile(this.path('waiting.jsonl'), (fd) => [...linesOf(fd)], [])
    return all.map(({ waiting }) => waiting).filter(({ id }) => !over.has(id))
  }

  /** What is counted so far stays as it is: further ones are counted anew. */
  seal(): Promise<void> {
    return this.#locked((fd) => writeAll(fd, Buffer.from('{}\n'), fstatSync(fd).size))
  }

  /** Takes what is over out of the file, once that is all of it; `then` is done before anybody can add to it. */
  async clear(posted: Posted, then = () => {}): Promise<boolean> {
    return this.#locked((fd) => {
      if (this.waiting(posted).length > 0) return false
      ftruncateSync(fd)
      then()
      return true
    })
  }

  posted(): Posted {
    const read = (fd: number) => {
      const [line] = readLines(fd)
      return line?.bytes && fstatSync(fd).size < mostBytes ? jsonOf(line.bytes.toString()) : {}
    }
    const value = readRegularFile<unknown>(this.path('posted.json'), read, {})
    const { posts, failures, nextMs, done, trouble } = isRecord(value) ? value : {}
    return {
      posts: Array.isArray(posts) ? posts.filter(isTime) : [],
      failures: isTime(failures) ? failures : 0,
      nextMs: isTime(nextMs) ? nextMs : 0,
      done: Array.isArray(done) ? done.filter((id) => typeof id === 'string') : [],
      trouble: typeof trouble === 'string' ? trouble : '',
    }
  }

  /** For good. By whoever posts. */
  save(posted: Posted): void {
    posted.done = posted.done.slice(-mostDone)
    replaceFile(this.path('posted.json'), [Buffer.from(`${JSON.stringify(posted)}\n`)])
  }

  /** From now on this process posts, until the descriptor is closed or it dies. Nothing where another does. */
  async hold(waitMs = 0): Promise<number | undefined> {
    makeFolder(this.#folder, 0o700)
    const fd = await openLocked({ ...this.#file('poster'), patienceMs: waitMs })
    if (fd !== undefined) rewrite(fd, `pid ${process.pid}`)
    return fd
  }

  /** Whether nobody posts, and nobody is on the way to do so: then it is the caller's to start one. */
  async needsPoster(): Promise<boolean> {
    const fd = await openLocked({ ...this.#file('poster'), patienceMs: 0 })
    if (fd === undefined) return false
    try {
      const now = systemClock.now()
      if (Math.abs(now - Number(textHeld(fd) || 0)) < startingMs) return false
      rewrite(fd, String(now))
      return true
    } finally {
      closeSync(fd)
    }
  }

  async #locked<T>(work: (fd: number) => T): Promise<T> {
    const fd = await openLocked({ ...this.#file('waiting.jsonl'), patienceMs, busy })
    if (fd === undefined) throw busy()
    try {
      return work(fd)
    } finally {
      closeSync(fd)
    }
  }

  #file(name: 'waiting.jsonl' | 'poster') {
    const path = this.path(name)
    return {
      open: () => openRegularFile(path, { create: true, isPrivate: true }),
      there: () => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
    }
  }
}

const busy = () => new AgentMailError('busy', 'another process has held the notices for too long')

function rewrite(fd: number, text: string): void {
  ftruncateSync(fd)
  writeAll(fd, Buffer.from(text), 0)
}

const lineOf = (waiting: Waiting, begin = ''): Buffer =>
  Buffer.from(`${begin}${JSON.stringify(waiting)}\n`)

function* linesOf(fd: number): Generator<{ start: number; waiting: Waiting }> {
  for (const { bytes, whole, start } of readLines(fd)) {
    const waiting = bytes && whole ? waitingOf(jsonOf(bytes.toString())) : undefined
    if (waiting) yield { start, waiting }
  }
}

/** How many lines there are, the last of them, and whether one is of this id. */
function looked(fd: number, id: string) {
  let count = 0
  let last: { start: number; waiting: Waiting } | undefined
  let isThere = false
  for (const { bytes, whole, start } of readLines(fd)) {
    count++
    // No text of others holds this: a quote in one is written as \".
    if (bytes?.includes(`"id":"${id}"`)) isThere = true
    const waiting = bytes && whole && count > mostWaiting && waitingOf(jsonOf(bytes.toString()))
    last = waiting ? { start, waiting } : undefined
  }
  return { count, last, isThere }
}
