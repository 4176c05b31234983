/** Cleanup: forgets recipients that are gone, removes mail that was read long ago, drops empty mailboxes. */
import type { Clock } from '../system/clock.ts'
import type { PostOffice } from './post-office.ts'
import type { Recipient } from './recipients.ts'

export interface CleanupOptions {
  staleHours: number
  deliveredHours: number
  dryRun: boolean
  /** The names of the windows that exist; nothing when tmux cannot be asked, and then nobody counts as gone. */
  windows: Set<string> | undefined
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
  const isOffline = ({ name, pane }: Recipient) =>
    pane !== null && options.windows !== undefined && !options.windows.has(name)
  const isStale = (recipient: Recipient) =>
    now - lastSign(recipient, now) > options.staleHours * hour

  const known = office.recipients.list()
  const offline = known.filter(isOffline).length
  const stale = known.filter((one) => !isOffline(one) && isStale(one)).length
  if (offline + stale > 0 && !options.dryRun) {
    await office.recipients.removeWhere((one) => isOffline(one) || isStale(one))
  }

  const counts: CleanupCounts = { recipients: { offline, stale }, messages: 0, mailboxes: 0 }
  for (const name of office.mailboxNames()) {
    const isOld = ({ created_at }: { created_at?: string }) =>
      now - Date.parse(created_at ?? '') > options.deliveredHours * hour
    const { messages, removed } = await office.mailbox(name).compact(isOld, options.dryRun)
    counts.messages += messages
    if (removed) counts.mailboxes++
  }
  return counts
}

/** When a recipient was last heard of; one that never told a time is not called stale. */
function lastSign({ updated_at, last_read_at }: Recipient, now: number): number {
  const updated = Date.parse(updated_at ?? '')
  const signs = [updated, last_read_at ?? Number.NaN].filter((time) => !Number.isNaN(time))
  return signs.length > 0 ? Math.max(...signs) : now
}
