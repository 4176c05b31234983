/** The receipts of what agents were told by the mailman, also for one that was killed before it wrote them. */
import type { Recipient } from '../recipient.ts'
import type { MailmanOptions } from './mailman.ts'

export class NoticeReceipts {
  readonly #options: Pick<MailmanOptions, 'office' | 'clock' | 'otherMail'>

  constructor(options: Pick<MailmanOptions, 'office' | 'clock' | 'otherMail'>) {
    this.#options = options
  }

  /** Mail that came while somebody was being told is told of later. */
  async noteMail(agent: string, last: string, at: number, by?: 'keys' | 'line'): Promise<void> {
    const { office } = this.#options
    await office.receipts(agent).note('notified', office.mailbox(agent).unreadUpTo(last), at, by)
  }

  /** One that was killed may have noted whom it told, and no receipts. */
  async makeUpForMail(onTrouble: (error: unknown) => void): Promise<void> {
    const { office, clock } = this.#options
    try {
      for (const { name, notified_id, notified_at } of office.recipients.list()) {
        if (notified_id === undefined) continue
        const at = Date.parse(notified_at ?? '') || clock.now()
        await this.noteMail(name, notified_id, at).catch(onTrouble)
      }
    } catch (error) {
      onTrouble(error)
    }
  }

  /** The same where a server went before it could note it. */
  makeUpForMessages({ name, notified_number }: Recipient): void {
    const { otherMail } = this.#options
    const found = otherMail?.known(name)
    if (!found || found.isTold || found.id !== notified_number) return
    otherMail?.told(name, found.id).catch(() => {}) // and once more at the next look
  }
}
