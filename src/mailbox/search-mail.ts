/** Finds mail in every mailbox of a post office, read or not, newest first. It takes no lock, and marks nothing. */
import { maxMessageBytes, type StoredMessage } from './message.ts'
import type { PostOffice } from './post-office.ts'

export interface MailSearch {
  isWanted(text: string): boolean
  /** The name of who sent it. */
  from?: string | undefined
  /** Whose mailbox. */
  to?: string | undefined
  /** Only later mail, in Unix milliseconds. */
  sinceMs?: number | undefined
  limit: number
  /** Only the last so many lines of each mailbox. */
  newest?: { lines: number; bytes: number } | undefined
}

export interface FoundMail {
  id: string
  from: string
  to: string
  /** When it was sent, in Unix milliseconds; nothing where it has no date: then it counts as the oldest. */
  sentMs: number | null
  text: string
}

/** Holds no more than it gives: other programs may have written any number of messages, and long ones. */
export function searchMail(
  office: PostOffice,
  { isWanted, from, to, sinceMs, limit, newest: last }: MailSearch,
): { results: FoundMail[]; has_more: boolean } {
  const newest: { ms: number; mail: FoundMail }[] = [] // and one more
  for (const name of office.mailboxNames()) {
    if (to !== undefined && name !== to) continue
    const look = (message: StoredMessage) => {
      if (from !== undefined && message.from !== from) return
      const ms = timeOfMail(message)
      if (sinceMs !== undefined && ms <= sinceMs) return
      const place = newest.findIndex((other) => other.ms <= ms)
      if ((place === -1 && newest.length > limit) || !isWanted(message.message)) return
      newest.splice(place === -1 ? newest.length : place, 0, { ms, mail: mailOf(message, name) })
      if (newest.length > limit + 1) newest.pop()
    }
    if (last) office.mailbox(name).newest(last).forEach(look)
    else office.mailbox(name).lookThrough(look)
  }
  const results = newest.slice(0, limit).map(({ mail }) => mail)
  return { results, has_more: newest.length > limit }
}

function timeOfMail({ created_at }: StoredMessage): number {
  const ms = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms
}

function mailOf(message: StoredMessage, to: string): FoundMail {
  const ms = timeOfMail(message)
  return {
    id: cut(message.id, maxNameLetters),
    from: cut(message.from, maxNameLetters),
    to,
    sentMs: Number.isFinite(ms) ? ms : null,
    text: cut(message.message, maxMessageBytes),
  }
}

const maxNameLetters = 1000

/** What is longer than AgentMail writes it. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most)).toString() // else all of it stays in memory
