/** What the mailbox tools work with: the post as it is at the moment of the call. */
import type { Post } from '../../mailbox/post.ts'

export interface MailboxContext {
  post: Post
}
