/** Local mail: a folder of .eml files as an account, on real files and with several processes. */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { keyHeader } from '../src/email/providers/compose.ts'
import { type LocalOptions, openLocalMail } from '../src/email/providers/local.ts'
import { isNotSent, type OutgoingMail } from '../src/email/providers/provider.ts'
import { type Env, ended, temporaryFolder, worker } from './support/agentmail.ts'
import { expectDamage } from './support/control-run.ts'
import { isLong } from './support/parts.ts'
import { loading } from './support/vault-processes.ts'

const never = new AbortController().signal

class LocalFolder {
  readonly path: string
  readonly provider
  readonly inbox

  constructor(options: LocalOptions = {}, path = temporaryFolder()) {
    this.path = path
    this.provider = openLocalMail(path, options)
    if (!this.provider.inbox) throw new Error('local mail can be read')
    this.inbox = this.provider.inbox
  }

  /** Puts a mail into the inbox as another program does. */
  drop(name: string, content: string | Buffer, box = 'inbox'): void {
    writeFileSync(join(this.path, box, name), content)
  }

  async list(query = '', limit = 100) {
    return (await this.inbox.list({ query, limit })).mails
  }

  async subjects(query = ''): Promise<string[]> {
    return (await this.list(query)).map(({ subject }) => subject)
  }

  async idOf(subject: string): Promise<string> {
    const mail = (await this.list('in:anywhere')).find((head) => head.subject === subject)
    if (!mail) throw new Error(`no mail has the subject ${subject}`)
    return mail.id
  }

  sent(): string[] {
    return readdirSync(join(this.path, 'sent'))
  }

  send(mail: Partial<OutgoingMail> = {}) {
    return this.provider.send({ ...emptyMail, ...mail }, never)
  }
}

const emptyMail: OutgoingMail = {
  from: undefined,
  to: [{ name: '', address: 'bob@example.com' }],
  cc: [],
  bcc: [],
  reply_to: [],
  subject: 'Hello',
  text: 'Hi',
  html: undefined,
  attachments: [],
  original: undefined,
  key: undefined,
  postmark: undefined,
}

const mail = (headers: Record<string, string>, body = 'Hi') =>
  `${Object.entries({ From: 'Ada <ada@example.com>', To: 'bob@example.com', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toUTCString()

describe('the folder', () => {
  it('is made where it is missing, for its owner alone', () => {
    const path = join(temporaryFolder(), 'a/b')
    const { account } = openLocalMail(path)
    expect(account).toBe(realpathSync(path))
    for (const folder of [path, join(path, 'inbox'), join(path, 'sent')]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700)
    }
  })

  it('is made again by whoever looks into it', async () => {
    const folder = new LocalFolder()
    rmSync(folder.path, { recursive: true })
    expect(await folder.list()).toEqual([])
    folder.drop('a.eml', mail({ Subject: 'again' }))
    expect(await folder.subjects()).toEqual(['again'])
  })

  it('is refused in words where something else stands there', async () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, '')
    expect(() => openLocalMail(path)).toThrow(expect.objectContaining({ code: 'bad_config' }))
    const folder = new LocalFolder()
    rmSync(join(folder.path, 'inbox'), { recursive: true })
    symlinkSync(temporaryFolder(), join(folder.path, 'inbox'))
    await expect(folder.list()).rejects.toMatchObject({ code: 'bad_config' })
  })
})

describe('a file in inbox/', () => {
  const names = [
    ...['plain.eml', 'CAPITALS.EML', 'two words.eml', '-rf.eml', 'a\nb.eml', 'ünï😀.eml'],
    ...[`${'n'.repeat(251)}.eml`, '%2e%2e.eml', "it's.eml", 'e\u0301.eml', '\u00e9.eml'],
  ]

  it('is an unread mail at once, whatever its name', async () => {
    const folder = new LocalFolder()
    for (const [number, name] of names.entries()) {
      folder.drop(name, mail({ Subject: name.replace('\n', ''), Date: daysAgo(number) }))
      expect((await folder.list('is:unread')).length).toBe(number + 1)
    }
    const mails = await folder.list()
    expect(new Set(mails.map(({ id }) => id)).size).toBe(names.length)
    for (const { id } of mails) {
      expect(id).toMatch(/^[a-z0-9]{16,32}$/)
      expect((await new LocalFolder({}, folder.path).inbox.get(id)).text).toBe('Hi')
    }
  })

  it('is passed over where it is no mail, and hangs nobody', async () => {
    const folder = new LocalFolder()
    const inbox = join(folder.path, 'inbox')
    folder.drop('real.eml', mail({ Subject: 'real' }))
    folder.drop('.hidden.eml', mail({ Subject: 'hidden' }))
    folder.drop('notes.txt', mail({ Subject: 'text' }))
    folder.drop('empty.eml', '')
    mkdirSync(join(inbox, 'folder.eml'))
    symlinkSync(join(inbox, 'real.eml'), join(inbox, 'link.eml'))
    symlinkSync('/dev/zero', join(inbox, 'device.eml'))
    symlinkSync('nowhere', join(inbox, 'dangling.eml'))
    spawnSync('mkfifo', [join(inbox, 'pipe.eml')])
    expect(existsSync(join(inbox, 'pipe.eml'))).toBe(true)
    if (process.getuid?.() !== 0) {
      folder.drop('locked.eml', mail({ Subject: 'locked' }))
      chmodSync(join(inbox, 'locked.eml'), 0)
    }
    expect(await folder.subjects()).toEqual(['real'])
  })

  it('is shown as far as it can be read', async () => {
    const folder = new LocalFolder()
    const deep = Array.from(
      { length: 10_000 },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`,
    ).join('')
    const hostile: Record<string, string | Buffer> = {
      deep: `Subject: deep\n${deep}\nhi`,
      'many headers': `${'X-A: b\r\n'.repeat(100_000)}Subject: many headers\r\n\r\nhi`,
      'long header': `X-A: ${'b'.repeat(5 << 20)}\r\nSubject: long header\r\n\r\nhi`,
      'no boundary': 'Subject: no boundary\nContent-Type: multipart/mixed\n\nhi',
      'many parts': `Subject: many parts\nContent-Type: multipart/mixed; boundary=b\n\n${'--b\n\nhi\n'.repeat(300_000)}`,
      'many lines': `Subject: many lines\n\nhi${'\n'.repeat(5 << 20)}`,
      'mail in mail': `Subject: mail in mail\n${'Content-Type: message/rfc822\n\n'.repeat(1000)}`,
      'only headers': 'Subject: only headers',
      'unfinished part': `Subject: unfinished part\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Ty`,
    }
    for (const [name, content] of Object.entries(hostile)) folder.drop(`${name}.eml`, content)
    folder.drop(
      'garbage.eml',
      Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256)),
    )
    folder.drop('huge.eml', mail({ Subject: 'huge' }))
    truncateSync(join(folder.path, 'inbox/huge.eml'), 300 << 20)
    const subjects = (await folder.subjects()).sort()
    expect(subjects).toEqual(['', 'huge', ...Object.keys(hostile)].sort())
    for (const { id } of await folder.list()) await folder.inbox.get(id)
    expect((await folder.inbox.get(await folder.idOf('many headers'))).text).toBe('hi')
    expect((await folder.inbox.get(await folder.idOf('no boundary'))).text).toBe('hi')
    expect((await folder.inbox.get(await folder.idOf('mail in mail'))).attachment_names).toEqual([
      'message.eml',
    ])
    expect((await folder.list('has:attachment')).map(({ subject }) => subject)).toEqual([
      'mail in mail',
    ])
  })

  it('keeps its id when it is labelled or written anew, and is never written to', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'first' }))
    const id = await folder.idOf('first')
    const before = statSync(join(folder.path, 'inbox/a.eml'))
    await folder.inbox.label(id, 'Work')
    await folder.inbox.get(id)
    const after = statSync(join(folder.path, 'inbox/a.eml'))
    expect([after.mtimeMs, after.ctimeMs]).toEqual([before.mtimeMs, before.ctimeMs])
    folder.drop('a.eml', 'Subject: still being writ')
    expect((await folder.inbox.get(id)).subject).toBe('still being writ')
    folder.drop('b.tmp', mail({ Subject: 'second' }))
    renameSync(join(folder.path, 'inbox/b.tmp'), join(folder.path, 'inbox/a.eml'))
    expect(await folder.idOf('second')).toBe(id)
    expect((await folder.inbox.get(id)).subject).toBe('second')
    expect(await folder.subjects('label:work')).toEqual(['second'])
  })

  it('is not found under an id that none has', async () => {
    const folder = new LocalFolder()
    for (const id of ['0'.repeat(24), '', '../inbox/a.eml', 'constructor', 'x'.repeat(10_000)]) {
      const refused = expect.objectContaining({ code: 'not_found' })
      await expect(folder.inbox.get(id)).rejects.toEqual(refused)
      await expect(folder.inbox.label(id, 'Work')).rejects.toEqual(refused)
      await expect(folder.inbox.original(id)).rejects.toEqual(refused)
    }
    expect(readdirSync(folder.path).sort()).toEqual(['inbox', 'sent'])
  })
})

describe('labels', () => {
  it('are added, and a move takes the mail out of the inbox', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'a' }))
    folder.drop('b.eml', mail({ Subject: 'b' }))
    const [a, b] = [await folder.idOf('a'), await folder.idOf('b')]
    const { inbox } = folder
    expect(await inbox.label(a, ' Projekte/Übung ')).toEqual(['INBOX', 'UNREAD', 'Projekte/Übung'])
    expect(await inbox.label(b, 'projekte/u\u0308BUNG')).toEqual([
      'INBOX',
      'UNREAD',
      'Projekte/Übung',
    ])
    expect(await inbox.label(a, 'starred')).toEqual([
      'INBOX',
      'UNREAD',
      'STARRED',
      'Projekte/Übung',
    ])
    expect(await inbox.move(a, 'Done')).toEqual(['UNREAD', 'STARRED', 'Projekte/Übung', 'Done'])
    expect(await inbox.move(a, 'done')).toEqual(['UNREAD', 'STARRED', 'Projekte/Übung', 'Done'])
    expect(await folder.subjects('in:inbox')).toEqual(['b'])
    expect(await inbox.move(a, 'inbox')).toEqual([
      'INBOX',
      'UNREAD',
      'STARRED',
      'Projekte/Übung',
      'Done',
    ])
    expect(await new LocalFolder({}, folder.path).inbox.label(a, 'DONE')).toHaveLength(5)
    const { message_id } = await folder.send()
    expect(await inbox.label(message_id, 'Done')).toEqual(['SENT', 'Done'])
    expect(statSync(join(folder.path, 'labels.json')).mode & 0o777).toBe(0o600)
  })

  it('have names that can be read', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'a' }))
    const id = await folder.idOf('a')
    for (const name of ['', '  ', 'a\nb', 'a\u0000', 'a\u0085b', 'x'.repeat(226)]) {
      await expect(folder.inbox.label(id, name)).rejects.toMatchObject({ code: 'invalid_request' })
      await expect(folder.inbox.move(id, name)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    expect(await folder.inbox.label(id, '😀'.repeat(225))).toHaveLength(3)
    expect(await folder.inbox.label(id, '__proto__')).toContain('__proto__')
  })

  it.each(['', '{"torn', '[]', '{"x": 1}', '{"x": [1]}', 'null'])(
    'are not overwritten where their file is %j',
    async (content) => {
      const folder = new LocalFolder()
      folder.drop('a.eml', mail({ Subject: 'a' }))
      const id = await folder.idOf('a')
      folder.drop('labels.json', content, '.')
      await expect(folder.inbox.label(id, 'Work')).rejects.toMatchObject({ code: 'storage' })
      await expect(folder.list()).rejects.toMatchObject({ code: 'storage' })
      expect(readFileSync(join(folder.path, 'labels.json'), 'utf8')).toBe(content)
    },
  )

  /** How many of the labels that several processes gave one mail at once are missing. */
  async function lostLabels(fault = ''): Promise<number> {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'a' }))
    const id = await folder.idOf('a')
    const runs = ['a', 'b', 'c'].map((prefix) => run(folder.path, 'label', id, prefix, fault))
    const failed = (await Promise.all(runs)).filter(({ exitCode }) => exitCode !== 0)
    if (fault === '') expect(failed).toEqual([])
    const labels = await folder.inbox.label(id, 'last')
    return 3 * 15 + 3 - labels.length
  }

  it('given by several processes at once are all kept', async () => {
    expect(await lostLabels()).toBe(0)
  })

  it('would be lost without the lock', async () => {
    await expectDamage(() => lostLabels('no lock'))
  })
})

const run = (path: string, ...args: string[]) =>
  ended(spawn(process.execPath, [worker('local-mail'), path, ...args]))

describe('a query', () => {
  it('finds what it describes', async () => {
    const folder = new LocalFolder()
    const html = { 'Content-Type': 'text/html; charset=utf-8' }
    const mixed = { 'Content-Type': 'multipart/mixed; boundary=b' }
    const attached =
      '--b\n\nSee the file.\n--b\nContent-Type: application/pdf; name=a.pdf\n\nAAAA\n--b--\n'
    const drops: [string, Record<string, string>, string?][] = [
      [
        'Invoice 7',
        { Date: daysAgo(1), From: 'Ada Byron <ada@example.com>' },
        'Please\r\npay soon.',
      ],
      [
        'Café',
        { Date: daysAgo(3), From: 'bob@example.org', Cc: 'Eve <eve@example.net>' },
        'R\u00e9sum\u00e9',
      ],
      [
        'Old',
        { Date: daysAgo(500), ...html },
        '<style>p{}</style><p>Dear <b>friend</b>&amp;co</p>',
      ],
      ['File', { Date: daysAgo(40), ...mixed }, attached],
      ['Junk', { Date: daysAgo(2) }, 'buy now'],
      ['Thrown', { Date: daysAgo(2) }],
      ['Kept', { Date: daysAgo(4) }],
    ]
    for (const [Subject, headers, body] of drops) {
      folder.drop(`${Subject}.eml`, mail({ Subject, ...headers }, body))
    }
    await folder.send({ subject: 'Reply sent', text: 'invoice paid' })
    await folder.inbox.move(await folder.idOf('Junk'), 'spam')
    await folder.inbox.move(await folder.idOf('Thrown'), 'trash')
    await folder.inbox.move(await folder.idOf('Kept'), 'My Work/2025')
    await folder.inbox.label(await folder.idOf('Café'), 'starred')
    const all = ['Invoice 7', 'Café', 'Kept', 'File', 'Old']
    const found: Record<string, string[]> = {
      '': all,
      'is:unread': all,
      'is:read': [],
      '-is:unread': [],
      'in:inbox': ['Invoice 7', 'Café', 'File', 'Old'],
      '-in:inbox': ['Kept'],
      'in:sent': ['Reply sent'],
      'is:read in:sent': ['Reply sent'],
      'in:anywhere': ['Reply sent', 'Invoice 7', 'Junk', 'Thrown', 'Café', 'Kept', 'File', 'Old'],
      'in:spam': ['Junk'],
      'label:TRASH': ['Thrown'],
      'is:starred': ['Café'],
      'IS:Starred': ['Café'],
      'label:my-work-2025': ['Kept'],
      'label:"my work/2025"': ['Kept'],
      'from:ADA': ['Invoice 7', 'Kept', 'File', 'Old'],
      '-from:ada': ['Café'],
      'from:"ada byron"': ['Invoice 7'],
      'to:eve': ['Café'],
      'subject:invoice': ['Invoice 7'],
      'subject:"invoice 7"': ['Invoice 7'],
      'subject:7invoice': [],
      invoice: ['Invoice 7'],
      'invoice in:anywhere': ['Reply sent', 'Invoice 7'],
      '"please pay"': ['Invoice 7'],
      'please soon': ['Invoice 7'],
      'please -soon': [],
      '"friend &co"': ['Old'],
      style: [],
      re\u0301sume\u0301: ['Café'],
      CAFÉ: ['Café'],
      'has:attachment': ['File'],
      '-has:attachment newer_than:41d': ['Invoice 7', 'Café', 'Kept'],
      'newer_than:2d': ['Invoice 7'],
      'newer_than:30h': ['Invoice 7'],
      'older_than:1m': ['File', 'Old'],
      'older_than:1y': ['Old'],
      '(invoice)': [],
      'foo:bar': [],
      '-foo:bar -': all,
      'is:constructor': [],
      'constructor:x': [],
      '"': all,
      'subject:"invoice': ['Invoice 7'],
    }
    for (const [query, subjects] of Object.entries(found)) {
      expect([query, await folder.subjects(query)]).toEqual([query, subjects])
    }
    const refused = [
      'x '.repeat(101),
      'newer_than:soon',
      'invoice OR café',
      'after:2026/01/01',
      'subject:(invoice april)',
      'rfc822msgid:a@b.example',
    ]
    for (const query of refused) {
      await expect(folder.list(query), query).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })

  it('is answered with the head of each mail, and writes nothing', async () => {
    const folder = new LocalFolder()
    const dated = { Date: 'Tue, 1 Jul 2025 10:00:00 +0200' }
    folder.drop('a.eml', mail({ Subject: 'a', ...dated }, `One\r\n\r\n two ${'word '.repeat(200)}`))
    folder.drop('b.eml', mail({ Subject: 'b', Date: 'never' }))
    utimesSync(join(folder.path, 'inbox/b.eml'), 1e9, 1e9)
    const [a, b] = await folder.list()
    expect(a).toMatchObject({ sender: 'Ada <ada@example.com>', date: '2025-07-01T08:00:00.000Z' })
    expect(a?.snippet).toMatch(/^One two word word .{182}$/)
    expect(b?.date).toBe('2001-09-09T01:46:40.000Z')
    expect(readdirSync(folder.path).sort()).toEqual(['inbox', 'sent'])
  })
})

describe('pages', () => {
  it('show every mail that was there once, whatever comes meanwhile', async () => {
    const folder = new LocalFolder()
    const names = Array.from({ length: 25 }, (_, number) => `${number}`)
    for (const name of names) {
      folder.drop(`${name}.eml`, mail({ Subject: name, Date: daysAgo(Number(name) % 4) }))
    }
    const shown: string[] = []
    let page_token: string | undefined
    do {
      const page = await folder.inbox.list({ query: 'is:unread', limit: 4, page_token })
      expect(page.mails.length).toBeLessThanOrEqual(4)
      shown.push(...page.mails.map(({ subject }) => subject))
      page_token = page.next_page_token
      folder.drop(`new ${shown.length}.eml`, mail({ Subject: 'new', Date: daysAgo(-1) }))
      const first = shown[0]
      if (first) rmSync(join(folder.path, `inbox/${first}.eml`), { force: true })
    } while (page_token !== undefined)
    expect(shown.sort()).toEqual(names.sort())
  })

  it('are refused for a token that is none', async () => {
    const { inbox } = new LocalFolder()
    for (const page_token of ['', 'x', 'MTIz', '🙂', Buffer.from('1 x').toString('base64url')]) {
      const page = inbox.list({ query: '', limit: 1, page_token })
      await expect(page).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })
})

describe('sending', () => {
  const asked: Partial<OutgoingMail> = {
    from: { name: 'Zoë "Z" Doe', address: 'zoe@example.com' },
    to: [
      { name: 'Bob', address: 'bob@example.com' },
      { name: '', address: 'eve@example.com' },
    ],
    bcc: [{ name: '', address: 'hidden@example.com' }],
    subject: `Grüße & € ${'lang '.repeat(30)}`.trim(),
    text: 'Zeile eins\n.\nFrom here: =3D €\n  two  blanks \n\nEnde',
    html: '<p>Größe</p>',
    attachments: [
      { name: 'Übersicht.txt', content: Buffer.from('x'), contentType: 'text/plain' },
      { name: 'm.eml', content: Buffer.from('Subject: x\n\ny'), contentType: 'message/rfc822' },
    ],
    key: 'key-1',
  }

  it('writes a file that reads as what was asked', async () => {
    const folder = new LocalFolder()
    const receipt = await folder.send(asked)
    const got = await folder.inbox.get(receipt.message_id)
    expect({ ...got, text: got.text?.trimEnd(), html: got.html?.trimEnd() }).toEqual({
      id: receipt.message_id,
      subject: asked.subject,
      sender: '"Zoë \\"Z\\" Doe" <zoe@example.com>',
      to: 'Bob <bob@example.com>, eve@example.com',
      date: receipt.sent_at,
      text: asked.text,
      html: asked.html,
      attachment_names: ['Übersicht.txt', 'm.eml'],
    })
    const [name = '', ...others] = folder.sent()
    expect(others).toEqual([])
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-gru-e-lang-[a-z-]+-\w{10}\.eml$/)
    expect(name.length).toBeLessThanOrEqual(100)
    expect(statSync(join(folder.path, 'sent', name)).mode & 0o777).toBe(0o600)
    const raw = readFileSync(join(folder.path, 'sent', name), 'latin1')
    expect(raw.toLowerCase()).toContain(`${keyHeader.toLowerCase()}: key-1\r\n`)
    expect(raw).toContain('Bcc: hidden@example.com\r\n')
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('says from whom, and takes any subject for a name', async () => {
    const from = { name: 'Me', address: 'me@example.com' }
    for (const [options, sender] of [
      [{}, 'agentmail@localhost'],
      [{ from }, 'Me <me@example.com>'],
    ] as const) {
      const folder = new LocalFolder(options)
      for (const subject of ['', '../../etc', '.hidden', '日本語', 'x'.repeat(900)]) {
        const { message_id } = await folder.send({ subject })
        expect(await folder.inbox.get(message_id)).toMatchObject({ subject, sender })
      }
      expect(folder.sent().every((name) => /^[\w-]{10,96}\.eml$/.test(name))).toBe(true)
      expect(folder.sent()).toHaveLength(5)
    }
  })

  it('keeps the thread of a reply', async () => {
    const folder = new LocalFolder()
    const threads: Record<string, Record<string, string>> = {
      begins: { 'Message-ID': '<a@x>' },
      answers: { 'Message-ID': '<b@x>', 'In-Reply-To': '<a@x>' },
      later: { 'Message-ID': '<c@x>', References: '<a@x> <b@x>', 'In-Reply-To': '<b@x>' },
    }
    const ids = new Set<string | undefined>()
    for (const [Subject, headers] of Object.entries(threads)) {
      folder.drop(`${Subject}.eml`, mail({ Subject, ...headers }))
      const original = await folder.inbox.original(await folder.idOf(Subject))
      expect(original).toMatchObject({ subject: Subject, message_id: headers['Message-ID'] })
      const { thread_id, message_id } = await folder.send({ original })
      ids.add(original.thread_id).add(thread_id)
      const reply = await folder.inbox.original(message_id)
      expect(reply.thread_id).toBe(thread_id)
      expect(reply.references.at(0)).toBe('<a@x>')
      expect(reply.references.at(-1)).toBe(original.message_id)
    }
    expect(ids.size).toBe(1)
    folder.drop('none.eml', mail({ Subject: 'none' }))
    const none = await folder.inbox.original(await folder.idOf('none'))
    expect(none).toMatchObject({ message_id: '', references: [] })
    expect((await folder.send({ original: none })).thread_id).toBe(none.thread_id)
  })

  it('is found again by its key', async () => {
    const folder = new LocalFolder()
    const trace = { to: [], subject: '', since: 0 }
    const receipt = await folder.send(asked)
    await folder.send({ key: 'key-2' })
    const other = openLocalMail(folder.path)
    expect(await other.find?.({ key: 'key-1', ...trace }, never)).toEqual(receipt)
    expect(await other.find?.({ key: 'key', ...trace }, never)).toBeUndefined()
  })

  it('says for certain that nothing was sent where nothing could be written', async () => {
    const folder = new LocalFolder()
    const aborted = folder.provider.send(emptyMail, AbortSignal.abort())
    expect(isNotSent(await aborted.catch((error) => error))).toBe(true)
    expect(folder.sent()).toEqual([])
    rmSync(join(folder.path, 'sent'), { recursive: true })
    writeFileSync(join(folder.path, 'sent'), '')
    const error: unknown = await folder.send().catch((thrown) => thrown)
    expect(isNotSent(error)).toBe(true)
    expect(error).toMatchObject({ code: 'send_failed' })
  })

  /** Kills processes while they send; gives how many mails are torn or, though acknowledged, missing. */
  async function tornMails(kills: number, env: Env = {}): Promise<number> {
    const folder = new LocalFolder()
    const acknowledged: string[] = []
    for (let kill = 0; kill < kills; kill++) {
      const args = [worker('local-mail'), folder.path, 'send']
      const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
      onTestFinished(() => void child.kill('SIGKILL'))
      createInterface(child.stdout).on('line', (line) => {
        acknowledged.push(JSON.parse(line))
        if (acknowledged.length % 3 > 0) return
        setTimeout(() => child.kill('SIGKILL'), Math.random() * 20) // at any moment of a mail
      })
      const { signal, stderr } = await ended(child)
      expect([signal, stderr]).toEqual(['SIGKILL', ''])
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills)
    let damage = 0
    for (const name of folder.sent().filter((entry) => !entry.startsWith('.'))) {
      const raw = readFileSync(join(folder.path, 'sent', name), 'latin1')
      if (!/\r\n--\S+--\r\n$/.test(raw.slice(-200))) damage++ // the mark after the last part
    }
    for (const id of acknowledged) await folder.inbox.get(id).catch(() => damage++)
    return damage
  }

  it('leaves whole mails only, and every acknowledged one, when it is killed', async () => {
    expect(await tornMails(isLong ? 50 : 3)).toBe(0)
  })

  it('would leave torn mails if it wrote them in their place', async () => {
    await expectDamage(() => tornMails(3, loading(['careless-files'], { CARELESS: 'in place' })))
  })
})

const costSchema = z.object({
  costs: z.array(z.object({ mails: z.int(), bytes: z.int(), longestMs: z.number() })),
})

describe('a large inbox', () => {
  it('is listed by the beginnings of its files, and by what changed the next time', async () => {
    const folder = new LocalFolder()
    const count = isLong ? 10_000 : 2000
    const body = 'lorem ipsum dolor sit amet\r\n'.repeat(700)
    folder.drop('0.eml', mail({ Subject: 'mail 7' }, body))
    const first = join(folder.path, 'inbox/0.eml')
    for (let number = 1; number < count; number++) {
      linkSync(first, join(folder.path, `inbox/${number}.eml`))
    }
    const { stdout } = await run(folder.path, 'list')
    const [once, again, other] = costSchema.parse(JSON.parse(stdout)).costs
    expect([once?.mails, again?.mails, other?.mails]).toEqual([10, 10, 10])
    expect(once?.bytes).toBeLessThan(count * 8200 + (2 << 20))
    expect(again?.bytes).toBeLessThan(2 << 20)
    expect(other?.bytes).toBeLessThan(2 << 20)
  })
})
