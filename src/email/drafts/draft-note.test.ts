/** What a draft will send: exactly what was written to it, or an error that says what is wrong with it. */
import { describe, expect, it } from 'vitest'
import { outgoingMail } from '../../../test/support/email/outgoing-mail.ts'
import { TestVault } from '../../../test/support/vault/vault.ts'
import type { OutgoingMail, ProviderName } from '../../providers/provider.ts'
import { type Note, readNote } from '../../vault/notes.ts'
import { Vault } from '../../vault/vault.ts'
import { checkMail, contentHash } from '../outgoing/check-mail.ts'
import { bodyOf } from '../outgoing/mail-request.ts'
import { writeDraft } from './draft.ts'
import { draftOf, hashOf } from './draft-note.ts'

const jane = { name: 'Doe, "Jane"', address: 'jane@example.com' }
const joe = { name: 'Joé', address: 'joe@example.org' }
const file = { name: 'Ünit: 1.PDF', content: Buffer.from([0, 255, 10]), contentType: 'a/b; c=d' }

const mails: [string, ProviderName, Partial<OutgoingMail>, string?][] = [
  ['a plain text', 'gmail', {}],
  ['a reply', 'gmail', { subject: 'Re: x' }, '18c2345678901234'],
  ['an id that looks like a number', 'local', {}, '1e5'],
  ['HTML', 'gmail', bodyOf('<p>Hi <b>you</b></p>\r\n')],
  ['a picture alone', 'gmail', bodyOf('<img src="cid:x">')],
  ['a text that opens with a fence', 'local', { text: '---\na: b\n---\n' }],
  ['a text that opens with a BOM', 'local', { text: '\ufeff\ufeffx' }],
  ['odd line ends', 'gmail', { text: '\r\n\n a\rb\u2028\n\n\t' }],
  ['a subject that YAML takes for something else', 'gmail', { subject: '2024-01-01' }],
  ['a subject with quotes', 'gmail', { subject: `'"# : - {}[]&*!|>%@\`` }],
  ['no subject', 'gmail', { subject: '' }],
  [
    'every field',
    'smtp',
    {
      from: jane,
      to: [jane, joe],
      cc: [joe, jane],
      bcc: [joe],
      reply_to: [jane],
      text: 'text\n',
      html: '<p>other</p>\n',
      attachments: [file, { ...file, content: Buffer.alloc(0) }],
    },
    '<id@example.com>',
  ],
  ['HTML alone', 'postmark', { text: undefined, html: '<p>x</p>' }],
  ['a text that only looks like HTML', 'postmark', { text: '<p>x</p>' }],
  ['a blank beside HTML', 'smtp', bodyOf('<img src="cid:x">')],
  [
    'options',
    'postmark',
    {
      postmark: {
        track_opens: false,
        track_links: 'HtmlOnly',
        tag: '1',
        metadata: { a: '2', __proto__x: 'true', 'b c': '' },
        message_stream: 'outbound',
      },
    },
  ],
  ...[{ id: 17 }, { alias: 'welcome' }, { alias: '17' }].map(
    (template): [string, ProviderName, Partial<OutgoingMail>] => [
      `the template ${JSON.stringify(template)}`,
      'postmark',
      {
        subject: '',
        text: undefined,
        postmark: { track_opens: true, template, template_model: { a: [1, { b: null }], c: '2' } },
      },
    ],
  ),
]

const note = (frontmatter: Record<string, unknown>, body = 'Hi'): Note => ({
  path: 'Drafts/x.md',
  frontmatter,
  body,
  etag: '',
})

describe('a draft', () => {
  it.each(mails)('gives back %s, as it was written for %s', async (_, provider, fields, id) => {
    const vault = new Vault(new TestVault().root)
    const mail = outgoingMail(fields)
    const path = await writeDraft(vault, { id: 'abc', provider, mail, reply_to_message_id: id })
    const asked = draftOf(await readNote(vault, path))
    if (asked.kind !== 'mail') throw new Error('it is no mail')
    const back = await checkMail(asked.request, () => vault)
    expect(back).toEqual(mail)
    expect(asked.request.reply_to_message_id).toBe(id)
    expect(contentHash(back, id)).toBe(contentHash(mail, id))
    expect(asked.provider).toBe(provider === 'gmail' || provider === 'local' ? undefined : provider)
  })

  it('takes what people write: lists, empty values, keys of their own', () => {
    const written = note({
      to: ['jane@example.com', 'Joe <joe@example.com>'],
      cc: [],
      bcc: null,
      subject: null,
      tags: ['x'],
      tag: 7,
      Tag: 7,
      CC: null,
      Project: 'x',
      attachments: ['Files/a.pdf', { path: 'Files/b.pdf' }],
    })
    expect(draftOf(written)).toMatchObject({
      kind: 'mail',
      provider: undefined,
      request: {
        to: 'jane@example.com, Joe <joe@example.com>',
        cc: undefined,
        bcc: undefined,
        subject: '',
        text: 'Hi',
        attachments: [{ path: 'Files/a.pdf' }, { path: 'Files/b.pdf' }],
      },
    })
  })

  const to = 'jane@example.com'
  it.each<[RegExp, Record<string, unknown>, string?]>([
    [/^not a draft: .* names nobody/, { title: 'x' }],
    [/^not a draft: .* names nobody/, { to: null }],
    [/^not a draft: .* came in/, { to, message_id: '1' }],
    [/^not a draft: .* came in/, { to, message_id: '1', triage: 'archive' }],
    [/^write to in lower case, not To/, { To: to }],
    [/^write cc in lower case, not CC/, { to, CC: to }],
    [/^write attachments in lower case/, { to, Attachments: ['a.pdf'] }],
    [/^write tag in lower case/, { to, provider: 'postmark', TAG: 'x' }],
    [/^write delegate_to in lower/, { message_id: '1', triage: 'delegate', Delegate_To: 'a' }],
    [/^to must be text/, { to: 7 }],
    [/^to must be text, or a list/, { to: [7] }],
    [/^to names nobody/, { to: [] }],
    [/^cc must be text/, { to, cc: { a: 1 } }],
    [/^subject must be text/, { to, subject: 2024 }],
    [/^from must be text/, { to, from: [to] }],
    [/^reply_to_message_id must be text/, { to, reply_to_message_id: 5 }],
    [/^provider must be one of/, { to, provider: 'pigeon' }],
    [/^the draft says nothing/, { to }, ' \n'],
    [/^the draft says nothing/, { to, provider: 'postmark' }, ''],
    [/^format is not for a draft that goes through gmail/, { to, format: 'html' }],
    [/^html is not for a draft that goes through local/, { to, html: 'x', provider: 'local' }],
    [/^template is not for a draft that goes through smtp/, { to, template: 1, provider: 'smtp' }],
    [/^format must be one of html/, { to, provider: 'smtp', format: 'rtf' }],
    [/^html is there twice/, { to, provider: 'smtp', format: 'html', html: '<p>' }],
    [/^track_opens must be/, { to, provider: 'postmark', track_opens: 'yes' }],
    [/^track_links must be one of/, { to, provider: 'postmark', track_links: 'All' }],
    [/^metadata.a must be text/, { to, provider: 'postmark', metadata: { a: 1 } }],
    [/^template must have/, { to, provider: 'postmark', template: { id: 1, alias: 'a' } }, ''],
    [/^template must be keys/, { to, provider: 'postmark', template: 'a' }, ''],
    [/a template and a text/, { to, provider: 'postmark', template: { id: 1 } }],
    [/^attachments must be a list/, { to, attachments: 'a.pdf' }],
    [/^attachments\[1\] must be a path/, { to, attachments: ['a.pdf', {}] }],
    [/^attachments\[0\].name must be text/, { to, attachments: [{ path: 'a', name: 1 }] }],
    [/^delegate_to must be one line/, { message_id: '1', triage: 'delegate', delegate_to: 'a\nb' }],
  ])('is refused with %s', (words, frontmatter, body) => {
    expect(() => draftOf(note(frontmatter, body))).toThrow(words)
  })

  it('has no hash where an attachment is missing or forbidden', async () => {
    const vault = new TestVault()
    const hash = (path: string) =>
      hashOf(new Vault(vault.root), note({ to: 'jane@example.com', attachments: [path] }))
    await expect(hash('Files/a.pdf')).rejects.toThrow('no file to attach at Files/a.pdf')
    await expect(hash('../a.pdf')).rejects.toThrow('leaves the vault')
    await expect(hash('.env')).rejects.toThrow('.env')
    vault.put('Files/a.pdf', 'x')
    await expect(hash('Files/a.pdf')).resolves.toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('a delegation', () => {
  const mail = { message_id: '1', triage: 'delegate', subject: 'Hi', from: 'a@example.com' }

  it('names the agent, or nobody yet', () => {
    const asked = { kind: 'delegation', message_id: '1', subject: 'Hi', from: 'a@example.com' }
    expect(draftOf(note({ ...mail, delegate_to: ' books ' }))).toEqual({ ...asked, agent: 'books' })
    expect(draftOf(note(mail))).toEqual({ ...asked, agent: undefined })
  })

  it('has another hash for another agent, mail or text', async () => {
    const vault = new Vault(new TestVault().root)
    const notes = [
      note(mail),
      note({ ...mail, delegate_to: 'a' }),
      note({ ...mail, delegate_to: 'b' }),
      note({ ...mail, message_id: '2' }),
      note({ ...mail, subject: 'Ho' }),
      note({ ...mail, from: 'b@example.com' }),
      note(mail, 'Ho'),
    ]
    const hashes = await Promise.all(notes.map((one) => hashOf(vault, one)))
    expect(new Set(hashes).size).toBe(notes.length)
    expect(await hashOf(vault, note({ ...mail, status: 'x' }))).toBe(hashes[0])
  })
})
