/** What the postmark tools work with. */
import type { Outgoing } from '../../email/outgoing/outgoing.ts'

export interface PostmarkContext {
  outgoing: Pick<Outgoing, 'send'>
}
