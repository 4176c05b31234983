/** Waits for mail to a session, of both kinds, until it is idle and something waits of which nobody was told; and what is said then. */
import { existsSync, type FSWatcher, watch } from 'node:fs'
import type { NotifiedWay } from '../coordination/inbox/receipts.ts'
import type { WaitingRequest } from '../coordination/inbox/waiting.ts'
import type { SessionName } from '../coordination/sessions/session-rows.ts'
import type { Untold, WakingView } from '../coordination/sessions/waking.ts'
import type { StoredMessage } from '../mailbox/message.ts'
import { mailboxFile } from '../mailbox/names.ts'
import type { PostOffice } from '../mailbox/post-office.ts'
import { sleep, systemClock } from '../system/clock.ts'
import { quotedName } from './mail-text.ts'

/** Where the messages of coordination come from: a server, a database, or a project of this process. */
interface WakingSource {
  session(name: SessionName): Promise<WakingView | undefined>
  announce(name: SessionName, by: NotifiedWay): Promise<Untold>
  waitingFor(request: WaitingRequest, signal?: AbortSignal): Promise<unknown>
}

export interface Waking {
  source: WakingSource
  name: SessionName
  /** Its post office, once there is one: that may be made when the session is known already. */
  office(): PostOffice | undefined
  signal: AbortSignal
  /** Is told of the session as it is, each time that it is looked at. */
  onView?(view: WakingView): void
}

/** What waits, as it was when it was looked at. */
export interface WaitingForSession {
  view: WakingView
  letters: StoredMessage[]
}

/** How long it waits for an event before it looks again: that a session begins or ends a turn is none, but where it has a mailbox. */
const idleSeconds = 10
const busySeconds = 5
/** Events that come in quick succession are one. */
const pauseMs = 200

/** Nothing where the session has ended, nobody knows it, or the signal fires. Throws where the source fails. */
export async function untilMailWaits(waking: Waking): Promise<WaitingForSession | undefined> {
  const { source, name, signal, onView } = waking
  while (!signal.aborted) {
    const view = await source.session(name)
    if (!view || view.state === 'offline' || signal.aborted) return undefined
    onView?.(view)
    const office = waking.office()
    const round = new AbortController()
    const stop = () => round.abort()
    signal.addEventListener('abort', stop)
    const watchers = [watchMailbox(office, view.mailbox, stop)]
    try {
      const letters = untoldLetters(office, view.mailbox)
      const isWaiting = view.ids.length > 0 || letters.length > 0
      if (isWaiting && view.state === 'ready') return { view, letters }
      if (isWaiting) watchers.push(watchStatus(office, view.mailbox, stop))
      const wait_seconds = isWaiting ? busySeconds : idleSeconds
      const request = { names: view.names, after_id: view.newest_id, wait_seconds }
      await source.waitingFor(request, round.signal).catch((error) => {
        if (!round.signal.aborted) throw error
      })
    } finally {
      for (const watcher of watchers) watcher?.close()
      signal.removeEventListener('abort', stop)
    }
    await sleep(pauseMs)
  }
  return undefined
}

/** Notes that the session is told of what waits, and gives who has sent it; nobody where there is nothing to tell any more. */
export async function announceAll(
  { source, name, office }: Waking,
  { view, letters }: WaitingForSession,
  by: NotifiedWay,
): Promise<string[]> {
  const { from } = view.ids.length > 0 ? await source.announce(name, by) : { from: [] }
  return [...from, ...(await noteLetters(office(), view, letters, by))]
}

/** Gives who has sent those that nobody was told of before. */
export async function noteLetters(
  office: PostOffice | undefined,
  { mailbox }: WakingView,
  letters: StoredMessage[],
  by: NotifiedWay,
): Promise<string[]> {
  if (!office || mailbox === null || letters.length === 0) return []
  const ids = letters.map(({ id }) => id)
  const noted = new Set(await office.receipts(mailbox).note('notified', ids, systemClock.now(), by))
  return letters.filter(({ id }) => noted.has(id)).map(({ from }) => from)
}

/** Its faults are no reason to wake anybody. */
function untoldLetters(office: PostOffice | undefined, mailbox: string | null): StoredMessage[] {
  if (!office || mailbox === null || mailbox === office.person) return []
  try {
    const unread = existsSync(office.mailboxesDir) ? office.mailbox(mailbox).unread() : []
    if (unread.length === 0) return []
    const told = office.receipts(mailbox).of(new Set(unread.map(({ id }) => id)))
    return unread.filter(({ id }) => !told.has(id))
  } catch {
    return []
  }
}

const watchMailbox = (
  office: PostOffice | undefined,
  mailbox: string | null,
  onChange: () => void,
): FSWatcher | undefined =>
  office && mailbox !== null
    ? watchFile(office.mailboxesDir, mailboxFile(mailbox), onChange)
    : undefined

/** Its hooks say there how the session is. */
const watchStatus: typeof watchMailbox = (office, mailbox, onChange) =>
  office && mailbox !== null ? watchFile(office.dir, 'recipients.jsonl', onChange) : undefined

/** Where none can be had, the next look finds what has come. */
function watchFile(folder: string, name: string, onChange: () => void): FSWatcher | undefined {
  try {
    if (!existsSync(folder)) return undefined
    const watcher = watch(folder, (_, file) => {
      if (file === null || file === name) onChange()
    })
    return watcher.on('error', () => {})
  } catch {
    return undefined
  }
}

const sendersNamed = 5
const nameLength = 40

/** That mail waits and from whom, and nothing of the mail: a client may take it for its user's words. */
export function wakingText(from: string[]): string {
  const names = [...new Set(from)].map((name) => quotedName(name, nameLength))
  const named = names.slice(0, sendersNamed)
  const more = names.length - named.length
  const senders = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
  return `AgentMail: mail waits for you, from ${senders}. Where it is not handed to you with this: read_messages with unread: true, and receive (or agentmail receive) for your mailbox.`
}
