/** What Postmark's inbound webhook brings, as a mail: whatever stands in its fields, a header stays a header. */
import { describe, expect, it } from 'vitest'
import { readMime } from '../../src/mime/read-mime.ts'
import { inboundFromPostmark } from '../../src/providers/postmark/inbound.ts'
import { postmarkSample } from '../support/email/inbound/postmark-sample.ts'
import { failureOf } from '../support/failure-of.ts'
import { LocalFolder } from '../support/providers/local-folder.ts'

const sample = postmarkSample
const rawOf = async (mail: object) => (await inboundFromPostmark(mail)).raw
const headOf = (raw: Buffer) => raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
/** The names of its headers, in order. */
const namesIn = (raw: Buffer) =>
  [...headOf(raw).matchAll(/^([^\s:]+):/gm)].map(([, name]) => name?.toLowerCase())

describe('a mail of the inbound webhook', () => {
  it('reads as it was written, with its ids, its names and the address that it went to', async () => {
    const { raw, identity } = await inboundFromPostmark(sample)
    expect(identity).toBe('postmark 73e6d360-66eb-11e1-8e72-a8904824019b')
    expect(await readMime(raw)).toMatchObject({
      subject: sample.Subject,
      sender: 'Postmarkapp Support <support@postmarkapp.com>',
      to: 'Firstname Lastname <yourhash+SampleHash@inbound.postmarkapp.com>',
      recipients: expect.stringContaining('First Cc <firstcc@postmarkapp.com>'),
      date: '2014-08-01T20:45:32.000Z',
      message_id: '<CAGXpo2WKfxHWZ5UFYCR3H_J9SNMG+5AXUovfEFL6DjWBJSyZaA@mail.example>',
      in_reply_to: '<0a129aee-e1cd-480d-b08d-4f48548ff48d@mtasv.net>',
      references: ['<first@mail.example>', '<0a129aee-e1cd-480d-b08d-4f48548ff48d@mtasv.net>'],
      text: expect.stringContaining('This is a test text body.'),
      html: expect.stringContaining('<p>This is a test text body.</p>'),
      attachment_names: ['test.txt'],
      isComplete: true,
    })
    expect(headOf(raw)).toContain('Delivered-To: yourhash+SampleHash@inbound.postmarkapp.com')
    expect(headOf(raw)).toContain('Reply-To: replyto@postmarkapp.com')
    expect(headOf(raw)).toContain('X-Spam-Status: No')
    expect(raw.toString('latin1')).toContain(sample.Attachments[0]?.Content)
  })

  it('is the same bytes each time, and for everybody whom it was delivered to the same mail', async () => {
    expect(await rawOf(sample)).toEqual(await rawOf(structuredClone(sample)))
    const folder = new LocalFolder()
    for (const [MessageID, OriginalRecipient] of [
      ['1', 'a+x@b.co'],
      ['2', 'c+y@b.co'],
    ]) {
      const mail = await inboundFromPostmark({ ...sample, MessageID, OriginalRecipient })
      expect(await folder.provider.receive(mail)).toBe(true)
      expect(await folder.provider.receive(mail)).toBe(false)
    }
    expect(await folder.list()).toHaveLength(1)
  })

  it('keeps the tag that a rule has taken off the address, and can be found by it', async () => {
    const folder = new LocalFolder()
    const OriginalRecipient = 'replies@example.com'
    const mail = { ...sample, OriginalRecipient, To: 'replies@example.com', ToFull: [] }
    await folder.provider.receive(await inboundFromPostmark(mail))
    expect(await folder.list('to:replies+samplehash@example.com')).toHaveLength(1)
    expect(await folder.list('to:replies+other@example.com')).toEqual([])
  })

  it('is taken as it came where that is there', async () => {
    const RawEmail =
      'From: a@b.co\r\nTo: c@d.co\r\nSubject: raw\r\nX-Odd:  1\r\n\r\nAs it came.\r\n'
    const raw = (await rawOf({ ...sample, RawEmail })).toString()
    expect(raw).toBe(`Delivered-To: ${sample.OriginalRecipient}\r\n${RawEmail}`)
    const mbox = `From a@b.co Tue Jul  1 10:00:00 2025\r\n${RawEmail}`
    expect((await rawOf({ ...sample, RawEmail: mbox })).toString()).toBe(mbox)
  })

  it('needs no more than a sender, and has a text whatever it lacks', async () => {
    const bare = await rawOf({ From: '"Doe, Jane" <jane@example.com>' })
    expect(await readMime(bare)).toMatchObject({
      sender: '"Doe, Jane" <jane@example.com>',
      subject: '',
      attachment_names: [],
      html: undefined,
    })
    const empty = { ...sample, TextBody: '', HtmlBody: null, Attachments: null, Headers: null }
    expect((await readMime(await rawOf(empty))).attachment_names).toEqual([])
  })
})

describe('a field that means harm', () => {
  const line = 'a\r\nBcc: evil@example.com\r\n\r\nbody\u2028x\0y\u0085z'
  const full = { Email: line, Name: line }
  const places: Record<string, object> = {
    Subject: { Subject: line },
    Date: { Date: line },
    From: { From: line, FromFull: null },
    FromFull: { FromFull: full },
    'FromFull.Name': { FromFull: { Email: 'a@b.co', Name: line } },
    To: { To: line, ToFull: [] },
    ToFull: { ToFull: [full, full] },
    Cc: { Cc: line, CcFull: [] },
    CcFull: { CcFull: [full] },
    Bcc: { Bcc: line, BccFull: [] },
    BccFull: { BccFull: [full] },
    ReplyTo: { ReplyTo: line },
    OriginalRecipient: { OriginalRecipient: line },
    'OriginalRecipient, a tag': { OriginalRecipient: 'a@b.co', MailboxHash: line },
    MailboxHash: { MailboxHash: line },
    MessageID: { MessageID: line },
    'Headers.Name': { Headers: [{ Name: line, Value: 'x' }] },
    'Headers.Value': { Headers: [{ Name: 'X-Test', Value: line }] },
    'Headers.Value of an id': {
      Headers: ['Message-ID', 'In-Reply-To', 'References'].map((Name) => ({ Name, Value: line })),
    },
    'Headers that are ours': {
      Headers: ['Bcc', 'From', 'Content-Type', 'MIME-Version', 'X-AgentMail-Key'].map((Name) => ({
        Name,
        Value: 'evil@example.com',
      })),
    },
    'Attachments.Name': { Attachments: [{ ...sample.Attachments[0], Name: line }] },
    'Attachments.ContentType': {
      Attachments: [
        { ...sample.Attachments[0], ContentType: `text/plain;\r\nBcc: evil@example.com\r\n\r\nx` },
        { ...sample.Attachments[0], ContentType: 'multipart/mixed; boundary=x' },
      ],
    },
    TextBody: { TextBody: line },
  }
  const usual = new Set<unknown>([
    ...['from', 'to', 'cc', 'reply-to', 'subject', 'message-id', 'in-reply-to', 'references'],
    ...['date', 'mime-version', 'content-type', 'delivered-to', 'x-spam-status', 'x-test'],
  ])

  it.each(Object.keys(places))('adds no line to the headers: %s', async (place) => {
    const raw = await rawOf({ ...sample, BccFull: [], Bcc: '', ...places[place] })
    const names = namesIn(raw).filter((name) => !usual.has(name))
    expect(names.filter((name) => name !== 'bcc' || !place.startsWith('Bcc'))).toEqual([])
    expect(namesIn(raw)).toHaveLength(new Set(namesIn(raw)).size)
    expect(headOf(raw)).not.toMatch(/^bcc: evil@example\.com/im)
    expect(raw.toString('latin1').replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/)
    const lines = headOf(raw).split('\r\n')
    expect(Math.max(...lines.map((one) => one.length))).toBeLessThan(998)
    const { text } = await readMime(raw)
    expect(text).toContain(place === 'TextBody' ? 'Bcc: evil@example.com' : sample.TextBody)
  })

  it('of ten thousand headers keeps the mail whole, and those that count', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      Name: `X-${at}`,
      Value: 'x'.repeat(3000),
    }))
    const raw = await rawOf({ ...sample, Headers: [...many, ...sample.Headers] })
    expect(raw.length).toBeLessThan(2 << 20)
    expect(await readMime(raw)).toMatchObject({
      message_id: sample.Headers[2]?.Value,
      attachment_names: ['test.txt'],
    })
  })

  it('names no file but by its name', async () => {
    const Attachments = ['../../etc/passwd', '/root/.ssh/id', 'C:\\x', '.', '', 'ü"\\;.pdf'].map(
      (Name) => ({ ...sample.Attachments[0], Name }),
    )
    const { attachment_names } = await readMime(await rawOf({ ...sample, Attachments }))
    expect(attachment_names).toHaveLength(6)
    expect(attachment_names).toContain('ü"\\;.pdf')
  })

  it.each<[string, unknown]>([
    ['the body must be the JSON of a mail', 'text'],
    ['the body must be the JSON of a mail', [sample]],
    ['the body must be the JSON of a mail', null],
    ['the mail has neither From nor RawEmail', {}],
    ['Subject must be a text', { ...sample, Subject: { toString: 'x' } }],
    ['From must be a text', { ...sample, From: ['a@b.co'] }],
    ['FromFull must hold Email and Name', { ...sample, FromFull: 'a@b.co' }],
    ['ToFull must be a list', { ...sample, ToFull: { 0: 'x' } }],
    ['ToFull.Email must be a text', { ...sample, ToFull: [{ Email: 1 }] }],
    ['Headers must be a list', { ...sample, Headers: {} }],
    ['Headers must hold Name and Value', { ...sample, Headers: ['a: b'] }],
    ['Headers.Value must be a text', { ...sample, Headers: [{ Name: 'a', Value: 7 }] }],
    ['Attachments must be a list', { ...sample, Attachments: 'x' }],
    ['Attachments.Content must be a text', { ...sample, Attachments: [{ Name: 'x' }] }],
    ...['%%%', 'AAAAA', 'AA=A', '====', 'AA\u00e9A'].map((Content): [string, unknown] => [
      'Attachments.Content must be base64',
      { ...sample, Attachments: [{ ...sample.Attachments[0], Content }] },
    ]),
  ])('is refused with words where it is of the wrong kind: %s', async (words, body) => {
    expect(await failureOf(inboundFromPostmark(body))).toMatchObject({
      code: 'invalid_request',
      message: words,
    })
  })
})
