/** What the mailbox tools work with: a member of the post office, as it is at the moment of the call, and who else can be reached. */
import type { Letterbox } from '../../addresses/send.ts'

export type MailboxContext = Letterbox
