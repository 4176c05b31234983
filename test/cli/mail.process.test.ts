/** `agentmail mail`: what a person reads, sends and settles from a terminal, and what a script gets. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env, ended, start } from '../support/agentmail.ts'
import { GmailPlace, LocalPlace, type MailPlace } from '../support/email/mail-place.ts'
import { eventually } from '../support/eventually.ts'
import { TestVault } from '../support/vault/vault.ts'

const question = [
  'From: Zoe <zoe@example.com>',
  'To: me@example.com',
  'Subject: Tea',
  'Date: Mon, 6 Oct 2025 10:00:00 +0200',
  'Message-ID: <q@a>',
  '',
  'At four?',
].join('\r\n')
const toAnn = ['send', '--to', 'ann@example.com', '--subject', 'Hi']

const mailOn = (place: MailPlace) => ({
  run: (args: string[], env: Env = {}, input?: string) =>
    agentmail(['mail', ...args], {
      env: { TZ: 'UTC', ...place.env, ...env },
      cwd: place.folder,
      ...(input !== undefined && { input }),
    }),
  async out(args: string[], env: Env = {}, input?: string): Promise<string> {
    const ran = await this.run(args, env, input)
    expect([ran.stderr, ran.exitCode]).toEqual(['', 0])
    return ran.stdout
  },
  async json(args: string[], env: Env = {}): Promise<unknown> {
    return JSON.parse(await this.out([...args, '--json'], env))
  },
  /** The first line of what goes wrong. */
  async fault(args: string[], env: Env = {}, exitCode = 1): Promise<string> {
    const ran = await this.run(args, env)
    expect([args, ran.stdout, ran.exitCode]).toEqual([args, '', exitCode])
    return ran.stderr.split('\n')[0] ?? ''
  },
})

describe('reading mail', () => {
  it('lists and shows mails, for people and for programs', async () => {
    const place = new LocalPlace()
    const mail = mailOn(place)
    expect(await mail.out(['list'])).toBe('No mail found\n')
    const id = place.add(question)
    place.add(question.replace('Tea', 'Coffee').replace('6 Oct', '7 Oct'))
    const line = /^([0-9a-f]{32}) {2}2025-10-0\d 08:00:00 {2}Zoe <zoe@example\.com> {2}(\w+)$/
    const [head, ...rows] = (await mail.out(['list'])).trimEnd().split('\n')
    expect(head).toMatch(/^ID +DATE +FROM +SUBJECT$/)
    expect(rows.map((row) => line.exec(row)?.[2])).toEqual(['Coffee', 'Tea'])
    expect(await mail.json(['list', 'from:zoe', 'subject:tea'])).toEqual({
      emails: [
        {
          id,
          subject: 'Tea',
          sender: 'Zoe <zoe@example.com>',
          date: '2025-10-06T08:00:00.000Z',
          snippet: 'At four?',
        },
      ],
    })
    const page = /There is more: --page (\S+)\n$/.exec(await mail.out(['list', '--limit', '1']))
    expect(await mail.out(['list', '--page', page?.[1] ?? ''])).toMatch(/ Tea\n$/)
    expect(await mail.out(['show', id])).toMatch(
      /^From: {4}Zoe <zoe@example\.com>\nTo: {6}me@example\.com\nDate: {4}2025-10-06 08:00:00\nSubject: Tea\n\n[\s\S]*\nAt four\?\n[\s\S]*\n$/,
    )
    expect(await mail.json(['show', id])).toMatchObject({ id, subject: 'Tea' })
  })

  it('lets no mail steer the terminal', async () => {
    const place = new LocalPlace()
    const evil = '\u001b]0;owned\u0007\u001b[2J\u202etxt\u0085\u009b31m\r\nX: y'
    const word = `=?utf-8?B?${Buffer.from(evil).toString('base64')}?=`
    const id = place.add(
      [
        `From: ${word} <eve@example.com>`,
        `To: ${word} <me@example.com>`,
        `Subject: ${word}`,
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain; charset=utf-8',
        '',
        evil,
        '--b',
        `Content-Type: application/pdf; name="${word}"`,
        '',
        'x',
        '--b--',
      ].join('\r\n'),
    )
    const mail = mailOn(place)
    const printed = [
      await mail.out(['list']),
      await mail.out(['show', id]),
      await mail.out(['show', id, '--json']),
      await mail.out(['send', '--to', 'a@example.com', '--reply-to', id, '--body', 'x']),
      await mail.out(['log']),
    ]
    for (const text of printed)
      expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
    expect(printed[0]?.split('\n')).toHaveLength(3)
  })
})

describe('sending mail', () => {
  it('sends what is given or piped, with files of the vault', async () => {
    const place = new LocalPlace()
    const vault = new TestVault()
    const mail = mailOn(place)
    vault.put('Reports/q3 ü.pdf', Buffer.from([0, 255, 10]))
    vault.put('note.md', 'note')
    const flags = ['--cc', 'b@example.com', '--bcc', 'c@example.com', '--vault', vault.root]
    const files = ['Reports/q3 ü.pdf', 'note.md']
    const said = await mail.out([...toAnn, ...flags, ...files], {}, 'Grüße\n')
    const id = /^Sent to ann@example\.com, message ([0-9a-f]{32})\n$/.exec(said)?.[1]
    const sent = await place.mailSent(id)
    expect(sent).toMatchObject({
      to: [{ address: 'ann@example.com' }],
      cc: [{ address: 'b@example.com' }],
      bcc: [{ address: 'c@example.com' }],
      subject: 'Hi',
      attachments: [{ filename: 'q3 ü.pdf', mimeType: 'application/pdf' }, { filename: 'note.md' }],
    })
    expect(sent.text?.trimEnd()).toBe('Grüße')
    const both = [...toAnn, '--to', 'd@example.com', '--body', 'x', '--json']
    const { message_id: second } = z
      .object({ message_id: z.string() })
      .parse(JSON.parse(await mail.out(both)))
    expect((await place.mailSent(second)).to).toMatchObject([
      { address: 'ann@example.com' },
      { address: 'd@example.com' },
    ])
    const receipt = await mail.json([...toAnn, '--body', '<p>Hi <b>you</b></p>'])
    const { message_id } = z
      .strictObject({ message_id: z.string(), thread_id: z.string(), sent_at: z.iso.datetime() })
      .parse(receipt)
    expect((await place.mailSent(message_id)).text?.trimEnd()).toBe('Hi you')
  })

  it('sends once for one key, leaves a draft under the policy, and logs both', async () => {
    const place = new LocalPlace()
    const mail = mailOn(place)
    const keyed = [...toAnn, '--body', 'x', '--key', 'k']
    expect(await mail.out(keyed)).toBe(await mail.out(keyed))
    expect(await mail.fault([...keyed, '--cc', 'b@example.com'])).toBe(
      'error: idempotency_key was used before with other content',
    )
    const careful = { AGENTMAIL_SEND_POLICY: 'approve' }
    const later = ['send', '--to', 'ann@example.com', '--subject', 'Later', '--body', 'x']
    expect(await mail.out(later, careful)).toMatch(
      /^Not sent yet: it waits for approval in Drafts\/later-\w{8}\.md\n$/,
    )
    const { draft } = z
      .strictObject({ status: z.literal('pending_approval'), draft: z.string() })
      .parse(await mail.json(later, careful))
    expect(readFileSync(join(place.vault, draft), 'utf8')).toContain('to: ann@example.com\n')
    expect(await place.sent()).toHaveLength(1)
    const rows = (await mail.out(['log'])).trimEnd().split('\n')
    expect(rows.map((row) => row.split(/ {2,}/).slice(2))).toEqual([
      ['STATE', 'TO', 'SUBJECT', 'REMARK'],
      ['drafted', 'ann@example.com', 'Later', expect.stringMatching(/^Drafts\/later-/)],
      ['drafted', 'ann@example.com', 'Later', expect.stringMatching(/^Drafts\/later-/)],
      ['sent', 'ann@example.com', 'Hi'],
    ])
    const { mails } = z
      .object({ mails: z.array(z.object({ id: z.string(), state: z.string() })) })
      .parse(await mail.json(['log', '--limit', '2']))
    expect(mails).toHaveLength(2)
    expect(await mail.fault(['settle', mails[0]?.id ?? ''])).toMatch(
      /is a draft that waits for approval: there is nothing to settle$/,
    )
  })

  it('says what is wrong, and what to do', async () => {
    const place = new LocalPlace()
    const mail = mailOn(place)
    const body = ['--body', 'x']
    const faults: [string[], RegExp, exitCode?: number, env?: Env][] = [
      [[], /^error: what is to be done with agentmail mail\?/],
      [['list', '--to', 'x'], /^error: mail list takes no --to/],
      [['show', 'gone'], /^error: there is no mail with this id/],
      [['send', ...body], /^error: who gets the mail\?/],
      [toAnn, /^error: what does the mail say\?/],
      [['send', '--to', 'ann', ...body], /^error: to: "ann" has no @/],
      [[...toAnn, ...body, '../x'], /^error: the path leaves the vault/],
      [[...toAnn, ...body, 'none.pdf'], /^error: there is no file to attach at none\.pdf/],
      [['log', 'x'], /^error: too many arguments: x/],
      [['settle', 'none'], /^error: there is no mail none/],
      [['settle', 'none', 'maybe'], /^error: unknown outcome: maybe/],
      [
        ['list'],
        /^error: postmark can only send mail/,
        1,
        { AGENTMAIL_MAIL: 'postmark', AGENTMAIL_MAIL_DIR: undefined },
      ],
      [['list'], /^error: AGENTMAIL_MAIL must be one of/, 2, { AGENTMAIL_MAIL: 'bogus' }],
      [
        [...toAnn, ...body],
        /^error: AGENTMAIL_SEND_POLICY must/,
        2,
        { AGENTMAIL_SEND_POLICY: 'x' },
      ],
      [[...toAnn, ...body], /^error: mail may not go to ann/, 1, { AGENTMAIL_SEND_TO: 'x.org' }],
    ]
    await Promise.all(
      faults.map(async ([args, words, exitCode, env]) =>
        expect(await mail.fault(args, env, exitCode)).toMatch(words),
      ),
    )
    expect(await place.sent()).toEqual([])
    const help = await mail.out(['--help'])
    for (const word of ['list', 'show', 'send', 'log', 'settle']) expect(help).toContain(word)
    expect(help).toMatch(/^Usage: agentmail mail /)
  })
})

describe('settling what is unclear', () => {
  /** A mail whose outcome nobody knows; gives its id. */
  async function unclear(place: GmailPlace, fault: 'lost-reply' | '500', args: string[]) {
    place.fake.fail({ fault, path: /send$/, times: 1 })
    const { stderr, exitCode } = await mailOn(place).run([...toAnn, '--body', 'x', ...args])
    expect(exitCode).toBe(3)
    return /agentmail mail settle (\w{8}) sent, or not-sent/.exec(stderr)?.[1] ?? stderr
  }

  it('asks the service, or takes the word of a person', async () => {
    const place = await GmailPlace.make()
    const mail = mailOn(place)
    const settled = (id: string, state: string) =>
      `Mail ${id} to ann@example.com is settled: ${state}\n`

    const reply = ['--key', 'found', '--reply-to', place.add(question)]
    const found = await unclear(place, 'lost-reply', reply)
    expect(await mail.out(['log'])).toMatch(
      / unknown {2}ann@example\.com {2}Re: Tea {2}the connection to Gmail broke off\n$/,
    )
    expect(await mail.out(['settle', found])).toBe(settled(found, 'sent'))
    expect(await mail.fault(['settle', found, 'not-sent'])).toBe(
      `error: mail ${found} was sent: there is nothing to settle`,
    )

    const keyless = await unclear(place, 'lost-reply', [])
    expect(await mail.fault(['settle', keyless])).toBe(
      `error: gmail cannot say whether mail ${keyless} was sent`,
    )
    expect(await mail.json(['settle', keyless, 'sent'])).toMatchObject({
      id: keyless,
      state: 'sent',
      reason: 'a person has found that it was sent',
    })

    const lost = await unclear(place, '500', ['--key', 'lost'])
    expect(await mail.fault(['settle', lost])).toMatch(/cannot say whether/)
    expect(await mail.out(['settle', lost, 'not-sent'])).toBe(settled(lost, 'not sent'))
    expect(await mail.fault(['settle', lost])).toMatch(/was not sent: there is nothing to settle$/)
    expect(place.fake.sent).toHaveLength(2)
    await mail.out([...toAnn, '--body', 'x', '--key', 'lost'])
    expect(place.fake.sent).toHaveLength(3)
  })

  it('waits for whoever still sends, and knows when that one is dead', async () => {
    const place = await GmailPlace.make()
    const mail = mailOn(place)
    place.fake.fail({ fault: 'hang', path: /send$/, times: 1 })
    const sender = start(['mail', ...toAnn, '--body', 'x'], { env: place.env, cwd: place.folder })
    await eventually('the mail is on its way', () =>
      place.fake.requests.some(({ path }) => path.endsWith('/send')),
    )
    const { mails } = z
      .object({ mails: z.tuple([z.object({ id: z.string(), state: z.literal('sending') })]) })
      .parse(await mail.json(['log']))
    const { id } = mails[0]
    expect(await mail.fault(['settle', id, 'sent'])).toMatch(/is being sent: there is nothing/)
    sender.kill('SIGKILL')
    await ended(sender)
    expect(await mail.fault(['settle', id])).toMatch(/cannot say whether/)
    expect(await mail.json(['settle', id, 'not-sent'])).toMatchObject({ id, state: 'failed' })
  })
})
