/** The postmark tools through their server: what goes over the wire, and what the caller is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from './support/agentmail.ts'
import { FakePostmark, type Fault, serverToken } from './support/fake-postmark.ts'
import { connect, eras } from './support/mcp-client.ts'
import { PostmarkServer } from './support/postmark.ts'

const ends: (() => void)[] = []
let fake: FakePostmark
beforeAll(async () => {
  fake = await FakePostmark.start((end) => ends.push(end))
})
beforeEach(() => {
  fake.requests.length = 0
  fake.sent.length = 0
  fake.faults.length = 0
})
afterAll(() => {
  for (const end of ends) end()
})

const from = 'sender@example.com'
const to = 'recipient@example.com'
const mail = { from, to, subject: 'Hello', textBody: 'Hi' }
const template = { from, to, templateId: 'welcome', templateModel: {} }

describe('what goes to Postmark', () => {
  it('is exactly what was asked for, and the answer names its id', async () => {
    const server = await PostmarkServer.start(fake)
    const html = '<html><body><p>This is a test email sent via MCP.</p></body></html>'
    const told = await server.call('send_email', {
      from,
      to,
      subject: 'Hello from MCP',
      textBody: 'This is a test email sent via MCP.',
      htmlBody: html,
      trackOpens: true,
    })
    const [request] = fake.requests
    expect(fake.requests).toHaveLength(1)
    expect(request).toMatchObject({
      method: 'POST',
      url: '/email',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-postmark-server-token': serverToken,
      },
    })
    expect(request?.body).toBe(
      JSON.stringify({
        From: from,
        To: to,
        Subject: 'Hello from MCP',
        TextBody: 'This is a test email sent via MCP.',
        HtmlBody: html,
        TrackOpens: true,
        MessageStream: 'outbound',
      }),
    )
    const messageId = fake.sent[0]?.MessageID
    expect(told).toEqual({
      text: `Email sent successfully to ${to} with ID ${messageId}`,
      isError: false,
      structured: {
        messageId,
        status: 'sent',
        to,
        submittedAt: '2025-03-30T18:00:00.0000000-04:00',
      },
    })
  })

  it('has every field that was given, to the letter, and none that was left empty', async () => {
    const server = await PostmarkServer.start(fake, { DEFAULT_MESSAGE_STREAM: 'broadcast' })
    const body = 'Grüße 👍🏽, 漢字\r\n\ttab "quoted" \\ </script>\u2028'
    const content = Buffer.from([0, 255, 10, 13]).toString('base64')
    await server.call('send_email', {
      ...mail,
      subject: body.slice(0, 12),
      textBody: body,
      to: `Jane <jane@example.com>, ${to}`,
      cc: 'c@example.com',
      bcc: 'b@example.com',
      replyTo: 'r@example.com',
      trackLinks: 'HtmlOnly',
      tag: 'news',
      metadata: { order: '12' },
      messageStream: 'alerts',
      attachments: [{ name: 'a.bytes', content, contentType: 'application/octet-stream' }],
    })
    expect(JSON.parse(fake.lastRequest.body)).toEqual({
      From: from,
      To: `Jane <jane@example.com>, ${to}`,
      Cc: 'c@example.com',
      Bcc: 'b@example.com',
      ReplyTo: 'r@example.com',
      Subject: body.slice(0, 12),
      TextBody: body,
      TrackOpens: false,
      TrackLinks: 'HtmlOnly',
      Tag: 'news',
      Metadata: { order: '12' },
      Attachments: [{ Name: 'a.bytes', Content: content, ContentType: 'application/octet-stream' }],
      MessageStream: 'alerts',
    })
    const nothing = { cc: '', bcc: '', htmlBody: '', metadata: {}, attachments: [], tag: null }
    await server.call('send_email', { ...mail, ...nothing })
    const [Subject, TextBody] = [mail.subject, mail.textBody]
    const rest = { TrackOpens: false, MessageStream: 'broadcast' }
    expect(JSON.parse(fake.lastRequest.body)).toEqual({
      From: from,
      To: to,
      Subject,
      TextBody,
      ...rest,
    })
  })

  it('names a template by its id or its alias, with the model as it was given', async () => {
    const server = await PostmarkServer.start(fake)
    const model = '{"name":"Zoë 👍","items":[{"n":1,"ok":null}],"__proto__":{"a":1}}'
    for (const [templateId, named] of [
      ['1234567', { TemplateId: 1234567 }],
      [1234567, { TemplateId: 1234567 }],
      ['welcome', { TemplateAlias: 'welcome' }],
    ] as const) {
      const args = { ...template, templateId, templateModel: JSON.parse(model) }
      const { text } = await server.call('send_template_email', args)
      expect(text).toBe(`Email sent successfully to ${to} with ID ${fake.sent.at(-1)?.MessageID}`)
      const rest = `"TemplateModel":${model},"TrackOpens":false,"MessageStream":"outbound"}`
      const head = JSON.stringify({ From: from, To: to, ...named }).slice(0, -1)
      expect(fake.lastRequest).toMatchObject({
        url: '/email/withTemplate',
        body: `${head},${rest}`,
      })
    }
  })

  it('goes to the path below which a proxy has the API', async () => {
    const POSTMARK_BASE_URL = `http://${fake.host}/behind/a/proxy/`
    const server = await PostmarkServer.start(fake, { POSTMARK_BASE_URL })
    expect(await server.call('send_email', mail)).toMatchObject({ isError: false })
    expect(fake.lastRequest.url).toBe('/behind/a/proxy/email')
  })
})

describe('a call that is refused', () => {
  it('is told what is wrong, and nothing is sent', async () => {
    const server = await PostmarkServer.start(fake)
    const cases: [object, string][] = [
      [{ from: undefined }, 'from is required'],
      [{ to: ' ' }, 'to is required'],
      [{ to: ['a@example.com'] }, 'to must be text'],
      [{ subject: '' }, 'subject is required'],
      [{ textBody: '' }, 'textBody or htmlBody is required'],
      [{ trackOpens: 'yes' }, 'trackOpens must be true or false'],
      [{ trackLinks: 'all' }, 'trackLinks must be one of None, HtmlAndText, HtmlOnly, TextOnly'],
      [{ metadata: ['a'] }, 'metadata must be an object'],
      [{ metadata: { a: 'b', order: 12 } }, 'metadata.order must be text'],
      [{ subject: 'a\0b' }, 'subject must not contain NUL characters'],
      [{ body: 'Hi' }, 'unknown argument: body'],
      [{ attachments: {} }, 'attachments must be a list'],
      [{ attachments: ['a'] }, 'attachments[0] must be an object'],
      [
        { attachments: [{ path: 'a.pdf' }, { name: 'b' }] },
        'attachments[1] has neither a content nor a path',
      ],
      [{ attachments: [{ content: 'aGk=', contentType: 'x/y' }] }, 'attachments[0] has no name'],
      [{ attachments: [{ content: 'aGk=', name: 'a' }] }, 'attachments[0] has no contentType'],
      [
        { attachments: [{ content: 'aGk=', path: 'a' }] },
        'attachments[0] has both a content and a path',
      ],
      [{ attachments: [{ path: 'a', url: 'b' }] }, 'attachments[0] has an unknown field: url'],
      [{ attachments: [{ path: 1 }] }, 'attachments[0] must have a path that is text'],
    ]
    for (const [change, words] of cases) {
      const text = await server.fault('send_email', { ...mail, ...change })
      expect(text.split('\n')[0]).toBe(`Failed to send email: ${words}`)
    }
    const templateCases: [object, string][] = [
      [{ templateId: '' }, 'templateId is required'],
      [{ templateId: -1 }, 'templateId must be the id or the alias of a template'],
      [{ templateId: '9'.repeat(30) }, 'templateId must be the id or the alias of a template'],
      [{ templateModel: undefined }, 'templateModel is required'],
      [{ templateModel: '{}' }, 'templateModel must be an object'],
      [{ subject: 'Hello' }, 'unknown argument: subject'],
    ]
    for (const [change, words] of templateCases) {
      const text = await server.fault('send_template_email', { ...template, ...change })
      expect(text.split('\n')[0]).toBe(`Failed to send email: ${words}`)
    }
    expect(fake.requests).toEqual([])
  })

  it('tells what Postmark says against it, with its code', async () => {
    const server = await PostmarkServer.start(fake)
    const inactive = await server.fault('send_email', { ...mail, to: 'inactive@example.com' })
    expect(inactive).toMatch(
      /^Failed to send email: You tried to send to recipient.* \(Postmark error code: 406\)$/,
    )
    const missing = await server.fault('send_template_email', { ...template, templateId: 5 })
    expect(missing).toBe(
      "Failed to send email: The 'TemplateId' associated with this request is not valid or was not found. (Postmark error code: 1101)",
    )
    const stream = await server.fault('send_email', { ...mail, messageStream: 'nowhere' })
    expect(stream).toMatch(/ \(Postmark error code: 1235\)$/)
  })

  it('says which setting is missing or wrong', async () => {
    for (const [env, words] of [
      [{ POSTMARK_SERVER_TOKEN: ' ' }, /^Failed to send email: .*\nSet POSTMARK_SERVER_TOKEN/],
      [{ POSTMARK_SERVER_TOKEN: 'né' }, /^Failed to send email: .*\nSet POSTMARK_SERVER_TOKEN/],
      [{ POSTMARK_BASE_URL: 'ftp://u:hunter2@x' }, /^Failed to send email: POSTMARK_BASE_URL must/],
      [
        { POSTMARK_BASE_URL: 'http://127.0.0.1:1' },
        /^Failed to send email: Postmark cannot be reached: nobody/,
      ],
      [
        { POSTMARK_BASE_URL: 'http://nowhere.invalid' },
        /^Failed to send email: Postmark cannot be reached: its name/,
      ],
    ] as const) {
      const server = await PostmarkServer.start(fake, env)
      const text = await server.fault('send_email', mail)
      expect(text).toMatch(words)
      expect(text).not.toMatch(/hunter2|It is not known/)
    }
    expect(fake.requests).toEqual([])
  })
})

const unknown = /\nIt is not known whether the email was sent, and it is not sent again by itself\./
const postmark = (ErrorCode: number, Message: string) => ({ ErrorCode, Message })

describe('a fault of Postmark', () => {
  const certain: [string, Fault, RegExp][] = [
    [
      'the example of the seed',
      { status: 422, body: postmark(300, 'Invalid email request') },
      /^Failed to send email: Invalid email request \(Postmark error code: 300\)$/,
    ],
    [
      'an error code in a 200',
      { status: 200, body: postmark(300, 'Invalid') },
      /^Failed to send email: Invalid \(Postmark error code: 300\)$/,
    ],
    [
      '401',
      { status: 401, body: postmark(10, 'Bad token.') },
      /^Failed to send email: Bad token\. \(Postmark error code: 10\)\nSet POSTMARK_SERVER_TOKEN/,
    ],
    [
      '403',
      { status: 403, body: '<h1>Forbidden</h1>' },
      /^Failed to send email: Postmark answered with HTTP 403$/,
    ],
    ['404', { status: 404, body: {} }, /^Failed to send email: Postmark answered with HTTP 404$/],
    ['413', { status: 413, body: postmark(0, 'Too large') }, /^Failed to send email: Too large$/],
    [
      '429',
      { status: 429, body: null },
      /^Failed to send email: Postmark answered with HTTP 429\nSend it again later\.$/,
    ],
    [
      '429 with Retry-After',
      { status: 429, body: postmark(0, 'Slow'), headers: { 'retry-after': '7' } },
      /^Failed to send email: Slow\nSend it again in 7 seconds\.$/,
    ],
    [
      'a redirect',
      { status: 307, body: '', headers: { location: '/email' } },
      /^Failed to send email: Postmark answered with HTTP 307\nSet POSTMARK_BASE_URL/,
    ],
  ]
  const uncertain: [string, Fault, RegExp][] = [
    ['500', { status: 500, body: postmark(0, 'Oops') }, /^Failed to send email: Oops\n/],
    [
      '503',
      { status: 503, body: postmark(100, 'Maintenance') },
      /^Failed to send email: Maintenance \(Postmark error code: 100\)\n/,
    ],
    [
      '502 of a proxy',
      { status: 502, body: '<html>' },
      /^Failed to send email: Postmark answered with HTTP 502\n/,
    ],
    [
      'a lost reply',
      'lose the reply',
      /^Failed to send email: the connection to Postmark was lost/,
    ],
    [
      'a reply cut short',
      'cut the reply',
      /^Failed to send email: the connection to Postmark was lost/,
    ],
    ['a reset', 'hang up', /^Failed to send email: the connection to Postmark was lost/],
    ...[
      '<html>OK</html>',
      '',
      '{}',
      'null',
      '[]',
      '"OK"',
      '{"ErrorCode":0,"Message":"OK"}',
      '{"ErrorCode":0,"MessageID":""}',
      '{"ErrorCode":0,"MessageID":17}',
      '{"MessageID":"b7bc2f4a"}',
      '{"ErrorCode":"0","MessageID":"b7bc2f4a"}',
      '{"ErrorCode":300}',
    ].map((body): [string, Fault, RegExp] => [
      `200 ${body}`,
      { status: 200, body },
      /^Failed to send email: Postmark answered with something that is no receipt\n/,
    ]),
  ]

  it('is told in its own words, and no mail is tried twice', async () => {
    const server = await PostmarkServer.start(fake)
    for (const [what, fault, words] of [...certain, ...uncertain]) {
      fake.requests.length = 0
      fake.faults.push(fault)
      // Another subject each time: the same mail again might be held back.
      const text = await server.fault('send_email', { ...mail, subject: what })
      expect(text, what).toMatch(words)
      expect(unknown.test(text), what).toBe(uncertain.some(([other]) => other === what))
      expect(fake.requests, what).toHaveLength(1)
    }
    expect(await server.call('send_email', mail)).toMatchObject({ isError: false })
  })

  it('never repeats the token, whatever Postmark puts into its answer', async () => {
    const server = await PostmarkServer.start(fake, { ENABLE_LOGGING: 'true' })
    const spellings = [
      serverToken,
      serverToken.toUpperCase(),
      Buffer.from(`user:${serverToken}`).toString('base64'),
      `${serverToken.slice(0, 10)}\u200b${serverToken.slice(10)}`,
    ]
    for (const status of [200, 401, 422, 500]) {
      const Message = `Token ${spellings.join(' and ')} is\nnot valid, try sk-live-abcdefgh12345`
      fake.faults.push({ status, body: postmark(10, Message) })
      const text = await server.fault('send_email', { ...mail, subject: `${status}` })
      expect(text.split('\n')[0]).toMatch(/^Failed to send email: Token \*{8} and .* is not valid/)
      expect(text).not.toContain('abcdefgh')
    }
    const { stderr } = await server.client.finish()
    const said = JSON.stringify(server.client.answers) + stderr
    expect(said.toLowerCase().replaceAll('\u200b', '')).not.toContain(serverToken.slice(4, 30))
    expect(said).not.toContain(Buffer.from(serverToken).toString('base64').slice(4, 30))
  })
})

describe('the postmark server', () => {
  it.each(eras)('has the tools that its users know, %s era', async (era) => {
    const env = { MCP_SERVER_NAME: 'my-mail', MCP_SERVER_VERSION: '7.8.9' }
    const client = await connect(era, { env, args: ['mcp', 'postmark'] })
    expect(client.getServerVersion()).toMatchObject({ name: 'my-mail', version: '7.8.9' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
      ['send_email', ['from', 'to', 'subject']],
      ['send_template_email', ['from', 'to', 'templateId', 'templateModel']],
    ])
    expect(tools[0]?.inputSchema.properties).toMatchObject({
      from: { type: 'string', description: 'Sender email address' },
      to: { type: 'string', description: 'Recipient email address' },
      subject: { type: 'string', description: 'Email subject' },
      textBody: { type: 'string', description: 'Plain text email body' },
      htmlBody: { type: 'string', description: 'HTML email body' },
      trackOpens: {
        type: 'boolean',
        description: 'Whether to track email opens',
        default: false,
      },
    })
    expect(tools[1]?.inputSchema.properties).toMatchObject({
      templateId: { type: 'string', description: 'Postmark template ID' },
      templateModel: { type: 'object', description: 'Template variables' },
    })
  })

  it('fills in the default sender, and then asks for none', async () => {
    const env = { DEFAULT_FROM_ADDRESS: 'Team <team@example.com>' }
    const server = await PostmarkServer.start(fake, env)
    const { result } = await server.client.request('tools/list')
    expect(result).toMatchObject({
      tools: [
        { inputSchema: { required: ['to', 'subject'] } },
        { inputSchema: { required: ['to', 'templateId', 'templateModel'] } },
      ],
    })
    for (const [given, sent] of [
      [{}, 'Team <team@example.com>'],
      [{ from: '' }, 'Team <team@example.com>'],
      [{ from }, from],
    ] as const) {
      const { from: _, ...rest } = mail
      await server.call('send_email', { ...rest, ...given })
      expect(JSON.parse(fake.lastRequest.body).From).toBe(sent)
    }
  })

  it('lets no slow mail hold up another, and gives it up in time', async () => {
    const server = await PostmarkServer.start(fake, { AGENTMAIL_SEND_TIMEOUT_SECONDS: '2' })
    fake.faults.push('never answer')
    const slow = server.fault('send_email', { ...mail, subject: 'slow' })
    await eventually('the slow mail is on its way', () => fake.requests.length === 1)
    expect(await server.call('send_email', mail)).toMatchObject({ isError: false })
    expect(server.client.answers.filter(({ id }) => id !== null)).toHaveLength(2)
    expect(await slow).toMatch(/^Failed to send email: Postmark did not answer in time\n/)
    expect(await slow).toMatch(unknown)
  })

  it('logs each mail when it is asked to, without what it says or to whom', async () => {
    const server = await PostmarkServer.start(fake, { ENABLE_LOGGING: 'TRUE' })
    await server.call('send_email', { ...mail, cc: 'Jane Doe <jane@other.example>' })
    fake.faults.push({ status: 422, body: postmark(300, 'secret words') })
    await server.fault('send_email', mail)
    await server.fault('send_email', {})
    const { stderr, exitCode } = await server.client.finish()
    expect(exitCode).toBe(0)
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^agentmail: send_email: sent, 2 recipients at example\.com other\.example, \d+ ms$/,
      ),
      expect.stringMatching(
        /^agentmail: send_email: not sent \(send_failed, Postmark error code 300\), 1 recipient at example\.com, \d+ ms$/,
      ),
      expect.stringMatching(/^agentmail: send_email: not sent, \d+ ms$/),
    ])
  })

  it('is silent by default, and answers what it has read before it ends', async () => {
    const server = await PostmarkServer.start(fake)
    const last = server.call('send_email', mail)
    const { stderr, exitCode } = await server.client.finish()
    expect(await last).toMatchObject({ isError: false })
    expect([stderr, exitCode, server.client.faults]).toEqual(['', 0, []])
  })
})
