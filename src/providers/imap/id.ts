/** Ids of mails on an IMAP server: made of what the mail says of itself, so they stay the same wherever it is moved, and tell how to look for it. */
import type { SearchObject } from 'imapflow'
import { type HeaderBlock, headersOf } from '../../mime/mail-headers.ts'
import { systemClock } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'

/** What must be fetched of a mail to know its id, and what is told of it in a list. */
export const headFields = ['message-id', 'from', 'to', 'cc', 'bcc', 'date', 'subject']
/** And to know which mails it belongs to, and what it is. */
export const threadFields = ['references', 'in-reply-to', 'content-type']

const dayMs = 24 * 3_600_000

/** A hash, then the Message-ID to look for; or the day on which it came, where it has none to go by. */
const namedForm = /^m([0-9a-f]{16})([A-Za-z0-9_-]{2,400})$/
const datedForm = /^d(\d{1,6})x([0-9a-f]{32})$/

/** A few that no server takes for something else, and that fit into a line. */
const usableName = /^<([!-~]{1,300})>$/

/** What the server says of a mail. */
interface Arrival {
  /** When it came there, in Unix milliseconds. */
  arrived: number
  /** In bytes. */
  size: number
}

export function mailId(block: HeaderBlock, { arrived, size }: Arrival): string {
  const values = (names: string[]) =>
    names.map((name) => (block.fields.get(name) ?? '').replace(/\s+/g, ' '))
  const [, name] = usableName.exec(headersOf(block).message_id) ?? []
  if (name !== undefined) {
    const hash = sha256(JSON.stringify([name, ...values(['from', 'date', 'subject'])]))
    return `m${hash.slice(0, 16)}${Buffer.from(name).toString('base64url')}`
  }
  const names = ['message-id', 'from', 'to', 'cc', 'date', 'subject', 'content-type']
  const hash = sha256(JSON.stringify([size, ...values(names)]))
  return `d${Math.floor(arrived / dayMs)}x${hash.slice(0, 32)}`
}

/** Whether these are ids of one mail: some servers count the day of a copy in another zone. */
export function isSameMail(one: string, other: string): boolean {
  const [, day, hash] = datedForm.exec(one) ?? []
  const [, otherDay, otherHash] = datedForm.exec(other) ?? []
  if (hash === undefined || otherHash === undefined) return one === other
  return hash === otherHash && Math.abs(Number(day) - Number(otherDay)) <= 1
}

/** What finds the mail of this id, and perhaps others; nothing where it is no id of ours. */
export function searchFor(id: string): SearchObject | undefined {
  const [, , encoded] = namedForm.exec(id) ?? []
  if (encoded !== undefined) {
    const name = Buffer.from(encoded, 'base64url').toString('latin1')
    const isOurs =
      usableName.test(`<${name}>`) && Buffer.from(name).toString('base64url') === encoded
    return isOurs ? { deleted: false, header: { 'message-id': name } } : undefined
  }
  const [, day] = datedForm.exec(id) ?? []
  return day === undefined ? undefined : { deleted: false, ...arrivedOn(Number(day)) }
}

/** Servers tell days in zones of their own. */
function arrivedOn(day: number): SearchObject {
  const end = (day + 3) * dayMs
  return {
    since: new Date(Math.max(0, day - 2) * dayMs),
    ...(end < systemClock.now() && { before: new Date(end) }),
  }
}
