/** The mails that the mail service has, to try rules on. Loaded when they are asked for: it takes an MCP client. */
import type { Config } from '../../config.ts'
import { mailBody, mailFrontMatter } from '../inbox/mail-note.ts'
import { timesOf } from '../open-orchestrator.ts'
import { MailClient } from '../servers/mail-client.ts'
import { openGmailClient } from '../servers/open-client.ts'
import { type RecentMail, recentMail } from './recent-mails.ts'

/** As they would be taken in now; nothing is marked. Newest first. */
export async function mailsInInbox(config: Config, limit: number): Promise<RecentMail[]> {
  const { client, close } = openGmailClient(config, timesOf(config), () => {})
  try {
    const mail = new MailClient(client)
    const found: RecentMail[] = []
    for await (const { heads } of mail.inboxPages(config.text('inboxQuery') ?? '')) {
      for (const { id } of heads.slice(0, limit - found.length)) {
        const read = await mail.get(id)
        const frontmatter = mailFrontMatter({ ...read, id })
        found.push(recentMail({ frontmatter, body: mailBody(read.body) }, null))
      }
      if (found.length >= limit) break
    }
    return found
  } finally {
    await close()
  }
}
