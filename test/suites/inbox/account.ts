/** An account of a provider under test: what came, what is listed, and ids by their subjects. */
import type { Inbox, IncomingMail, MailHead } from '../../../src/providers/provider.ts'
import type { MailPlace, OpenPlace } from '../inbox-suite.ts'

export class MailAccount {
  readonly place: MailPlace
  readonly inbox: Inbox

  private constructor(place: MailPlace) {
    this.place = place
    this.inbox = place.inbox
  }

  static async open(open: OpenPlace): Promise<MailAccount> {
    return new MailAccount(await open())
  }

  async deliver(headers: Record<string, string>, body = 'Hi'): Promise<void> {
    await this.place.deliver(mailOf(headers, body))
  }

  /** Every page of it. */
  async list(query = '', inbox = this.inbox): Promise<MailHead[]> {
    const mails: MailHead[] = []
    let page_token: string | undefined
    do {
      const page = await inbox.list({ query, limit: 100, page_token })
      mails.push(...page.mails)
      page_token = page.next_page_token
    } while (page_token !== undefined)
    return mails
  }

  async subjects(query: string): Promise<string[]> {
    return (await this.list(query)).map(({ subject }) => subject)
  }

  async idOf(subject: string): Promise<string> {
    const found = (await this.list('in:anywhere')).find((head) => head.subject === subject)
    if (!found) throw new Error(`no mail has the subject ${subject}`)
    return found.id
  }

  /** Delivers it, and reads it as it arrived. */
  async read(raw: string | Buffer, at?: Date): Promise<IncomingMail> {
    return this.inbox.get(await this.idAfter(raw, at))
  }

  /** The id of the only mail that this delivery brings. */
  async idAfter(raw: string | Buffer, at?: Date): Promise<string> {
    const before = new Set((await this.list('in:anywhere')).map(({ id }) => id))
    await this.place.deliver(raw, at)
    const [head, ...more] = (await this.list('in:anywhere')).filter(({ id }) => !before.has(id))
    if (!head || more.length > 0) throw new Error('one mail was to come')
    return head.id
  }
}

const mailOf = (headers: Record<string, string>, body = 'Hi'): string =>
  `${Object.entries({ From: 'Ada <ada@example.com>', To: 'bob@example.com', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

export const daysBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toUTCString()

export const lines = (...text: string[]): string => text.join('\r\n')
