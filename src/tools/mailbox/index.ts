/** The tools of the mailbox toolset. Generated from the files of this folder: npm run generate. */
import listRecipients from './list-recipients.ts'
import receive from './receive.ts'
import send from './send.ts'
import status from './status.ts'

export const tools = [listRecipients, receive, send, status]
