/** IMAP accounts to read and send with: a real Dovecot, a real SMTP server, and the provider on them. */
import { onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openProvider } from '../../../src/email/mail-provider.ts'
import type { Inbox, OutgoingMail, Provider } from '../../../src/providers/provider.ts'
import type { Env } from '../agentmail.ts'
import type { AtEnd } from '../at-end.ts'
import { never, outgoingMail } from '../email/outgoing-mail.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { Dovecot, type DovecotOptions } from './dovecot.ts'
import { startSmtpServer } from './smtp-server.ts'

export const smtpLogin = { user: 'sender@example.org', password: 'smtp p@ss/w:rd#%' }

let users = 0

export class ImapPlace {
  readonly dovecot: Dovecot
  readonly smtp: Awaited<ReturnType<typeof startSmtpServer>>
  /** Where its providers keep what they have to remember. */
  readonly state: string

  private constructor(dovecot: Dovecot, smtp: ImapPlace['smtp'], state: string) {
    this.dovecot = dovecot
    this.smtp = smtp
    this.state = state
  }

  static async start(options: DovecotOptions = {}, atEnd: AtEnd = onTestFinished) {
    const dovecot = await Dovecot.start(options, atEnd)
    const smtp = await startSmtpServer(smtpLogin)
    atEnd(() => smtp.close())
    return new ImapPlace(dovecot, smtp, temporaryFolder(atEnd))
  }

  /** An account that nobody has used yet. */
  account(): ImapAccount {
    return new ImapAccount(this, `user${++users}@example.org`)
  }
}

/** The ports that somebody stands at between us and the servers. */
interface Ports {
  imap?: number
  smtp?: number
}

export class ImapAccount {
  readonly place: ImapPlace
  readonly user: string

  constructor(place: ImapPlace, user: string) {
    this.place = place
    this.user = user
  }

  env({ imap, smtp }: Ports = {}): Env {
    const url = new URL(this.place.smtp.url)
    if (smtp !== undefined) url.port = String(smtp)
    return {
      AGENTMAIL_MAIL: 'imap',
      AGENTMAIL_IMAP_URL: this.place.dovecot.url(this.user, imap),
      AGENTMAIL_SMTP_URL: url.href,
      AGENTMAIL_MAIL_FROM: `Me <${this.user}>`,
    }
  }

  /** The provider as a process opens it; closed at the end. */
  async open(ports: Ports = {}, env: Env = {}, atEnd: AtEnd = onTestFinished): Promise<OpenImap> {
    const settings = { XDG_STATE_HOME: this.place.state, ...this.env(ports), ...env }
    const provider = await openProvider(new Config({}, settings), 'imap')
    atEnd(async () => provider.close?.())
    const { inbox } = provider
    if (!inbox) throw new Error('IMAP can be read')
    return Object.assign(provider, { inbox })
  }

  deliver(raw: string | Buffer, at = dateOf(raw)): void {
    this.place.dovecot.deliver(this.user, raw, at && { at })
  }

  /** Another mail program on the same account. */
  client(atEnd?: AtEnd) {
    return this.place.dovecot.client(this.user, atEnd)
  }

  /** The subjects of all mails by folder, as another mail program sees them; folders without mail are left out. */
  async everywhere(): Promise<Record<string, string[]>> {
    const ends: (() => void | Promise<void>)[] = []
    const client = await this.client((end) => void ends.push(end))
    const found: Record<string, string[]> = {}
    for (const { path, flags } of await client.list()) {
      if (flags.has('\\Noselect') || flags.has('\\NonExistent')) continue
      const { exists } = await client.mailboxOpen(path, { readOnly: true })
      if (exists === 0) continue
      const mails = await client.fetchAll('1:*', { envelope: true, flags: true })
      // What is only marked is gone for every program.
      const there = mails.filter(({ flags: own }) => !own?.has('\\Deleted'))
      if (there.length > 0)
        found[path] = there.map(({ envelope }) => envelope?.subject ?? '').toSorted()
    }
    for (const end of ends) await end()
    return found
  }
}

type OpenImap = Provider & { inbox: Inbox }

export const sendFrom = (provider: Provider, fields: Partial<OutgoingMail>) =>
  provider.send(outgoingMail(fields), never)

/** When a mail came, where nobody says it. */
export function dateOf(raw: string | Buffer): Date | undefined {
  const date = new Date(/^Date: (.*)$/im.exec(raw.toString('latin1').slice(0, 4000))?.[1] ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}
