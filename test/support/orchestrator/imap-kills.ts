/** An orchestrator on an IMAP account, killed at any line that goes to its servers or comes from them. */
import { readHeaders } from '../../../src/mime/mail-headers.ts'
import { mailId } from '../../../src/providers/imap/id.ts'
import type { AtEnd } from '../at-end.ts'
import { type CutPlace, CuttingProxy } from '../providers/cutting-proxy.ts'
import type { ImapAccount, ImapPlace } from '../providers/imap-place.ts'
import { KilledHome } from './killed-home.ts'
import type { Moment } from './orchestrator-kills.ts'

export class ImapMortal {
  readonly home: KilledHome
  readonly account: ImapAccount
  readonly imap: CuttingProxy
  readonly smtp: CuttingProxy

  private constructor(account: ImapAccount, imap: CuttingProxy, smtp: CuttingProxy) {
    this.account = account
    this.imap = imap
    this.smtp = smtp
    const add = (subject: string) => {
      const raw = `From: zoe@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replace(/\W/g, '')}@a>\r\n\r\nWell?`
      account.deliver(raw)
      return mailId(readHeaders(Buffer.from(raw)), { arrived: 0, size: raw.length })
    }
    const sent = () =>
      account.place.smtp.arrivals
        .filter(({ from }) => from === account.user)
        .map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '')
    // What the SMTP server took, and nobody could file any more, is found nowhere.
    this.home = KilledHome.with({ add, sent, isHonest: false }, this.env)
  }

  static async start(place: ImapPlace, atEnd?: AtEnd): Promise<ImapMortal> {
    const imap = await CuttingProxy.start(place.dovecot.port, atEnd)
    const smtp = await CuttingProxy.start(place.smtp.port, atEnd)
    return new ImapMortal(place.account(), imap, smtp)
  }

  get env() {
    return this.account.env({ imap: this.imap.port, smtp: this.smtp.port })
  }

  /** Killed at a line, counted from its start. */
  atLine(side: 'imap' | 'smtp', where: CutPlace, line: number): Moment {
    return {
      name: `${where} ${line} of ${side}`,
      prepare: (_, kill) => this[side].cutAt(where, line, kill),
    }
  }

  /** Killed when the SMTP server has taken a mail. */
  atTaken(): Moment {
    return {
      name: 'when the mail was taken',
      prepare: (_, kill) => {
        this.account.place.smtp.onArrival = kill
      },
    }
  }

  heal(): void {
    this.account.place.smtp.onArrival = undefined
    this.imap.heal()
    this.smtp.heal()
  }

  /** The subjects in Sent. */
  async filed(): Promise<string[]> {
    return (await this.account.everywhere()).Sent ?? []
  }
}
