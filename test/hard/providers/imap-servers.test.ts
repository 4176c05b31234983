/** IMAP servers of every kind: separators, prefixes, names in any script, and what a server cannot do. */
import { expect, it } from 'vitest'
import type { Inbox } from '../../../src/providers/provider.ts'
import { type MailPlace, providerInboxSuite } from '../../suites/inbox-suite.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { eventually } from '../../support/eventually.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import type { DovecotOptions } from '../../support/providers/dovecot.ts'
import { ImapPlace, sendFrom } from '../../support/providers/imap-place.ts'

const names = [
  'Grüße & Co',
  '日本語/メール',
  'a&b',
  '&',
  '&-',
  'two words',
  'quote"d',
  "it's",
  'back\\slash',
  'x.y',
  'Deep/er/est',
  '~home',
  'emoji 👩‍💻',
  'e\u0301',
  '{5}',
  '(brackets)',
]
/** No folder can have such a name; they must not become patterns. */
const wildcards = ['50%', 'a*b', '*', '%']

const servers: Record<string, DovecotOptions> = {
  'slashes between folders': {},
  'dots between folders': { separator: '.' },
  'all folders below INBOX': { separator: '.', prefix: 'INBOX.' },
  'no MOVE': { without: ['MOVE'] },
  'no MOVE and no UIDPLUS': { without: ['MOVE', 'UIDPLUS'] },
  'no folders for sent mail and spam': { withoutFolders: true },
  'no word of which folder is for sent mail': { without: ['SPECIAL-USE'] },
  'no flags of one’s own': { withoutKeywords: true },
  'nothing beyond IMAP4rev1': {
    without:
      'SASL-IR ID ENABLE IDLE SORT SORT=DISPLAY ESEARCH ESORT SEARCHRES WITHIN CONDSTORE QRESYNC UNSELECT CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED LIST-STATUS BINARY MOVE LITERAL+ NOTIFY SPECIAL-USE MULTIAPPEND CATENATE SAVEDATE PREVIEW STATUS=SIZE'.split(
        ' ',
      ),
  },
}

const mail = (subject: string) =>
  `From: ada@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replace(/\W/g, '')}@example.com>\r\n\r\nHi`

const idOf = async (inbox: Inbox, subject: string) => {
  const { mails } = await inbox.list({ query: 'in:anywhere', limit: 100 })
  return mails.find((head) => head.subject === subject)?.id ?? ''
}

for (const [what, options] of Object.entries(servers)) {
  describeWith('dovecot', `an IMAP server with ${what}`, () => {
    const atEnd = afterAllTests()
    let starting: Promise<ImapPlace> | undefined
    const start = () => {
      starting ??= ImapPlace.start(options, atEnd)
      return starting
    }

    it('moves to folders of every name, and finds what is in them', async () => {
      const account = (await start()).account()
      account.deliver(mail('a'))
      const { inbox } = await account.open()
      const id = await idOf(inbox, 'a')
      for (const name of [...names, ...wildcards]) {
        const labels = await inbox.move(id, name).catch((error: unknown) => {
          // A server may have no such folder; it then says so in words, and the mail stays where it is.
          expect(error, name).toMatchObject({ code: 'invalid_request' })
          expect([...wildcards, 'x.y', '~home', 'back\\slash', 'Deep/er/est'], name).toContain(name)
        })
        if (!labels) continue
        expect(labels).toContain(name.normalize('NFC'))
        expect(labels).not.toContain('INBOX')
        const found = await inbox.list({ query: `label:"${name.replaceAll('"', '')}"`, limit: 10 })
        if (!name.includes('"'))
          expect([name, found.mails.map((one) => one.id)]).toEqual([name, [id]])
        const everywhere = Object.values(await account.everywhere()).flat()
        expect(everywhere).toEqual(['a'])
      }
      expect(await inbox.move(id, 'INBOX')).toContain('INBOX')
      expect((await account.everywhere()).INBOX).toEqual(['a'])
    })

    it('keeps what is sent, and tells of what comes', async () => {
      const account = (await start()).account()
      const provider = await account.open()
      await sendFrom(provider, { subject: 'out', key: 'out' })
      const sent = Object.entries(await account.everywhere())
      expect(sent).toEqual([[expect.stringMatching(/^(INBOX\.)?Sent$/), ['out']]])
      const found = await provider.inbox.list({ query: 'in:sent', limit: 10 })
      expect(found.mails.map(({ subject }) => subject)).toEqual(['out'])
      const stop = new AbortController()
      let news = 0
      const watching = provider.inbox.watch?.(() => void news++, stop.signal)
      account.deliver(mail('in'))
      await eventually('news came', () => news > 0)
      stop.abort()
      await watching
    })

    if (what.startsWith('nothing') || what.startsWith('all') || isLong)
      providerInboxSuite(
        `an IMAP server with ${what}`,
        { searched: 'by a server' },
        async (): Promise<MailPlace> => {
          const account = (await start()).account()
          const provider = await account.open()
          return {
            inbox: provider.inbox,
            deliver: (raw, at) => account.deliver(raw, at),
            again: async () => (await account.open()).inbox,
            send: (subject, text) => sendFrom(provider, { subject, text }),
          }
        },
      )
  })
}
