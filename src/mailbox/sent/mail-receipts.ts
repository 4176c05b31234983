/** When the messages of a mailbox were told and read: beside the mailbox, whose lines are as other programs expect them. */
import { fstatSync, unlinkSync } from 'node:fs'
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
}

export class MailReceipts {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Adds what is not known yet. A failure is logged and passed over, since mail must not wait for
   * this; nor does it wait for the disk: after a power cut the mailbox still tells what was read.
   */
  async note(state: MailState, ids: string[], now: number): Promise<void> {
    if (ids.length === 0) return
    try {
      await withLockedFile(this.#path, { create: true, append: true }, (fd) => {
        // A message is read once. It is told of again and again, and the first time counts.
        const known = state === 'read' ? new Set() : new Set(idsIn(fd))
        const lines = ids
          .filter((id) => !known.has(id))
          .map((id) => `${JSON.stringify({ id, state, at: rfc3339(now) })}\n`)
        const start = endsInsideLine(fd, fstatSync(fd).size) ? '\n' : ''
        if (lines.length > 0) writeAll(fd, Buffer.from(start + lines.join('')))
      })
    } catch (error) {
      log(`a receipt was not noted: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** What is known of these messages; the last state of each. */
  of(ids: Set<string>): Map<string, MailReceipt> {
    const found = new Map<string, MailReceipt>()
    const look = (fd: number) => {
      for (const receipt of receiptsIn(fd)) {
        const isNews = ids.has(receipt.id) && found.get(receipt.id)?.state !== 'read'
        if (isNews) found.set(receipt.id, receipt)
      }
    }
    withStorageErrors(() => readRegularFile(this.#path, look, undefined))
    return found
  }

  /** Drops the receipts of messages that are gone. None can be added meanwhile, so those of later messages stay. */
  async keepOnly(mailbox: Mailbox): Promise<void> {
    await withLockedFile(this.#path, {}, (fd) => {
      const kept = new Set<string>()
      mailbox.lookThrough(({ id }) => kept.add(id))
      let gone = 0
      let left = 0
      for (const id of idsIn(fd)) kept.has(id) ? left++ : gone++
      if (gone === 0 && left > 0) return
      if (left > 0) replaceFile(this.#path, linesOf(fd, kept))
      else {
        unlinkSync(this.#path)
        syncFolder(this.#path)
      }
    })
  }
}

function* linesOf(fd: number, kept: Set<string>): Generator<Buffer> {
  for (const receipt of receiptsIn(fd)) {
    if (kept.has(receipt.id)) yield Buffer.from(`${JSON.stringify(receipt)}\n`)
  }
}

function* idsIn(fd: number): Generator<string> {
  for (const { id } of receiptsIn(fd)) yield id
}

/** A line that is none was cut short, and says nothing. */
function* receiptsIn(fd: number): Generator<MailReceipt> {
  for (const { bytes } of readLines(fd)) {
    const value = bytes && jsonOf(bytes.toString())
    if (!isRecord(value)) continue
    const { id, state, at } = value
    if (typeof id !== 'string' || typeof at !== 'string') continue
    if (state === 'notified' || state === 'read') yield { id, state, at }
  }
}
