/** How an agent is, as a person is told: by what it said of itself, and by when something was heard of it. */
import type { AgentSigns } from '../../coordination/overview/agent-signs.ts'
import { timeText } from '../../coordination/time.ts'
import type { RecipientEntry } from '../../mailbox/recipient-entries.ts'
import type { AgentState } from '../shapes.ts'

/** Nothing was heard for so long of one that is at work, or says nothing of itself. */
const silentUs = 5 * 60 * 1_000_000

export interface KnownOfAgent {
  signs: AgentSigns | undefined
  recipient: RecipientEntry | undefined
  /** Nothing for one that has a mailbox alone. */
  registered_at: string | null
  nowUs: number
}

export interface StateSince {
  state: AgentState
  since: string | null
}

/** In microseconds; 0 where nobody knows. */
export const heardUsOf = ({
  signs,
  recipient,
}: Pick<KnownOfAgent, 'signs' | 'recipient'>): number =>
  Math.max(signs?.heardUs ?? 0, Math.floor((recipient?.lastSign ?? 0) * 1000))

/** Whoever waits for a person, or for its next task, is silent as long as that takes. */
export function stateSince(known: KnownOfAgent): StateSince {
  const { signs, recipient, registered_at, nowUs } = known
  const { state: told, since } = signs?.session
    ? { state: signs.session.state, since: timeText(signs.session.stateUs) }
    : { state: recipient?.status, since: recipient?.statusAt ?? null }
  if (told === 'waits') return { state: 'waits', since }
  if (told === 'ready') return { state: 'ready', since }
  if (told === 'offline' && registered_at === null) return { state: 'gone', since }
  const heard = heardUsOf(known)
  if (nowUs - heard >= silentUs) {
    return { state: 'silent', since: heard > 0 ? timeText(heard) : null }
  }
  if (told === 'work') return { state: 'working', since }
  return { state: 'here', since: registered_at }
}
