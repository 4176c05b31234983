/** The postmark tools through their server: what goes over the wire, and what is refused before. */
import { describe, expect, it } from 'vitest'
import { serverToken } from '../support/providers/fake-postmark.ts'
import { from, mail, sharedFake, template, to } from '../support/providers/postmark.ts'
import { PostmarkServer } from '../support/providers/postmark-server.ts'

const fake = sharedFake()

describe('what goes to Postmark', () => {
  it('is exactly what was asked for, and the answer names its id', async () => {
    const server = await PostmarkServer.start(fake())
    const html = '<html><body><p>This is a test email sent via MCP.</p></body></html>'
    const told = await server.call('send_email', {
      from,
      to,
      subject: 'Hello from MCP',
      textBody: 'This is a test email sent via MCP.',
      htmlBody: html,
      trackOpens: true,
    })
    const [request] = fake().requests
    expect(fake().requests).toHaveLength(1)
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
    const messageId = fake().sent[0]?.MessageID
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
    const server = await PostmarkServer.start(fake(), { DEFAULT_MESSAGE_STREAM: 'broadcast' })
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
    expect(JSON.parse(fake().lastRequest.body)).toEqual({
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
    expect(JSON.parse(fake().lastRequest.body)).toEqual({
      From: from,
      To: to,
      Subject,
      TextBody,
      ...rest,
    })
  })

  it('names a template by its id or its alias, with the model as it was given', async () => {
    const server = await PostmarkServer.start(fake())
    const model = '{"name":"Zoë 👍","items":[{"n":1,"ok":null}],"__proto__":{"a":1}}'
    for (const [templateId, named] of [
      ['1234567', { TemplateId: 1234567 }],
      [1234567, { TemplateId: 1234567 }],
      ['welcome', { TemplateAlias: 'welcome' }],
    ] as const) {
      const args = { ...template, templateId, templateModel: JSON.parse(model) }
      const { text } = await server.call('send_template_email', args)
      expect(text).toBe(`Email sent successfully to ${to} with ID ${fake().sent.at(-1)?.MessageID}`)
      const rest = `"TemplateModel":${model},"TrackOpens":false,"MessageStream":"outbound"}`
      const head = JSON.stringify({ From: from, To: to, ...named }).slice(0, -1)
      expect(fake().lastRequest).toMatchObject({
        url: '/email/withTemplate',
        body: `${head},${rest}`,
      })
    }
  })

  it('goes to the path below which a proxy has the API', async () => {
    const POSTMARK_BASE_URL = `http://${fake().host}/behind/a/proxy/`
    const server = await PostmarkServer.start(fake(), { POSTMARK_BASE_URL })
    expect(await server.call('send_email', mail)).toMatchObject({ isError: false })
    expect(fake().lastRequest.url).toBe('/behind/a/proxy/email')
  })
})

describe('a call that is refused', () => {
  it('is told what is wrong, and nothing is sent', async () => {
    const server = await PostmarkServer.start(fake())
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
    expect(fake().requests).toEqual([])
  })

  it('tells what Postmark says against it, with its code', async () => {
    const server = await PostmarkServer.start(fake())
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
      const server = await PostmarkServer.start(fake(), env)
      const text = await server.fault('send_email', mail)
      expect(text).toMatch(words)
      expect(text).not.toMatch(/hunter2|It is not known/)
    }
    expect(fake().requests).toEqual([])
  })
})
