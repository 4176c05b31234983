/** The mail that somebody has put into others' mailboxes, newest first, with what became of it. */

import type { StoredMessage } from '../message.ts'
import type { PostOffice } from '../post-office.ts'
import type { MailState } from './mail-receipts.ts'

export interface SentLetter {
  id: string
  to: string
  /** Nothing where whoever wrote the line left it out. */
  at: string | null
  state: 'queued' | MailState
  /** Nothing where it is queued, or nobody noted the time. */
  state_at: string | null
  /** How its reader was told of it, where that was noted. */
  notified_by?: string
  text: string
}

export interface SentLetterRequest {
  from: string
  to?: string | undefined
  limit: number
}

/** No more is held than is asked for, however much is in the mailboxes. */
export function sentMail(office: PostOffice, { from, to, limit }: SentLetterRequest): SentLetter[] {
  const names = to === undefined ? office.mailboxNames() : [to]
  const newest = new Newest(limit)
  for (const name of names) {
    office.mailbox(name).lookThrough((message) => {
      if (message.from === from) newest.add(name, message)
    })
  }
  const found = newest.list()
  const receipts = new Map(
    [...new Set(found.map(({ to }) => to))].map((name) => {
      const ids = found.filter(({ to }) => to === name).map(({ message }) => message.id)
      return [name, office.receipts(name).of(new Set(ids))]
    }),
  )
  return found.map(({ to, message }) => {
    const { id, created_at, read_flag, message: text } = message
    const receipt = receipts.get(to)?.get(id)
    const isRead = read_flag === true || receipt?.state === 'read'
    const state = isRead ? 'read' : (receipt?.state ?? 'queued')
    const state_at = receipt?.state === state ? receipt.at : null
    const at = typeof created_at === 'string' ? created_at : null
    const by = receipt?.by
    return { id, to, at, state, state_at, ...(by !== undefined && { notified_by: by }), text }
  })
}

interface Found {
  to: string
  message: StoredMessage
  /** What has no time that can be read counts as oldest. */
  ms: number
  /** In which order it was found: of one time, the later in a mailbox is the newer. */
  number: number
}

class Newest {
  readonly #limit: number
  #found: Found[] = []
  #number = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(to: string, message: StoredMessage): void {
    const ms = Date.parse(String(message.created_at)) || 0
    this.#found.push({ to, message, ms, number: this.#number++ })
    if (this.#found.length >= 2 * this.#limit) this.#found = this.list()
  }

  list(): Found[] {
    const newestFirst = (one: Found, other: Found) => other.ms - one.ms || other.number - one.number
    return this.#found.sort(newestFirst).slice(0, this.#limit)
  }
}
