/** The mailbox of a session, where it has one: who is there and how, and the mail that waits. Its faults never hold up a client. */
import { spotAt } from '../addresses/place.ts'
import type { Session, SessionState } from '../coordination/sessions/session-rows.ts'
import { rememberOffice } from '../mailbox/known-offices.ts'
import type { StoredMessage } from '../mailbox/message.ts'
import { systemClock } from '../system/clock.ts'
import { log } from '../system/log.ts'
import type { SessionDesk } from './desk.ts'
import type { Surroundings } from './moment.ts'

const nothing: StoredMessage[] = []

/** From now on others can write to it. */
export async function enroll(
  { office, config, machine }: SessionDesk,
  { mailbox, place }: Session,
  around: Surroundings | undefined,
): Promise<void> {
  if (!office || mailbox === null || mailbox === office.person) return
  const { pane, server } = spotAt(place, machine)
  const isOfPane = around?.name?.trim() !== mailbox && around?.tmux?.name.trim() === mailbox
  const ofPane = around?.tmux?.isGiven ? 'given' : 'window'
  await told('the session was not entered in the post office', async () => {
    office.create()
    const known = office.recipients.list().find(({ name }) => name === mailbox)
    const kept = known?.pane === pane && known.source === 'given' ? known.source : ofPane
    const source = isOfPane ? kept : 'environment'
    await office.recipients.register(mailbox, { pane, server, source }, systemClock.now(), () =>
      rememberOffice(config, office.dir),
    )
  })
}

/** While a person is asked, nothing must be typed where the session is: it counts as at work. */
export async function say(
  { office, machine }: SessionDesk,
  { mailbox, place }: Session,
  state: SessionState,
): Promise<void> {
  if (!office?.isUsable || mailbox === null || mailbox === office.person) return
  const { pane } = spotAt(place, machine)
  const status = state === 'waits' ? 'work' : state
  await told('the status of the session was not noted', () =>
    office.recipients.setStatus(mailbox, status, pane, systemClock.now()),
  )
}

/** What waits in it, oldest first. */
export function waitingMail({ office }: SessionDesk, { mailbox }: Session): StoredMessage[] {
  if (!office?.isUsable || mailbox === null || mailbox === office.person) return nothing
  try {
    return office.mailbox(mailbox).unread()
  } catch (error) {
    tell('the mailbox of the session could not be read', error)
    return nothing
  }
}

/** The session as the reader of each mailbox in which something waits: its own, and that of its former name, while nobody else has that. */
export function readersOf(desk: SessionDesk, session: Session): Session[] {
  const { former, mailbox } = session
  const own = waitingMail(desk, session).length > 0 ? [session] : []
  if (former === null || former === mailbox) return own
  const reader = { ...session, mailbox: former }
  if (waitingMail(desk, reader).length === 0) return own
  const known = desk.office?.recipients.list().find(({ name }) => name === former)
  return known?.pane === null ? [...own, reader] : own
}

/**
 * Hands out the oldest, as long as they fit; each is read from then on, and nobody else gets it.
 * @param options.isTooLong whether it is passed over, and stays.
 */
export async function takeFitting(
  { office }: SessionDesk,
  { mailbox }: Session,
  options: {
    fits(message: StoredMessage): boolean
    isTooLong(message: StoredMessage): boolean
  },
): Promise<StoredMessage[]> {
  const taken: StoredMessage[] = []
  if (!office || mailbox === null) return taken
  await told('mail stays in the mailbox of the session', async () => {
    const box = office.mailbox(mailbox)
    let isFull = false
    const fits = (message: StoredMessage) => {
      if (options.isTooLong(message)) return false
      isFull ||= !options.fits(message)
      return !isFull
    }
    for (;;) {
      const next = await box.take(undefined, fits)
      if (!next) break
      taken.push(next)
    }
    for (const message of isFull ? [] : box.unread()) {
      if (fits(message) && (await box.markRead(message.id))) taken.push(message)
      if (isFull) break
    }
  })
  if (taken.length === 0) return taken
  const now = systemClock.now()
  await told('the time of reading was not noted', () => office.recipients.setLastRead(mailbox, now))
  const ids = taken.map(({ id }) => id)
  await office.receipts(mailbox).note('read', ids, now)
  return taken
}

/** Whether its reader was told of a message already; from now on that is so. */
export async function isToldOf(
  { office }: SessionDesk,
  { mailbox }: Session,
  { id }: StoredMessage,
): Promise<boolean> {
  if (!office || mailbox === null) return true
  const receipts = office.receipts(mailbox)
  const isTold = receipts.of(new Set([id])).has(id)
  if (!isTold) await receipts.note('notified', [id], systemClock.now(), 'hook')
  return isTold
}

async function told(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    tell(what, error)
  }
}

const tell = (what: string, error: unknown) =>
  log(`${what}: ${error instanceof Error ? error.message : error}`)
