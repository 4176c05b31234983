/** Cleanup: forgets recipients that are gone, removes mail that was read long ago, drops empty mailboxes. */
import type { Clock } from '../system/clock.ts'
import type { PostOffice } from './post-office.ts'
import type { Recipient } from './recipient.ts'
import { lastSign } from './sent/silence.ts'
import type { Pane } from './tmux.ts'
import { isGone, namesHeld } from './whereabouts.ts'

export interface CleanupOptions {
  staleHours: number
  deliveredHours: number
  dryRun: boolean
  /** The panes of all sessions; nothing when tmux cannot be asked, and then nobody counts as gone. */
  panes: Pane[] | undefined
}

export interface CleanupCounts {
  recipients: { offline: number; stale: number }
  messages: number
  mailboxes: number
}

const hour = 3_600_000

export async function cleanup(
  office: PostOffice,
  options: CleanupOptions,
  clock: Clock,
): Promise<CleanupCounts> {
  const now = clock.now()
  const known = office.recipients.list()
  const { panes } = options
  const held = namesHeld(panes ?? [], known)
  const hasLeft = ({ left_at }: Recipient) => left_at !== undefined
  const isForgotten = (one: Recipient) => hasLeft(one) && lastSign(one) === undefined
  const isOffline = (one: Recipient) =>
    hasLeft(one) ? !isForgotten(one) : panes !== undefined && isGone(one, panes, held)
  const isStale = (recipient: Recipient) =>
    now - (lastSign(recipient) ?? now) > options.staleHours * hour

  const offline = known.filter(isOffline).length
  const stale = known.filter((one) => !isOffline(one) && isStale(one)).length
  const counts: CleanupCounts = { recipients: { offline, stale }, messages: 0, mailboxes: 0 }
  for (const name of office.mailboxNames()) {
    const isOld = ({ created_at }: { created_at?: string }) =>
      now - Date.parse(created_at ?? '') > options.deliveredHours * hour
    const { messages, removed } = await office.mailbox(name).compact(isOld, options.dryRun)
    counts.messages += messages
    if (removed) counts.mailboxes++
    if (!options.dryRun) await office.receipts(name).keepOnly(office.mailbox(name))
  }
  if (!options.dryRun) {
    const mailboxes = new Set(office.mailboxNames())
    // A mailbox is an address for those outside tmux, unless it is known that nobody has its name.
    const isNobodys = (one: Recipient) =>
      mailboxes.has(one.name) && (isOffline(one) || isForgotten(one))
    await office.recipients.removeWhere(
      (one) => !isNobodys(one) && (isOffline(one) || isForgotten(one) || isStale(one)),
    )
    await office.recipients.forget((one) => isNobodys(one) && !isForgotten(one))
  }
  return counts
}
