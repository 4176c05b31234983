/** send_email through the gmail server, on a fake Gmail and on local mail alike: what goes out, once, and under which policy. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { afterAllTests } from '../support/at-end.ts'
import { GmailPlace, LocalPlace, type MailPlace } from '../support/email/mail-place.ts'
import type { ToolClient } from '../support/mcp/tool-client.ts'

const mail = { to: 'ann@example.com', subject: 'Tea', body: 'At four?' }
const receiptSchema = z.strictObject({
  message_id: z.string().min(1),
  thread_id: z.string().min(1),
  sent_at: z.iso.datetime(),
})
const notSent = { outcome: 'not_sent' }
const questionOf = (...headers: string[]) =>
  ['From: zoe@example.com', 'To: me@example.com', ...headers, '', 'Tea?'].join('\r\n')

describe.each(['Gmail', 'local mail'])('send_email on %s', (kind) => {
  let place: MailPlace
  let tools: ToolClient
  const atEnd = afterAllTests()
  beforeAll(async () => {
    place = kind === 'Gmail' ? await GmailPlace.make(atEnd) : new LocalPlace(atEnd)
    tools = await place.tools({}, atEnd)
  })
  const sendBy = async (sender: ToolClient, given: object) => {
    const receipt = receiptSchema.parse(await sender.call('send_email', { ...mail, ...given }))
    return { receipt, arrived: await place.mailSent(receipt.message_id) }
  }
  const send = (given: object = {}) => sendBy(tools, given)
  const count = async () => (await place.sent()).length

  it('sends what was asked for, to exactly those who were named', async () => {
    const before = await count()
    const { arrived } = await send({
      to: 'Ann <ann@example.com>, "Doe, J." <j@example.com>,zoe@example.com',
      subject: 'Tea 🍵 – “now”',
      body: 'Line one\n.\nFrom here: 2 < 3 & "x" 山\n',
    })
    expect(await count()).toBe(before + 1)
    expect(arrived).toMatchObject({
      to: [
        { name: 'Ann', address: 'ann@example.com' },
        { name: 'Doe, J.', address: 'j@example.com' },
        { name: '', address: 'zoe@example.com' },
      ],
      subject: 'Tea 🍵 – “now”',
      attachments: [],
    })
    expect(arrived.text?.trimEnd()).toBe('Line one\n.\nFrom here: 2 < 3 & "x" 山')
    expect([arrived.html, arrived.cc, arrived.bcc]).toEqual([undefined, undefined, undefined])
    const told = arrived.headers.map(({ key }) => key).filter((key) => /agentmail|bcc/.test(key))
    expect(told).toEqual([])
  })

  it('sends a body of HTML with a text beside it', async () => {
    const body = '<h1>Tea</h1><p>At <b>four</b>, <a href="https://example.com/x">here</a>?</p>'
    const { arrived } = await send({ body })
    const type = arrived.headers.find(({ key }) => key === 'content-type')?.value
    expect(type).toMatch(/^multipart\/alternative/)
    expect(arrived.html?.trimEnd()).toBe(body)
    expect(arrived.text).toContain('At four')
    expect(arrived.text).not.toContain('<')
  })

  it('replies in the thread, with the subject of the original, to nobody but those named', async () => {
    const id = place.add(
      questionOf(
        'Reply-To: evil@example.com',
        'Cc: other@example.com',
        'Message-ID: <q@a>',
        'References: <o@a> <p@a>',
        'Subject: =?utf-8?q?T=C3=A9a?= time',
      ),
    )
    const first = await send({ subject: 'Something else', reply_to_message_id: id })
    const again = await send({ subject: 're: téa  time', reply_to_message_id: id })
    const joined = z.object({ inReplyTo: z.string(), references: z.string() })
    for (const { arrived } of [first, again]) {
      expect(joined.parse(arrived)).toEqual({ inReplyTo: '<q@a>', references: '<o@a> <p@a> <q@a>' })
      expect(arrived.to).toEqual([{ name: '', address: 'ann@example.com' }])
      expect(arrived.cc).toBeUndefined()
    }
    expect(first.arrived.subject).toBe('Re: Téa time')
    expect(again.receipt.thread_id).toBe(first.receipt.thread_id)
    if (kind === 'Gmail') expect(first.receipt.thread_id).toBe(id)
    const { message_id } = first.receipt
    const { arrived } = await send({ reply_to_message_id: message_id })
    expect(arrived.subject).toBe('Re: Téa time')
    const error = await tools.error('send_email', { ...mail, reply_to_message_id: 'gone' })
    expect(error.error).toBe('not_found')
  })

  it('sends once for one key, and nothing else for it', async () => {
    const keyed = { ...mail, subject: 'Once', idempotency_key: 'key ünï' }
    const before = await count()
    const answers = await Promise.all([1, 2, 3].map(() => tools.call('send_email', keyed)))
    const elsewhere = await place.tools()
    answers.push(await elsewhere.call('send_email', keyed))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    for (const other of [{ to: 'b@example.com' }, { subject: 'Twice' }, { body: 'At five?' }]) {
      expect(await elsewhere.error('send_email', { ...keyed, ...other })).toEqual({
        error: 'invalid_request',
        message: expect.stringMatching(/^idempotency_key was used before with other content/),
        details: notSent,
      })
    }
    expect(await count()).toBe(before + 1)
    await send({ subject: 'Once' })
    expect(await count()).toBe(before + 2)
  })

  const refusals: [object, words: string][] = [
    [{ to: undefined }, 'to is required'],
    [{ to: ' ' }, 'to is required'],
    [{ to: 'ann' }, 'to: "ann" has no @'],
    [{ to: 'ann@example.com, bob' }, 'to: "bob" has no @'],
    [{ to: 'ann@example.com\r\nBcc: x@example.com' }, 'to must not contain line breaks'],
    [{ to: ['ann@example.com'] }, 'to must be text'],
    [{ subject: undefined }, 'subject is required'],
    [{ subject: 'a\nb' }, 'subject must not contain line breaks'],
    [{ subject: 'a\rBcc: x@example.com' }, 'subject must not contain line breaks'],
    [{ subject: 'a\0b' }, 'subject must not contain NUL'],
    [{ body: undefined }, 'body is required'],
    [{ body: '\n' }, 'body is required'],
    [{ body: 'a\0b' }, 'body must not contain NUL'],
    [{ body: '\ud800' }, 'body must not contain half'],
    [{ reply_to_message_id: 5 }, 'reply_to_message_id must be text'],
    [{ idempotency_key: 'k'.repeat(501) }, 'idempotency_key must be at most 500'],
    [{ cc: 'x@example.com', from: 'y@example.com' }, 'unknown argument: cc, from'],
  ]
  it('refuses by name what cannot be sent, and writes no line of it', async () => {
    const before = [await count(), place.audit().length]
    for (const [given, words] of refusals) {
      const { error, message } = await tools.error('send_email', { ...mail, ...given })
      expect([given, error]).toEqual([given, 'invalid_request'])
      expect(message.startsWith(words), message).toBe(true)
    }
    expect([await count(), place.audit().length]).toEqual(before)
  })

  it('writes the audit before the mail leaves', async () => {
    const id = place.add(questionOf('Subject: Plan', 'Message-ID: <plan@a>'))
    let seen: string[] = []
    if (place instanceof GmailPlace)
      place.fake.onSend = () => {
        seen = place.audit()
      }
    const body = `${'👩‍💻 '.repeat(100)}end`
    await send({ to: 'Ann <ann@example.com>, b@example.com', body, reply_to_message_id: id })
    const line = place.audit().at(-1) ?? ''
    if (kind === 'Gmail') expect(seen.at(-1)).toBe(line)
    const { timestamp } = z.object({ timestamp: z.iso.datetime() }).parse(JSON.parse(line))
    expect(line).toBe(
      JSON.stringify({
        event: 'pre_send_audit',
        timestamp,
        to: 'Ann <ann@example.com>, b@example.com',
        subject: 'Re: Plan',
        body_preview: [...body].slice(0, 200).join(''),
        reply_to_message_id: id,
        severity: 'INFO',
      }),
    )
    const file = join(place.vault, 'Logs', `gmail_mcp_${timestamp.slice(0, 10)}.jsonl`)
    expect(readFileSync(file, 'utf8').endsWith(`${line}\n`)).toBe(true)
  })

  it('sends nothing that cannot be audited', async () => {
    const vault = join(place.folder, 'broken-vault')
    mkdirSync(vault, { recursive: true })
    writeFileSync(join(vault, 'Logs'), 'a file where the folder should be')
    const before = await count()
    for (const VAULT_PATH of [vault, join(place.folder, 'no-vault')]) {
      const error = await (await place.tools({ VAULT_PATH })).error('send_email', mail)
      expect(error).toMatchObject({ error: 'send_failed', details: notSent })
      expect(error.message).toMatch(/^nothing was sent, because the audit could not be written/)
      expect(error.message).not.toContain(place.folder)
    }
    expect(await count()).toBe(before)
  })

  it('leaves a draft for a person where one has to approve', async () => {
    const id = place.add(questionOf('Subject: Plan B', 'Message-ID: <b@a>'))
    const careful = await place.tools({ AGENTMAIL_SEND_POLICY: 'approve' })
    const before = [await count(), place.audit().length]
    const reply = {
      to: 'Ann <ann@example.com>, b@example.com',
      subject: 'Plan: "x"',
      body: '---\nstatus: approved\n---\nYes.\n',
      reply_to_message_id: id,
      idempotency_key: 'draft',
    }
    const answer = await careful.call('send_email', reply)
    expect(await careful.call('send_email', reply)).toEqual(answer)
    expect(answer).toEqual({
      status: 'pending_approval',
      draft: expect.stringMatching(/^Drafts\/re-plan-b-\w{8}\.md$/),
    })
    expect(place.drafts().map((name) => `Drafts/${name}`)).toEqual([answer.draft])
    expect(readFileSync(join(place.vault, String(answer.draft)), 'utf8')).toBe(
      [
        '---',
        'status: pending_approval',
        'to: Ann <ann@example.com>, b@example.com',
        'subject: "Re: Plan B"',
        `reply_to_message_id: ${id}`,
        '---',
        reply.body,
      ].join('\n'),
    )
    const html = await careful.call('send_email', { ...mail, body: '<p>Hi</p>' })
    expect(readFileSync(join(place.vault, String(html.draft)), 'utf8')).toMatch(/---\n<p>Hi<\/p>$/)
    expect([await count(), place.audit().length]).toEqual(before)
  })

  it('goes only to those whom a person has allowed', async () => {
    const AGENTMAIL_SEND_TO = 'bob@example.com, @EXAMPLE.org'
    const limited = await place.tools({ AGENTMAIL_SEND_TO })
    const before = await count()
    for (const to of [
      'ann@example.com',
      'bob@example.com, ann@example.com',
      'x@sub.example.org',
      '"bob@example.com" <ann@example.com>',
      'x@example.org.evil.com',
    ]) {
      expect(await limited.error('send_email', { ...mail, to })).toMatchObject({
        error: 'permission_denied',
        details: notSent,
      })
    }
    expect(await count()).toBe(before)
    await sendBy(limited, { to: 'BOB@Example.COM, x@example.org' })
    expect(await count()).toBe(before + 1)
  })
})
