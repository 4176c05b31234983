import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { outgoingMail } from '../../test/support/email/outgoing-mail.ts'
import { isNotSent } from '../errors.ts'
import { addressList } from './address.ts'
import { compose } from './compose.ts'
import type { Address, Mail } from './mail.ts'

const jane: Address = { name: 'Jane', address: 'jane@example.com' }

const mailWith = (fields: Partial<Mail>): Mail =>
  outgoingMail({ from: { name: 'Agent', address: 'agent@example.org' }, to: [jane], ...fields })

/** Composed, checked as it is on the wire, and read again. */
async function sent(fields: Partial<Mail>, keepBcc = false) {
  const { raw, message_id } = await compose(mailWith(fields), { keepBcc })
  const wire = raw.toString('latin1')
  expect(wire).not.toMatch(/[^\t\r\n -~]/)
  expect(wire).not.toMatch(/[^\r]\n|\r[^\n]/)
  for (const line of wire.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
  const mail = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' })
  const head = wire.slice(0, wire.indexOf('\r\n\r\n'))
  return { wire, head, message_id, mail, keys: mail.headers.map(({ key }) => key) }
}

const plainKeys = [
  'content-transfer-encoding',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
]

describe('a composed mail', () => {
  it('has these headers and no other, and tells nothing of the machine', async () => {
    const { mail, keys, wire, message_id } = await sent({})
    expect(keys.toSorted()).toEqual(plainKeys)
    expect(mail.messageId).toBe(message_id)
    expect(message_id).toMatch(/^<[\w-]{36}@example\.org>$/)
    expect(wire).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r$/m)
    expect(wire).not.toContain(process.getBuiltinModule('node:os').hostname())
  })

  const names = [
    '',
    'Jane Doe',
    'Doe, Jane',
    `Jane "JD" O'Neil; (home) <x@y.z>: \\ .`,
    'Ünïcode 山田 太郎 👩‍💻',
    '👍'.repeat(200),
    'very long name '.repeat(50).trim(),
    'x'.repeat(500),
    '"',
    'a  b',
    'ceo@good.com',
  ]

  it('goes to the people it was written to, whatever they are called', async () => {
    const people = names.map((name, index) => ({ name, address: `p${index}@example.com` }))
    const { mail } = await sent({ to: people, cc: people, reply_to: people, bcc: people }, true)
    for (const list of [mail.to, mail.cc, mail.bcc, mail.replyTo]) expect(list).toEqual(people)
    for (const from of people) expect((await sent({ from })).mail.from).toEqual(from)
  })

  it('names all of many recipients in order', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({
      name: `Näme, ${index}`,
      address: `p${index}@example.com`,
    }))
    expect((await sent({ to: many })).mail.to).toEqual(many)
  })

  it('does not show a Bcc unless it is to be kept', async () => {
    const bcc = [{ name: 'Secret', address: 'secret@example.com' }]
    const { wire, keys } = await sent({ bcc })
    expect(keys.toSorted()).toEqual(plainKeys)
    expect(wire.toLowerCase()).not.toContain('secret')
    expect((await sent({ bcc }, true)).mail.bcc).toEqual(bcc)
  })

  it.each([
    'Re: "quoted" — ünï, 👍',
    'x'.repeat(400),
    'word '.repeat(400).trim(),
    '👍'.repeat(200),
    `${'a'.repeat(45)}👩‍💻${'ü'.repeat(300)}`,
    '  two  blanks  around  ',
    '=?utf-8?Q?=41?= and =?utf-8?B?QQ==?=',
    'a=?b ?= =?',
    ' ',
    '山'.repeat(2000),
    'ends with =',
    'under_score?',
  ])('has the subject that was asked for: %s', async (subject) => {
    expect((await sent({ subject })).mail.subject).toBe(subject)
  })

  it('has an empty subject where it is empty', async () => {
    expect((await sent({ subject: '' })).mail.subject ?? '').toBe('')
  })

  it.each([
    'x'.repeat(5000),
    'ünï 👍 '.repeat(1000),
    'trailing blanks  \nand a tab\t\n.\n..\nFrom me\n.From\n',
    'no newline at the end',
    '\n\nblank lines\n\n\n',
    '=3D =\n=20',
    'a\0b\x1b',
    '-- \nsignature',
    '',
  ])('has the text that was asked for: %j', async (text) => {
    const { mail } = await sent({ text })
    expect((mail.text ?? '').replace(/\r\n/g, '\n').replace(/\n$/, '')).toBe(
      text.replace(/\n$/, ''),
    )
    const html = `<p>${text}</p>`
    const both = await sent({ text, html })
    expect(both.mail.html?.replace(/\r\n/g, '\n').replace(/\n$/, '')).toBe(html)
    if (text) expect(both.wire).toContain('Content-Type: multipart/alternative')
  })

  it('makes CRLF of every kind of line end in a text', async () => {
    const { mail } = await sent({ text: 'a\r\nb\nc\rd' })
    expect(mail.text).toMatch(/^a\r?\nb\r?\nc\r?\nd/)
  })

  it('carries attachments byte for byte, under their names', async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const mailInside = Buffer.from(
      `From: x@example.com\r\nBcc: y@example.com\r\n\r\n${'ü'.repeat(2000)}`,
    )
    const attachments = [
      { name: 'a.bin', content: every, contentType: 'application/octet-stream' },
      { name: 'Grüße 👩‍💻 山.pdf', content: every, contentType: 'application/pdf' },
      {
        name: `${'n'.repeat(196)}.txt`,
        content: Buffer.from('a\nb\r\nc\rd\n'),
        contentType: 'text/plain',
      },
      { name: `${'ü 👍'.repeat(49)}.txt`, content: Buffer.alloc(0), contentType: 'text/csv' },
      { name: `it's; "a" = \\ %41 file.txt`, content: every, contentType: 'image/png' },
      { name: 'mail.eml', content: mailInside, contentType: 'message/rfc822' },
    ]
    const { mail } = await sent({ attachments, html: '<b>Hi</b>' })
    expect(
      mail.attachments.map(({ filename, mimeType, content, disposition }) => ({
        name: filename,
        content: Buffer.from(new Uint8Array(content instanceof ArrayBuffer ? content : [])),
        contentType: mimeType,
        disposition,
      })),
    ).toEqual(attachments.map((one) => ({ ...one, disposition: 'attachment' })))
    expect([mail.text?.trim(), mail.html?.trim()]).toEqual(['Hi', '<b>Hi</b>'])
  })

  it('carries an attachment of a type that is none as plain bytes', async () => {
    for (const contentType of [
      'multipart/mixed; boundary=x',
      'nonsense',
      '',
      'a/b/c',
      'text/plain\u00e9',
    ]) {
      const { mail } = await sent({
        attachments: [{ name: 'a', content: Buffer.from('x'), contentType }],
      })
      expect(mail.attachments.map(({ mimeType }) => mimeType)).toEqual(['application/octet-stream'])
    }
  })

  it('answers the mail it answers, and takes nothing else over from it', async () => {
    const original = {
      thread_id: '1',
      subject: 'Hello',
      message_id: '<b@example.com>',
      references: [
        '<a@example.com>',
        '<x\r\nBcc: evil@example.com>',
        '<ü@example.com>',
        'no id',
        '<a@example.com>',
      ],
    }
    const { mail, keys } = await sent({ original })
    expect(mail.inReplyTo).toBe('<b@example.com>')
    expect(mail.references).toBe('<a@example.com> <b@example.com>')
    expect(keys.toSorted()).toEqual([...plainKeys, 'in-reply-to', 'references'].toSorted())
    for (const message_id of ['', 'x\r\nBcc: evil@example.com', '<a b>', '<a><b>']) {
      expect((await sent({ original: { ...original, message_id } })).keys.toSorted()).toEqual(
        plainKeys,
      )
    }
    const references = Array.from({ length: 500 }, (_, index) => `<${index}@example.com>`)
    expect((await sent({ original: { ...original, references } })).mail.references).toBe(
      [...references, '<b@example.com>'].join(' '),
    )
  })

  it('keeps its key', async () => {
    const { mail } = await sent({ key: 'draft-1' })
    expect(mail.headers.find(({ key }) => key === 'x-agentmail-key')?.value).toBe('draft-1')
  })

  it('is not written where a line break stands in a header', async () => {
    for (const control of ['\r\n', '\n', '\r', '\0', '\u2028']) {
      const evil = `x${control}Bcc: evil@example.com`
      const person = [{ name: evil, address: 'a@example.com' }]
      const place = [{ name: '', address: evil }]
      const file = { name: 'a', content: Buffer.alloc(0), contentType: 'text/plain' }
      const tries: Partial<Mail>[] = [
        ...['to', 'cc', 'bcc', 'reply_to'].flatMap((field) => [
          { [field]: person },
          { [field]: place },
        ]),
        { from: { name: evil, address: 'a@example.com' } },
        { from: { name: '', address: evil } },
        { subject: evil },
        { key: evil },
        { attachments: [{ ...file, name: evil }] },
        { attachments: [{ ...file, contentType: evil }] },
      ]
      for (const fields of tries) {
        const error = await compose(mailWith(fields)).catch((thrown: unknown) => thrown)
        expect(isNotSent(error)).toBe(true)
      }
    }
  })

  it('is not written where a name would be read as another', async () => {
    const name = '=?utf-8?Q?Boss?='
    const content = Buffer.alloc(0)
    for (const fields of [
      { to: [{ name, address: 'a@example.com' }] },
      { attachments: [{ name, content, contentType: 'text/plain' }] },
      ...['a@example.com, b@example.com', 'jörg@example.com', 'a@BÜCHER.example', 'a', ''].map(
        (address) => ({ to: [{ name: '', address }] }),
      ),
      { attachments: [{ name: 'x'.repeat(2000), content, contentType: 'text/plain' }] },
    ]) {
      const error = await compose(mailWith(fields)).catch((thrown: unknown) => thrown)
      expect(isNotSent(error)).toBe(true)
    }
  })

  it('shows the names of people so that they are read again as they are', () => {
    expect(addressList([{ name: 'Doe, Jane', address: 'jane@example.com' }, jane])).toBe(
      '"Doe, Jane" <jane@example.com>, Jane <jane@example.com>',
    )
  })
})
