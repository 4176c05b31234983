/** The gmail tools through their server, on a fake Gmail and on local mail alike: reading, sorting, and what is refused. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { afterAllTests } from '../support/at-end.ts'
import { GmailPlace, LocalPlace, type MailPlace } from '../support/email/mail-place.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { eras } from '../support/mcp/protocol.ts'
import type { ToolClient } from '../support/mcp/tool-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const crlf = (...lines: string[]) => lines.join('\r\n')
const mailOf = (subject: string, day: number) =>
  crlf(
    'From: Ann <ann@example.com>',
    'To: me@example.com',
    `Subject: ${subject}`,
    `Date: Wed, ${day} Oct 2025 10:00:00 +0200`,
    '',
    `About ${subject}`,
  )

const text = z.string()
const head = { id: text, subject: text, sender: text, date: text }
const listSchema = z.strictObject({
  emails: z.array(z.strictObject({ ...head, snippet: text })),
  next_page_token: text.optional(),
})
const emailSchema = z.strictObject({
  ...head,
  to: text,
  body: text,
  has_attachments: z.boolean(),
  attachment_names: z.array(text),
  truncated: z.literal(true).optional(),
})

/** What stands between the two lines of the fence. */
const unfenced = (body: string) =>
  /^.*(\w{22}).*\n----- untrusted mail \1 -----\n([\s\S]*)\n----- end of untrusted mail \1 -----$/.exec(
    body,
  )?.[2]

describe.each(['Gmail', 'local mail'])('the gmail tools on %s', (kind) => {
  let place: MailPlace
  let tools: ToolClient
  const atEnd = afterAllTests()
  beforeAll(async () => {
    place = kind === 'Gmail' ? await GmailPlace.make(atEnd) : new LocalPlace(atEnd)
    for (let day = 1; day <= 12; day++) place.add(mailOf(`unread ${day}`, day))
    place.add(mailOf('read before', 13), { isRead: true })
    tools = await place.tools({}, atEnd)
  })
  const list = async (args: object) => listSchema.parse(await tools.call('list_emails', args))
  const get = async (message_id: string) =>
    emailSchema.parse(await tools.call('get_email', { message_id }))
  const subjects = async (args: object) => (await list(args)).emails.map(({ subject }) => subject)

  it('lists ten unread mails unless told otherwise, the newest first', async () => {
    const { emails, next_page_token } = await list({})
    expect(emails.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 10 }, (_, index) => `unread ${12 - index}`),
    )
    expect(emails[0]).toMatchObject({
      sender: 'Ann <ann@example.com>',
      date: '2025-10-12T08:00:00.000Z',
    })
    expect(next_page_token).toBeTypeOf('string')
    expect(await list({ query: 'is:unread', max_results: 10 })).toEqual({ emails, next_page_token })
    expect(await list({ query: '', page_token: '' })).toEqual({ emails, next_page_token })
  })

  it('gives every mail once, page by page', async () => {
    const query = 'subject:unread'
    const found: string[] = []
    let page_token: string | undefined
    do {
      const page = await list({ query, max_results: 5, page_token })
      found.push(...page.emails.map(({ subject }) => subject))
      page_token = page.next_page_token
    } while (page_token !== undefined && found.length < 100)
    expect(found).toEqual(Array.from({ length: 12 }, (_, index) => `unread ${12 - index}`))
    expect(await subjects({ query, max_results: 100 })).toEqual(found)
    expect(await subjects({ query, max_results: 1 })).toEqual(['unread 12'])
    expect(await list({ query: 'subject:nothing' })).toEqual({ emails: [] })
  })

  it('gives a mail in plain words: headers decoded, names of what is attached, its From as sender', async () => {
    const id = place.add(
      crlf(
        'From: =?utf-8?q?Zo=C3=AB_=22Z=22?= <zoe@example.com>',
        'Reply-To: evil@example.com',
        'To: =?iso-8859-1?q?J=F6rg?= <joerg@example.com>, b@example.com',
        'Subject: =?utf-8?B?VMOpYSDwn421?=',
        'Date: Mon, 6 Oct 2025 23:30:00 -0700',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: multipart/alternative; boundary=c',
        '',
        '--c',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Caf=E9?',
        '--c',
        'Content-Type: text/html',
        '',
        '<p>Caf&eacute;?</p>',
        '--c--',
        '--b',
        'Content-Type: application/pdf',
        "Content-Disposition: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf",
        '',
        'x',
        '--b',
        'Content-Type: text/plain; name="notes.txt"',
        'Content-Disposition: attachment; filename="notes.txt"',
        '',
        'words of the attachment',
        '--b--',
      ),
    )
    const { body, ...mail } = await get(id)
    expect(mail).toEqual({
      id,
      subject: 'Téa 🍵',
      sender: expect.stringMatching(/^.?Zoë .*<zoe@example\.com>$/),
      to: 'Jörg <joerg@example.com>, b@example.com',
      date: '2025-10-07T06:30:00.000Z',
      has_attachments: true,
      attachment_names: ['résumé.pdf', 'notes.txt'],
    })
    expect(unfenced(body)).toBe('Café?')
  })

  it('turns HTML into text, without what is hidden, and cuts what is too long', async () => {
    const html = (...body: string[]) =>
      place.add(crlf('From: a@example.com', 'Content-Type: text/html; charset=utf-8', '', ...body))
    const hidden = await get(
      html(
        '<style>.x{display:none}</style><p>Price: <b>5 €</b></p><p class=x>SECRET</p>',
        '<p style="font-size:0">SECRET</p><a href="https://example.com/">here</a>',
      ),
    )
    expect(unfenced(hidden.body)).toMatch(/^Price: 5 €\n/)
    expect(hidden.body).not.toContain('SECRET')
    expect(hidden).not.toHaveProperty('truncated')
    const long = await get(html(`<p>${'long words '.repeat(12_000)}</p>`))
    expect([long.truncated, long.body.length <= 100_000]).toEqual([true, true])
    expect(unfenced(long.body)).toMatch(/^long words long/)
    for (const { snippet } of (await list({})).emails) expect(snippet).not.toContain('SECRET')
  })

  it('marks nothing as read', async () => {
    const [mail] = (await list({ query: 'subject:"unread 3"' })).emails
    await get(mail?.id ?? '')
    expect(await subjects({ query: 'is:unread subject:"unread 3"' })).toEqual(['unread 3'])
  })

  it('moves and labels by name, and puts back', async () => {
    const message_id = place.add(mailOf('to be sorted', 14))
    const label = async (label_name: string) => {
      const { labeled, labels, ...rest } = await tools.call('add_label', { message_id, label_name })
      expect([labeled, rest]).toEqual([true, {}])
      return z.array(z.string()).parse(labels).toSorted()
    }
    const move = async (destination_label: string) => {
      const args = { message_id, destination_label }
      const { moved, labels, ...rest } = await tools.call('move_email', args)
      expect([moved, rest]).toEqual([true, {}])
      return z.array(z.string()).parse(labels).toSorted()
    }
    expect(await label('Clients/Acme')).toEqual(['Clients/Acme', 'INBOX', 'UNREAD'])
    expect(await label('clients/ACME')).toEqual(['Clients/Acme', 'INBOX', 'UNREAD'])
    expect(await move('Work/2025/Plans')).toEqual(['Clients/Acme', 'UNREAD', 'Work/2025/Plans'])
    expect(await subjects({ query: 'in:inbox subject:sorted' })).toEqual([])
    expect(await subjects({ query: 'label:Work/2025/Plans' })).toEqual(['to be sorted'])
    expect(await move('inbox')).toContain('INBOX')
    expect(await label('Starred')).toContain('STARRED')
    expect(await subjects({ query: 'in:inbox subject:sorted' })).toEqual(['to be sorted'])
    if (!(place instanceof GmailPlace)) return
    const made = [...place.fake.mailbox.labels.values()].filter(({ type }) => type === 'user')
    expect(made.map(({ name }) => name)).toEqual([
      'Clients',
      'Clients/Acme',
      'Work',
      'Work/2025',
      'Work/2025/Plans',
    ])
  })

  const howMany = 'max_results must be a whole number from 1 to 100'
  const someId = { message_id: 'gone' }
  const refusals: [string, object, code: string, words: string][] = [
    ...[0, -1, 101, 1.5, '10', true].map((max_results): [string, object, string, string] => [
      'list_emails',
      { max_results },
      'invalid_request',
      howMany,
    ]),
    ['list_emails', { query: 5 }, 'invalid_request', 'query must be text'],
    ['list_emails', { query: 'a\0b' }, 'invalid_request', 'query must not contain NUL'],
    ['list_emails', { page_token: 'nonsense' }, 'invalid_request', ''],
    ['list_emails', { label: 'x', q: 'y' }, 'invalid_request', 'unknown argument: label, q'],
    ['get_email', {}, 'invalid_request', 'message_id is required'],
    ['get_email', { message_id: ' ' }, 'invalid_request', 'message_id is required'],
    ['get_email', { message_id: 7 }, 'invalid_request', 'message_id must be text'],
    ['get_email', { message_id: 'a\0' }, 'invalid_request', 'message_id must not contain NUL'],
    ['get_email', someId, 'not_found', ''],
    ['get_email', { ...someId, format: 'raw' }, 'invalid_request', 'unknown argument: format'],
    ['move_email', { ...someId, destination_label: 'Work' }, 'not_found', ''],
    ['move_email', someId, 'invalid_request', 'destination_label is required'],
    ['add_label', { ...someId, label_name: 'Work' }, 'not_found', ''],
    ['add_label', { ...someId, label_name: '' }, 'invalid_request', 'label_name is required'],
  ]
  it('refuses what it cannot do, with a code and the next step', async () => {
    for (const [tool, args, code, words] of refusals) {
      const error = await tools.error(tool, args)
      expect([tool, args, error.error]).toEqual([tool, args, code])
      expect(error.message.startsWith(words), error.message).toBe(true)
      expect(error.details).toBeNull()
    }
  })

  it('makes no label of a name that is none', async () => {
    const message_id = place.add(mailOf('not to be sorted', 15))
    for (const name of ['a\r\nb', 'a\u0000b', 'x'.repeat(300), '/', 'Work//Plans', 'Work/ ']) {
      const labelled = { message_id, label_name: name }
      expect([name, await tools.code('add_label', labelled)]).toEqual([name, 'invalid_request'])
      const moved = { message_id, destination_label: name }
      expect([name, await tools.code('move_email', moved)]).toEqual([name, 'invalid_request'])
    }
    expect(await subjects({ query: 'in:inbox subject:"not to be sorted"' })).toHaveLength(1)
  })

  it.each(eras)('works without a vault and outside a repository, %s era', async (era) => {
    const env = { ...place.env, VAULT_PATH: undefined }
    const client = await connect(era, { env, args: ['mcp', 'gmail'], cwd: temporaryFolder() })
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name, inputSchema }) => [name, inputSchema.required ?? []])).toEqual([
      ['add_label', ['message_id', 'label_name']],
      ['get_email', ['message_id']],
      ['list_emails', []],
      ['move_email', ['message_id', 'destination_label']],
      ['send_email', ['to', 'subject', 'body']],
    ])
    const args = { query: 'subject:"unread 2"' }
    const { structuredContent } = await client.callTool({ name: 'list_emails', arguments: args })
    expect(listSchema.parse(structuredContent).emails).toHaveLength(1)
  })
})
