/** The heads of the newest mail in mailboxes, read again only where a mailbox was written since. */
import { directChannel, letterIdOf, titleOf } from '../../coordination/messages.ts'
import { AgentMailError } from '../../errors.ts'
import type { StoredMessage } from '../../mailbox/message.ts'
import type { PostOffice } from '../../mailbox/post-office.ts'
import { pauses } from '../../system/clock.ts'
import { logSeldom } from '../../system/log.ts'
import type { MessageHead } from '../shapes.ts'
import { excerptOf } from './excerpts.ts'
import type { SeenProject } from './sight.ts'

export interface MailboxHead {
  mailbox: string
  id: string
  from: string
  /** In microseconds; 0 where it has no date. */
  us: number
  subject: string
  excerpt: string
  state: NonNullable<MessageHead['state']>
  state_at: string | null
  notified_by: string | null
  /** Whether it is a message of a channel too, and told as that. */
  isLetter: boolean
}

/** Of each mailbox. */
export const newestMail = { lines: 5000, bytes: 32 << 20 }
const mostHeads = 50 * newestMail.lines
const mostMailboxes = 2000
const mostLetters = 20_000
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')
const longestName = 1000

interface KnownMailbox {
  stamp: string
  heads: MailboxHead[]
  /** What the messages of its channel are called in it, as far as they were put there; and the last of them. */
  letters: Set<string>
  lastLetter: number
}

export class MailHeads {
  /** The one that was asked for longest ago first. */
  readonly #known = new Map<string, KnownMailbox>()

  /** Of each mailbox of a project, or of those of one name; newest first. */
  async of(seen: SeenProject, only?: string): Promise<MailboxHead[][]> {
    const found: MailboxHead[][] = []
    const pause = pauses()
    for (const office of seen.offices) {
      for (const name of only === undefined ? office.mailboxNames() : [only]) {
        found.push(await this.#headsIn(seen, office, name))
        await pause()
      }
    }
    return found
  }

  async #headsIn(seen: SeenProject, office: PostOffice, name: string): Promise<MailboxHead[]> {
    const key = JSON.stringify([office.dir, name, seen.project.key])
    const known = this.#known.get(key)
    try {
      const stamp = `${office.mailbox(name).stamp()} ${office.receipts(name).stamp()}`
      const mailbox = known?.stamp === stamp ? known : await read(seen, office, name, stamp, known)
      this.#known.delete(key)
      this.#known.set(key, mailbox)
      this.#forgetOld()
      return mailbox.heads
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      logSeldom('mailboxes that could not be looked into', `${office.dir}: ${error.message}`)
      return []
    }
  }

  #forgetOld(): void {
    let heads = 0
    for (const { heads: some } of this.#known.values()) heads += some.length
    for (const [key, { heads: some }] of this.#known) {
      if (heads <= mostHeads && this.#known.size <= mostMailboxes) return
      this.#known.delete(key)
      heads -= some.length
    }
  }
}

async function read(
  { project }: SeenProject,
  office: PostOffice,
  name: string,
  stamp: string,
  known: KnownMailbox | undefined,
): Promise<KnownMailbox> {
  const messages = office.mailbox(name).newest(newestMail)
  const receipts = office.receipts(name).of(new Set(messages.map(({ id }) => id)))
  // A message is stored before it is put into a mailbox: all that lie there are known now.
  const isMuch = (known?.letters.size ?? 0) > mostLetters
  const letters = new Set(isMuch ? [] : known?.letters)
  const after = isMuch ? 0 : (known?.lastLetter ?? 0)
  const ids =
    messages.length > 0 ? await project.overview.lettersIn(directChannel(name), after) : []
  for (const id of ids) letters.add(letterIdOf(project.key, id))
  const heads = new Map<string, MailboxHead>()
  for (const message of messages) {
    const head = headOf(name, message, receipts.get(message.id), letters.has(message.id))
    heads.set(`${head.us} ${head.id}`, head)
  }
  const sorted = [...heads.values()].sort(newestFirst)
  return { stamp, heads: sorted, letters, lastLetter: Math.max(after, ...ids) }
}

const newestFirst = (one: MailboxHead, other: MailboxHead): number =>
  one.us === other.us ? (one.id < other.id ? -1 : 1) : other.us - one.us

/** @param receipt what was noted of it, if anything was. */
export function headOf(
  mailbox: string,
  message: StoredMessage,
  receipt: { state: 'notified' | 'read'; at: string; by?: string } | undefined,
  isLetter = false,
): MailboxHead {
  const isRead = message.read_flag === true || receipt?.state === 'read'
  const state = isRead ? 'read' : (receipt?.state ?? 'queued')
  return {
    mailbox,
    id: kept(message.id.slice(0, longestName)),
    from: kept(message.from.slice(0, longestName)),
    us: timeOf(message),
    subject: kept(titleOf(message.message)),
    excerpt: kept(excerptOf(message.message)),
    state,
    state_at: receipt?.state === state ? receipt.at : null,
    notified_by: receipt?.by ?? null,
    isLetter,
  }
}

function timeOf({ created_at }: StoredMessage): number {
  const ms = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), lastMs) * 1000
}

/** A part of a long text would keep all of it in memory. */
const kept = (text: string): string => Buffer.from(text).toString()
