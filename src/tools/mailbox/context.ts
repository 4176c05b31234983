/** What the mailbox tools work with: a member of the post office, as it is at the moment of the call. */
import type { Member } from '../../mailbox/member.ts'

export interface MailboxContext {
  member: Member
}
