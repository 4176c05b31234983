/** Mail on any IMAP account: read by IMAP, sent by SMTP, filed in Sent. */
import type { Config } from '../../config.ts'
import { ownSender } from '../own-sender.ts'
import type { Inbox, Provider } from '../provider.ts'
import type { ShownText } from '../raw-mail.ts'
import { imapAccount } from './account.ts'
import { ImapConnection } from './connection.ts'
import { labelMail, moveMail } from './labels.ts'
import { listImapMails, ToldMails } from './list.ts'
import { Moving } from './moving.ts'
import { MailPlaces } from './places.ts'
import { readMail, readOriginal } from './read.ts'
import { ImapSending } from './send.ts'
import { watchInbox } from './watch.ts'

export interface ImapOptions {
  /** What is told in snippets. */
  shownText: ShownText
}

/** How long a server may take to let us in. */
const loginMs = 20_000

export function openImap(config: Config, { shownText }: ImapOptions): Provider {
  const account = imapAccount(config)
  const name = `${account.login.user}@${account.imap.host}`
  const connection = new ImapConnection(account, loginMs)
  const moving = new Moving(config, name)
  const places = new MailPlaces()
  const told = new ToldMails()
  const sending = new ImapSending(connection, places, {
    smtp: account.smtp,
    from: ownSender(config) ?? { name: '', address: account.address },
    timeout: config.seconds('sendTimeoutSeconds') * 1000,
  })
  const inbox: Inbox = {
    list: (request) =>
      connection.run((session) => listImapMails(session, { places, shownText, told }, request)),
    get: (id) => connection.run((session) => readMail(session, places, id)),
    move: (id, label) =>
      moving.run(() => connection.run((session) => moveMail(session, places, id, label))),
    label: (id, label) =>
      moving.run(() => connection.run((session) => labelMail(session, places, id, label))),
    original: (id) => connection.run((session) => readOriginal(session, places, id)),
    watch: (onNews, signal) => watchInbox(account, loginMs, onNews, signal),
  }
  return {
    name: 'imap',
    account: name,
    inbox,
    send: (mail, signal) => sending.send(mail, signal),
    find: (trace) => sending.find(trace),
    async close() {
      await sending.end()
      await connection.close()
    },
  }
}
