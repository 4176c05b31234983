/** Mail on any IMAP account: read by IMAP, sent by SMTP, filed in Sent. */
import type { Config } from '../../config.ts'
import { senderOf } from '../own-sender.ts'
import type { Inbox, Provider } from '../provider.ts'
import type { ShownText } from '../raw-mail.ts'
import { imapAccount } from './account.ts'
import { ImapConnection } from './connection.ts'
import { ImapDoor } from './door.ts'
import { labelMail, moveMail } from './labels.ts'
import { listImapMails, ToldMails } from './listing/list.ts'
import { Snippets } from './listing/snippets.ts'
import { Moving } from './moving.ts'
import { MailPlaces } from './places.ts'
import { readMail, readOriginal } from './read.ts'
import { ImapSending } from './send.ts'
import { watchInbox } from './watch.ts'

export interface ImapOptions {
  /** What is told in snippets. */
  shownText: ShownText
}

export function openImap(config: Config, { shownText }: ImapOptions): Provider {
  const door = new ImapDoor(() => imapAccount(config))
  const connection = new ImapConnection(door)
  const moving = new Moving(config, door.name)
  const places = new MailPlaces()
  const listing = { places, snippets: new Snippets(shownText), told: new ToldMails() }
  const sending = new ImapSending(connection, places, {
    smtp: () => door.account().smtp(),
    from: () => senderOf(config, door.account().address),
    timeout: config.seconds('sendTimeoutSeconds') * 1000,
  })
  const inbox: Inbox = {
    list: (request) => connection.run((session) => listImapMails(session, listing, request)),
    get: (id) => connection.run((session) => readMail(session, places, id)),
    move: (id, label) =>
      moving.run(() => connection.run((session) => moveMail(session, places, id, label))),
    label: (id, label) =>
      moving.run(() => connection.run((session) => labelMail(session, places, id, label))),
    original: (id) => connection.run((session) => readOriginal(session, places, id)),
    watch: (onNews, signal) => watchInbox(door, onNews, signal),
  }
  return {
    name: 'imap',
    account: door.name,
    inbox,
    send: (mail, signal) => sending.send(mail, signal),
    find: (trace) => sending.find(trace),
    async close() {
      await sending.end()
      await connection.close()
    },
  }
}
