/** The suite of all inboxes on local mail and Gmail; IMAP has it in a file of its own. */
import { onTestFinished } from 'vitest'
import { type MailPlace, providerInboxSuite } from '../suites/inbox-suite.ts'
import { never, outgoingMail } from '../support/email/outgoing-mail.ts'
import { FakeGmail } from '../support/providers/fake-gmail.ts'
import { gmailProvider } from '../support/providers/gmail-provider.ts'
import { LocalFolder } from '../support/providers/local-folder.ts'

providerInboxSuite('local mail', {}, (): MailPlace => {
  const folder = new LocalFolder()
  let count = 0
  return {
    inbox: folder.inbox,
    deliver: (raw, at) => folder.drop(`${++count}.eml`, raw, 'inbox', at),
    again: () => new LocalFolder({}, folder.path).inbox,
    send: (subject, text) => folder.send({ subject, text }),
  }
})

// Gmail searches by itself, and gives mails in parts: its fake knows only some words, and no broken mails.
const fakes = { searched: 'by a fake', oddMails: false } as const

providerInboxSuite('Gmail', fakes, async (): Promise<MailPlace> => {
  const fake = await FakeGmail.start()
  onTestFinished(() => fake.stop())
  const open = () =>
    gmailProvider({ apiUrl: fake.url, loginUrl: fake.url, token: fake.login.grant() })
  const gmail = open()
  return {
    inbox: gmail.inbox,
    deliver(raw, at) {
      const date = /^Date: (.*)$/im.exec(raw.toString('latin1'))?.[1] ?? ''
      const internalDate = (at?.getTime() ?? Date.parse(date)) || Date.now()
      fake.addMail({ raw, internalDate })
    },
    again: () => open().inbox,
    send: (subject, text) => gmail.send(outgoingMail({ subject, text }), never),
  }
})
