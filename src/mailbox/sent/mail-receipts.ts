/** When the messages of a mailbox were told and read: beside the mailbox, whose lines are as other programs expect them. */
import { fstatSync, lstatSync, unlinkSync } from 'node:fs'
import { rfc3339 } from '../../system/clock.ts'
import { readRegularFile, replaceFile, syncFolder, writeAll } from '../../system/files.ts'
import { endsInsideLine, readLines } from '../../system/lines.ts'
import { log } from '../../system/log.ts'
import { withStorageErrors } from '../../system/post-office-folder.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { withLockedFile } from '../locked-file.ts'
import type { Mailbox } from '../mailbox.ts'

export type MailState = 'notified' | 'read'

interface MailReceipt {
  id: string
  state: MailState
  at: string
  /** How its reader was told of it; nothing where nobody noted that. */
  by?: string
}

/** So many messages of a mailbox that are gone are known as read. */
const pastKept = 5000

export class MailReceipts {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Adds what is not known yet, and gives its ids. A failure is logged and passed over, since mail must not wait for
   * this; nor does it wait for the disk: after a power cut the mailbox still tells what was read.
   */
  async note(state: MailState, ids: string[], now: number, by?: string): Promise<string[]> {
    if (ids.length === 0) return []
    try {
      const added = await withLockedFile(this.#path, { create: true, append: true }, (fd) => {
        // A message is read once. It is told of again and again, and the first time counts.
        const known = state === 'read' ? new Set() : new Set(idsToldIn(fd))
        const news = ids.filter((id) => !known.has(id))
        const lines = news.map((id) => `${JSON.stringify({ id, state, at: rfc3339(now), by })}\n`)
        const start = endsInsideLine(fd, fstatSync(fd).size) ? '\n' : ''
        if (lines.length > 0) writeAll(fd, Buffer.from(start + lines.join('')))
        return news
      })
      return added ?? []
    } catch (error) {
      log(`a receipt was not noted: ${error instanceof Error ? error.message : error}`)
      return []
    }
  }

  /** Another text whenever something was noted. */
  stamp(): string {
    const found = withStorageErrors(() =>
      lstatSync(this.#path, { bigint: true, throwIfNoEntry: false }),
    )
    return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : ''
  }

  /** What is known of these messages; the last state of each, with how it was told of before. */
  of(ids: Set<string>): Map<string, MailReceipt> {
    const found = new Map<string, MailReceipt>()
    const look = (fd: number) => {
      for (const receipt of receiptsIn(fd)) {
        if (!ids.has(receipt.id)) continue
        const before = found.get(receipt.id)
        const by = before?.by ?? receipt.by
        const last = before?.state === 'read' ? before : receipt
        found.set(receipt.id, { ...last, ...(by !== undefined && { by }) })
      }
    }
    withStorageErrors(() => readRegularFile(this.#path, look, undefined))
    return found
  }

  /**
   * Drops the receipts of messages that are gone, but for the last that were read: of those that are in
   * a channel too, nobody else knows it. None can be added meanwhile, so those of later messages stay.
   */
  async keepOnly(mailbox: Mailbox): Promise<void> {
    await withLockedFile(this.#path, {}, (fd) => {
      const there = new Set<string>()
      mailbox.lookThrough(({ id }) => there.add(id))
      const isGone = ({ id }: MailReceipt) => !there.has(id)
      const isPast = (receipt: MailReceipt) => isGone(receipt) && receipt.state === 'read'
      let [all, gone, past] = [0, 0, 0]
      for (const receipt of receiptsIn(fd)) {
        all++
        if (isGone(receipt)) gone++
        if (isPast(receipt)) past++
      }
      let tooMany = Math.max(0, past - pastKept)
      const dropped = gone - past + tooMany
      const isKept = (receipt: MailReceipt) =>
        !isGone(receipt) || (isPast(receipt) && tooMany-- <= 0)
      if (dropped === 0 && all > 0) return
      if (dropped < all) replaceFile(this.#path, linesOf(fd, isKept))
      else {
        unlinkSync(this.#path)
        syncFolder(this.#path)
      }
    })
  }
}

function* linesOf(fd: number, isKept: (receipt: MailReceipt) => boolean): Generator<Buffer> {
  for (const receipt of receiptsIn(fd)) {
    if (isKept(receipt)) yield Buffer.from(`${JSON.stringify(receipt)}\n`)
  }
}

function* idsToldIn(fd: number): Generator<string> {
  for (const { id, state } of receiptsIn(fd)) if (state === 'notified') yield id
}

/** A line that is none was cut short, and says nothing. */
function* receiptsIn(fd: number): Generator<MailReceipt> {
  for (const { bytes } of readLines(fd)) {
    const value = bytes && jsonOf(bytes.toString())
    if (!isRecord(value)) continue
    const { id, state, at, by } = value
    if (typeof id !== 'string' || typeof at !== 'string') continue
    const way = typeof by === 'string' && by.length <= 16 ? { by } : {}
    if (state === 'notified' || state === 'read') yield { id, state, at, ...way }
  }
}
