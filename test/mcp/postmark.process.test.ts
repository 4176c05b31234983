/** The life of `agentmail mcp postmark`: its tools, its settings, its log. */
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { eras } from '../support/mcp/protocol.ts'
import { from, mail, sharedFake } from '../support/providers/postmark.ts'
import { PostmarkServer } from '../support/providers/postmark-server.ts'

const fake = sharedFake()

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
    const server = await PostmarkServer.start(fake(), env)
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
      expect(JSON.parse(fake().lastRequest.body).From).toBe(sent)
    }
  })

  it('lets no slow mail hold up another, and gives it up in time', async () => {
    const server = await PostmarkServer.start(fake(), { AGENTMAIL_SEND_TIMEOUT_SECONDS: '5' })
    fake().faults.push('never answer')
    const slow = server.fault('send_email', { ...mail, subject: 'slow' })
    await eventually('the slow mail is on its way', () => fake().requests.length === 1)
    expect(await server.call('send_email', mail)).toMatchObject({ isError: false })
    expect(server.client.answers.filter(({ id }) => id !== null)).toHaveLength(2)
    expect(await slow).toMatch(/^Failed to send email: Postmark did not answer in time\n/)
    expect(await slow).toContain('It is not known whether the mail was sent')
  })

  it('logs each mail when it is asked to, without what it says or to whom', async () => {
    const server = await PostmarkServer.start(fake(), { ENABLE_LOGGING: 'TRUE' })
    await server.call('send_email', { ...mail, cc: 'Jane Doe <jane@other.example>' })
    fake().faults.push({ status: 422, body: { ErrorCode: 300, Message: 'secret words' } })
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
    const server = await PostmarkServer.start(fake())
    const last = server.call('send_email', mail)
    const { stderr, exitCode } = await server.client.finish()
    expect(await last).toMatchObject({ isError: false })
    expect([stderr, exitCode, server.client.faults]).toEqual(['', 0, []])
  })
})
