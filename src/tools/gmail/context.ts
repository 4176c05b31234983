/** What the gmail tools work with. */
import type { Outgoing } from '../../email/outgoing/outgoing.ts'
import type { Inbox } from '../../providers/provider.ts'

export interface GmailContext {
  inbox: Inbox
  outgoing: Pick<Outgoing, 'send'>
}
