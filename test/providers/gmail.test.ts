/** Sending through Gmail, with every fault on the way; and the basics on a second Gmail, made by others. */
import { createEmulator } from 'emulate'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OutgoingMail, Provider } from '../../src/providers/provider.ts'
import { never } from '../support/email/outgoing-mail.ts'
import { failureOf } from '../support/failure-of.ts'
import type { FaultRule } from '../support/providers/fake-gmail-faults.ts'
import { gmailProvider, lines, mail, useFakeGmail } from '../support/providers/gmail-provider.ts'

const on = useFakeGmail()

describe('sending through Gmail', () => {
  const send = (given: Partial<OutgoingMail> = {}, signal: AbortSignal = never) =>
    on.gmail.send(mail(given), signal)
  const posts = () => on.fake.requests.filter(({ path }) => path.endsWith('/send')).length

  it('sends exactly what was asked for', async () => {
    const content = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256))
    const head = {
      from: { name: 'Me, myself', address: 'me@example.com' },
      to: [
        { name: 'Doe, Jane "J"', address: 'jane@example.com' },
        { name: 'Zoë 🍵', address: 'zoe@example.com' },
      ],
      cc: [{ name: '', address: 'cc@example.com' }],
      bcc: [{ name: 'Hidden', address: 'bcc@example.com' }],
      subject: `${'Ünï 🍵 '.repeat(57)}x`,
    }
    const answers = [{ name: '', address: 'answers@example.com' }]
    const receipt = await send({
      ...head,
      reply_to: answers,
      text: 'Line 1\nLine 2 – ünï 🍵\n.\nFrom here',
      html: '<p>ünï</p>',
      attachments: [{ name: 'списък €.bin', content, contentType: 'application/octet-stream' }],
      key: 'key-exact',
    })
    const sent = on.fake.sent.at(-1)
    expect(receipt).toMatchObject({ message_id: sent?.id, thread_id: sent?.threadId })
    expect(Math.abs(Date.parse(receipt.sent_at) - Date.now())).toBeLessThan(60_000)
    expect(sent?.mail).toMatchObject({
      ...head,
      replyTo: answers,
      text: 'Line 1\nLine 2 – ünï 🍵\n.\nFrom here\n',
      html: '<p>ünï</p>\n',
      attachments: [{ filename: 'списък €.bin', mimeType: 'application/octet-stream' }],
    })
    const attached = sent?.mail.attachments[0]?.content
    expect(attached instanceof ArrayBuffer && Buffer.from(attached).equals(content)).toBe(true)
    const lengths =
      sent?.raw
        .toString('latin1')
        .split('\r\n')
        .map((line) => line.length) ?? []
    expect(Math.max(...lengths)).toBeLessThan(999)
    expect(posts()).toBe(1)
  })

  it('joins the thread of the mail it answers', async () => {
    const id = on.add(lines('Message-ID: <q@a>', 'References: <p@a>', 'Subject: Plan', '', 'x'))
    const original = await on.gmail.inbox.original(id)
    const receipt = await send({ original, subject: `Re: ${original.subject}` })
    expect(receipt.thread_id).toBe(id)
    expect(on.fake.sent.at(-1)?.mail).toMatchObject({
      inReplyTo: '<q@a>',
      references: '<p@a> <q@a>',
    })
    on.fake.mailbox.mails.delete(id)
    on.fake.mailbox.mails.delete(receipt.message_id)
    expect(await failureOf(send({ original }))).toMatchObject({
      code: 'not_found',
      details: { outcome: 'not_sent' },
    })
  })

  const cases: [string, Omit<FaultRule, 'path'>, string, 'not_sent' | 'unknown', number][] = [
    ['a bad mail', { fault: '400' }, 'send_failed', 'not_sent', 1],
    ['a token that is not accepted', { fault: '401' }, 'auth_required', 'not_sent', 2],
    ['a quota', { fault: '403-quota' }, 'rate_limited', 'not_sent', 1],
    ['no permission', { fault: '403-permission' }, 'permission_denied', 'not_sent', 1],
    ['a thread that is gone', { fault: '404' }, 'not_found', 'not_sent', 1],
    ['429', { fault: '429' }, 'rate_limited', 'not_sent', 1],
    ['500', { fault: '500' }, 'send_failed', 'unknown', 1],
    ['502', { fault: '502' }, 'send_failed', 'unknown', 1],
    ['503', { fault: '503', retryAfter: '1' }, 'send_failed', 'unknown', 1],
    ['a lost reply', { fault: 'lost-reply' }, 'send_failed', 'unknown', 1],
    ['a reset', { fault: 'reset' }, 'send_failed', 'unknown', 1],
    ['no answer', { fault: 'hang' }, 'send_failed', 'unknown', 1],
    ['HTML', { fault: 'html' }, 'send_failed', 'unknown', 1],
    ['{}', { fault: 'empty' }, 'send_failed', 'unknown', 1],
    ['half a reply', { fault: 'truncated' }, 'send_failed', 'unknown', 1],
    ['a redirect', { fault: 'redirect' }, 'send_failed', 'unknown', 1],
  ]

  it.each(cases)('tells %s by its code, and sends once', async (_, rule, code, outcome, count) => {
    const before = on.fake.sent.length
    on.fake.fail({ ...rule, path: /send$/, message: 'words of Google' })
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ code, details: { outcome } })
    expect(JSON.stringify(failure) + String(failure)).not.toContain('words of Google')
    expect(posts()).toBe(count)
    expect(on.fake.sent.length - before).toBe(rule.fault === 'lost-reply' ? 1 : 0)
  })

  it('tells how long to wait, and the reason in one word', async () => {
    on.fake.fail({ fault: '429', retryAfter: '120', times: 1 })
    expect(await failureOf(send())).toMatchObject({ details: { retry_after_seconds: 120 } })
    on.fake.fail({ fault: '400', times: 1 })
    expect(String(await failureOf(send()))).toContain('(failedPrecondition)')
  })

  it('sends once more after a 401, with a new token', async () => {
    on.fake.login.expire()
    const before = on.fake.sent.length
    await send()
    expect([posts(), on.fake.sent.length - before]).toEqual([2, 1])
  })

  it('sends nothing without a token, or after its time', async () => {
    const noToken = on.open({})
    expect(await failureOf(noToken.send(mail(), never))).toMatchObject({
      code: 'auth_required',
      details: { outcome: 'not_sent' },
    })
    const late = await failureOf(send({}, AbortSignal.abort()))
    expect(late).toMatchObject({ code: 'send_failed', details: { outcome: 'not_sent' } })
    expect(posts()).toBe(0)
  })

  it('does not know what became of a mail when its time is up', async () => {
    const stop = new AbortController()
    on.fake.fail({ path: /send$/, fault: 'hang', times: 1 })
    on.fake.onRequest = ({ path }) => path.endsWith('/send') && stop.abort()
    const failure = await failureOf(send({}, stop.signal))
    expect(failure).toMatchObject({ code: 'send_failed', details: { outcome: 'unknown' } })
  })

  it('lives on, whenever the time of a mail is up', async () => {
    // The library would end the process with an uncaught error if the signal fired just as it begins.
    for (let steps = 1; steps < 40; steps++) {
      const stop = new AbortController()
      const check = stop.signal.throwIfAborted.bind(stop.signal)
      stop.signal.throwIfAborted = async () => {
        check() // the last look at the signal before the request
        for (let step = 0; step < steps; step++) await Promise.resolve()
        stop.abort()
      }
      expect(await failureOf(send({}, stop.signal))).toMatchObject({ code: 'send_failed' })
    }
  })

  it('finds a mail again by its key, whatever the search says', async () => {
    const find: NonNullable<Provider['find']> = (trace, signal) =>
      on.gmail.find?.(trace, signal) ?? Promise.reject(new Error('Gmail can look for mails'))
    const subject = 'Quarterly "plan" OR -in:inbox (draft) {x}'
    const receipt = await send({ subject, key: 'key-1' })
    await send({ subject, key: 'key-2' })
    const trace = { key: 'key-1', to: ['ann@example.com'], subject, since: Date.now() }
    expect(await find(trace, never)).toMatchObject({
      message_id: receipt.message_id,
      thread_id: receipt.thread_id,
    })
    const elsewhere = { ...trace, subject: 'cut otherwise', to: ['x" OR from:me'] }
    expect(await find(elsewhere, never)).toMatchObject({ message_id: receipt.message_id })
    expect(await find({ ...trace, key: 'key-3' }, never)).toBeUndefined()
    for (const { query } of on.fake.requests) {
      expect(query.get('q') ?? 'in:sent').toMatch(
        /^in:sent( after:\d+)?( to:\S+)?( subject:[\p{L}\p{N}]+)*$/u,
      )
    }
  })
})

describe('a second Gmail, made by others', () => {
  it('sends, lists, gets, labels and moves', async () => {
    const emulator = await createEmulator({ service: 'google', port: 0 })
    onTestFinished(() => emulator.close())
    const token = { access_token: 'any', expiry_date: Date.now() + 3_600_000 }
    const { url } = emulator
    const second = gmailProvider({ apiUrl: url, loginUrl: url, token })
    const subject = 'Tea for two'
    const receipt = await second.send(mail({ subject, html: '<p>At four?</p>' }), never)
    const { mails } = await second.inbox.list({ query: 'in:sent', limit: 10 })
    expect(mails.find(({ id }) => id === receipt.message_id)).toMatchObject({ subject })
    const read = await second.inbox.get(receipt.message_id)
    expect(read).toMatchObject({ subject, to: 'ann@example.com', attachment_names: [] })
    expect(read.text?.trim()).toBe('At four?')
    expect(read.html?.trim()).toBe('<p>At four?</p>')
    expect(await second.inbox.label(receipt.message_id, 'Work/Tea')).toContain('Work/Tea')
    expect(await second.inbox.label(receipt.message_id, 'inbox')).toContain('INBOX')
    expect(await second.inbox.move(receipt.message_id, 'work/tea')).not.toContain('INBOX')
    const original = await second.inbox.original(receipt.message_id)
    expect(original).toMatchObject({ thread_id: receipt.thread_id, subject })
    const reply = await second.send(mail({ subject, original }), never)
    expect(reply.thread_id).toBe(receipt.thread_id)
    expect(await failureOf(second.inbox.get('gone'))).toMatchObject({ code: 'not_found' })
  })
})
