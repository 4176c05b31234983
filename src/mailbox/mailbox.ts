/** One mailbox file: append, take the oldest unread, remove what was read long ago. */
import { fstatSync, ftruncateSync, lstatSync, unlinkSync } from 'node:fs'
import { readRegularFile, replaceFile, syncFile, syncFolder, writeAll } from '../system/files.ts'
import {
  bytesOfLine,
  endsInsideLine,
  passOverLines,
  readLines,
  startOfLastLines,
  type TextLine,
} from '../system/lines.ts'
import type { Lock } from '../system/lock.ts'
import { withStorageErrors } from '../system/post-office-folder.ts'
import { type LockOptions, withLockedFile } from './locked-file.ts'
import {
  endsAsRead,
  isBlank,
  lineOf,
  type Message,
  messageOf,
  readMark,
  type StoredMessage,
  unreadFlagOffset,
  unreadMark,
} from './message.ts'
import { forgetPosition, rememberedPosition, rememberPosition } from './position.ts'

const newline = Buffer.from('\n')

/** A line that is no message: it is kept, and passed over. */
export interface DamagedLine {
  offset: number
  reason: 'not a message' | 'cut short' | 'too long to be a message'
}

export class Mailbox {
  readonly #path: string
  readonly #positionPath: string
  readonly #lock: LockOptions

  constructor(files: { path: string; positionPath: string }, lock?: Lock) {
    this.#path = files.path
    this.#positionPath = files.positionPath
    this.#lock = { lock }
  }

  /**
   * Stores a message at the end. When this returns, it is on disk.
   * @param options.isOnce it is not stored again where one of its id is there.
   */
  async append(message: Message, options: { isOnce?: boolean } = {}): Promise<void> {
    await withLockedFile(this.#path, { ...this.#lock, create: true, append: true }, (fd) => {
      if (options.isOnce && hasMessage(fd, message.id)) return
      const { size } = fstatSync(fd)
      const position = size === 0 ? 0 : rememberedPosition(this.#positionPath, fd)
      const line = lineOf(message)
      const isTorn = endsInsideLine(fd, size)
      try {
        writeAll(fd, isTorn ? Buffer.concat([newline, line]) : line)
        syncFile(fd)
      } catch (error) {
        ftruncateSync(fd, size)
        throw error
      }
      if (size === 0) syncFolder(this.#path)
      if (position !== undefined) rememberPosition(this.#positionPath, fd, position)
    })
  }

  /**
   * Hands out the oldest unread message, marked as read on disk before anybody sees it.
   * @param isWanted where it is not, it stays unread, and nothing is handed out.
   */
  take(
    onDamaged: (line: DamagedLine) => void = () => {},
    isWanted: (message: StoredMessage) => boolean = () => true,
  ): Promise<StoredMessage | undefined> {
    return withLockedFile(this.#path, this.#lock, (fd) => {
      let position = this.#firstOpen(fd)
      for (const line of readLines(fd, position)) {
        const content = contentOf(line)
        if (content.damaged) onDamaged({ offset: line.start, reason: content.damaged })
        if (!line.whole || (content.unread && !isWanted(content.unread))) break
        position = line.end
        if (!content.unread) continue
        if (markRead(fd, line)) rememberPosition(this.#positionPath, fd, position)
        else this.#replaceLine(fd, line, content.unread)
        return content.unread
      }
      rememberPosition(this.#positionPath, fd, position)
      return undefined
    })
  }

  /** Marks a message as read that its reader has seen elsewhere; whether it was unread. */
  async markRead(id: string): Promise<boolean> {
    const marked = await withLockedFile(this.#path, this.#lock, (fd) => {
      for (const line of readLines(fd, this.#firstOpen(fd))) {
        const { unread } = contentOf(line)
        if (unread?.id !== id) continue
        if (!markRead(fd, line)) this.#replaceLine(fd, line, unread)
        return true
      }
      return false
    })
    return marked ?? false
  }

  /** The newest message that waits. Takes no lock: a line that is being written is seen the next time. */
  newestUnread(): StoredMessage | undefined {
    const find = (fd: number) => {
      const start = this.#firstOpen(fd)
      let last: TextLine | undefined
      for (const line of readLines(fd, start))
        last = { ...line, bytes: line.bytes && Buffer.from(line.bytes) }
      let newest = last && contentOf(last).unread
      if (newest || !last) return newest
      for (const line of readLines(fd, start)) newest = contentOf(line).unread ?? newest
      return newest
    }
    return withStorageErrors(() => readRegularFile(this.#path, find, undefined))
  }

  /** Every message, oldest first; a line that is being written is passed over. Takes no lock. */
  lookThrough(look: (message: StoredMessage) => unknown): void {
    const pass = (fd: number) => {
      for (const line of readLines(fd)) {
        const message = line.whole && line.bytes ? messageOf(line.bytes) : undefined
        if (message) look(message)
      }
    }
    withStorageErrors(() => readRegularFile(this.#path, pass, undefined))
  }

  /** Those on the last so many lines, and no more than so many bytes; oldest first. Takes no lock. */
  newest(most: { lines: number; bytes: number }): StoredMessage[] {
    const find = (fd: number) =>
      Array.from(readLines(fd, startOfLastLines(fd, fstatSync(fd).size, most)), (line) =>
        line.whole && line.bytes ? messageOf(line.bytes) : undefined,
      )
    const found = withStorageErrors(() => readRegularFile(this.#path, find, []))
    return found.filter((message) => message !== undefined)
  }

  /** The newest of this id, read or not. */
  find(id: string): StoredMessage | undefined {
    let found: StoredMessage | undefined
    const pass = (fd: number) => {
      for (const { bytes, whole } of readLines(fd)) {
        if (!whole || !bytes?.includes(JSON.stringify(id).slice(1, -1))) continue
        const message = messageOf(bytes)
        if (message?.id === id) found = message
      }
    }
    withStorageErrors(() => readRegularFile(this.#path, pass, undefined))
    return found
  }

  /** Another text whenever it was written; empty where it is not there. */
  stamp(): string {
    const found = withStorageErrors(() =>
      lstatSync(this.#path, { bigint: true, throwIfNoEntry: false }),
    )
    return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : ''
  }

  /** What waits, oldest first. Takes no lock. */
  unread(): StoredMessage[] {
    return this.#unread((message) => message)
  }

  /** The ids of what waits. */
  unreadIds(): string[] {
    return this.#unread(({ id }) => id)
  }

  /** The same up to this one; none where it waits no longer, since the oldest is read first. */
  unreadUpTo(last: string): string[] {
    const ids = this.unreadIds()
    return ids.slice(0, ids.indexOf(last) + 1)
  }

  #unread<T>(factOf: (message: StoredMessage) => T): T[] {
    const find = (fd: number) =>
      Array.from(readLines(fd, this.#firstOpen(fd)), (line) => {
        const { unread } = contentOf(line)
        return unread && factOf(unread)
      })
    const found = withStorageErrors(() => readRegularFile(this.#path, find, []))
    return found.filter((fact) => fact !== undefined)
  }

  /** How many messages wait, and which lines hold no message. */
  inspect(): { unread: number; damaged: (DamagedLine & { number: number })[] } {
    const report: ReturnType<Mailbox['inspect']> = { unread: 0, damaged: [] }
    const look = (fd: number) => {
      let number = 0
      for (const line of readLines(fd)) {
        number++
        const { unread, damaged } = contentOf(line)
        if (unread) report.unread++
        if (damaged) report.damaged.push({ offset: line.start, number, reason: damaged })
      }
      return report
    }
    return withStorageErrors(() => readRegularFile(this.#path, look, report))
  }

  /**
   * Removes the messages that `isOld` names; unread ones and damaged lines stay whatever it says. A
   * mailbox left with nothing in it is removed.
   */
  async compact(
    isOld: (message: StoredMessage) => boolean,
    dryRun = false,
  ): Promise<{ messages: number; removed: boolean }> {
    const isRemoved = (line: TextLine) => {
      const message = line.whole && line.bytes ? messageOf(line.bytes) : undefined
      return message?.read_flag === true && isOld(message)
    }
    const result = await withLockedFile(this.#path, this.#lock, (fd) => {
      let messages = 0
      let kept = 0
      for (const line of readLines(fd)) {
        if (isRemoved(line)) messages++
        else if (!line.bytes || !isBlank(line.bytes)) kept++
      }
      const removed = kept === 0
      if (removed && !dryRun) {
        unlinkSync(this.#path)
        forgetPosition(this.#positionPath)
        syncFolder(this.#path)
      } else if (messages > 0 && !dryRun) {
        this.#rewrite(fd, (line) => (isRemoved(line) ? [] : asItIs(fd, line)))
      }
      return { messages, removed }
    })
    return result ?? { messages: 0, removed: false }
  }

  /** Where the first line starts that may be unread. */
  #firstOpen(fd: number): number {
    return passOverLines(fd, rememberedPosition(this.#positionPath, fd) ?? 0, endsAsRead)
  }

  /** For a line whose flag cannot be set in place: written by hand or by another program. */
  #replaceLine(fd: number, line: TextLine, message: StoredMessage): void {
    const replacement = Buffer.from(`${JSON.stringify({ ...message, read_flag: true })}\n`)
    this.#rewrite(fd, (other) => (other.start === line.start ? [replacement] : asItIs(fd, other)))
  }

  #rewrite(fd: number, transform: (line: TextLine) => Iterable<Buffer>): void {
    replaceFile(this.#path, linesThrough(fd, transform))
  }
}

function hasMessage(fd: number, id: string): boolean {
  for (const { bytes } of readLines(fd)) {
    if (bytes?.includes(id) && messageOf(bytes)?.id === id) return true
  }
  return false
}

function* linesThrough(fd: number, transform: (line: TextLine) => Iterable<Buffer>) {
  for (const line of readLines(fd)) yield* transform(line)
}

function asItIs(fd: number, line: TextLine): Iterable<Buffer> {
  if (!line.bytes) return bytesOfLine(fd, line)
  return [line.whole ? Buffer.concat([line.bytes, newline]) : line.bytes]
}

/** What matters about a line: an unread message, a damage, or neither (read, or blank). */
interface LineContent {
  unread?: StoredMessage
  damaged?: DamagedLine['reason']
}

function contentOf(line: TextLine): LineContent {
  if (!line.bytes) return { damaged: 'too long to be a message' }
  if (isBlank(line.bytes)) return {}
  if (!line.whole) return { damaged: 'cut short' }
  const message = messageOf(line.bytes)
  if (!message) return { damaged: 'not a message' }
  return message.read_flag === true ? {} : { unread: message }
}

function markRead(fd: number, line: TextLine): boolean {
  const offset = line.bytes && unreadFlagOffset(line.bytes)
  if (offset === undefined) return false
  const mark = (bytes: Buffer) => writeAll(fd, bytes, line.start + offset)
  try {
    mark(readMark)
    syncFile(fd)
  } catch (error) {
    mark(unreadMark) // nobody gets it, so it has to stay unread
    throw error
  }
  return true
}
