/** A service that can only send, with mail that comes in by HTTP: read from the folder, answered through the service. */
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../../support/agentmail.ts'
import { InboundPlace } from '../../support/email/inbound/inbound-place.ts'
import { postmarkSample } from '../../support/email/inbound/postmark-sample.ts'
import { connect } from '../../support/mcp/mcp-client.ts'
import { ToolClient } from '../../support/mcp/tool-client.ts'
import { sharedFake } from '../../support/providers/postmark.ts'
import { startSmtpServer } from '../../support/providers/smtp-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const fake = sharedFake()

async function toolsOf(place: InboundPlace): Promise<ToolClient> {
  const { env, folder: cwd } = place
  const args = ['mcp', 'gmail']
  return new ToolClient(await connect('auto', { env, args, cwd }, onTestFinished))
}

const idIn = (emails: unknown) => z.array(z.looseObject({ id: z.string() })).parse(emails)[0]?.id

const own = (place: InboundPlace) => ({
  XDG_STATE_HOME: `${place.folder}/state`,
  XDG_CONFIG_HOME: `${place.folder}/config`,
})

describe('an answer to a mail that was sent through Postmark', () => {
  it('comes in by the webhook, is listed, and is answered in its thread', async () => {
    const place = await InboundPlace.start({
      ...fake().env,
      AGENTMAIL_MAIL: 'postmark',
      DEFAULT_FROM_ADDRESS: 'agent@example.com',
    })
    Object.assign(place.env, own(place))
    const tools = await toolsOf(place)
    const sent = await tools.call('send_email', {
      to: 'jane@example.com',
      subject: 'Tea?',
      body: 'At four?',
    })
    expect(JSON.parse(fake().lastRequest.body)).toEqual({
      From: 'agent@example.com',
      To: 'jane@example.com',
      Subject: 'Tea?',
      TextBody: 'At four?',
      TrackOpens: false,
      MessageStream: 'outbound',
    })
    const answered = `<${sent.message_id}@mtasv.net>`
    const answer = {
      ...postmarkSample,
      Subject: 'Re: Tea?',
      TextBody: 'Yes, at four.',
      HtmlBody: '',
      Headers: [
        { Name: 'Message-ID', Value: '<answer@mail.example>' },
        { Name: 'In-Reply-To', Value: answered },
        { Name: 'References', Value: answered },
      ],
    }
    expect((await place.post(answer)).status).toBe(200)
    const { emails } = await tools.call('list_emails', { query: 'subject:tea' })
    expect(emails).toMatchObject([{ subject: 'Re: Tea?', snippet: 'Yes, at four.' }])
    const id = idIn(emails)
    expect(await tools.call('get_email', { message_id: id })).toMatchObject({
      body: expect.stringContaining('untrusted'),
      attachment_names: ['test.txt'],
    })
    await tools.call('send_email', {
      to: 'jane@example.com',
      subject: 'Re: Tea?',
      body: 'See you.',
      reply_to_message_id: id,
    })
    expect(JSON.parse(fake().lastRequest.body)).toMatchObject({
      Subject: 'Re: Tea?',
      Headers: [
        { Name: 'In-Reply-To', Value: '<answer@mail.example>' },
        { Name: 'References', Value: `${answered} <answer@mail.example>` },
      ],
    })
    expect(await tools.call('move_email', { message_id: id, destination_label: 'Done' })).toEqual({
      moved: true,
      labels: expect.arrayContaining(['Done']),
    })
    const { stdout } = await agentmail(['mail', 'list', 'label:done'], { env: place.env })
    expect(stdout).toContain('Re: Tea?')
  })
})

it('is handed to the agent that asked, by the Message-ID of Postmark or by the tag in its address', async () => {
  const vault = temporaryFolder()
  const place = await InboundPlace.start({
    ...fake().env,
    ...{ AGENTMAIL_MAIL: 'postmark', AGENTMAIL_REPLIES: 'agent', VAULT_PATH: vault },
    AGENTMAIL_INBOUND_ADDRESS: 'yourhash@inbound.postmarkapp.com',
    DEFAULT_FROM_ADDRESS: 'agent@example.com',
  })
  Object.assign(place.env, own(place), {
    AGENTMAIL_AGENT: 'ann',
    AGENTMAIL_SERVER: place.server.url,
  })
  const agent_id = await place.server.register('ann')
  const { env, folder: cwd } = place
  const args = ['mcp', 'postmark']
  const client = await connect('auto', { env, args, cwd }, onTestFinished)
  const mail = { to: 'jane@example.com', subject: 'Tea?', textBody: 'At four?' }
  const sent = await client.callTool({ name: 'send_email', arguments: mail })
  const { messageId } = Object(sent.structuredContent)
  const { ReplyTo } = JSON.parse(fake().lastRequest.body)
  expect(ReplyTo).toMatch(/^yourhash\+[0-9a-f]{20}@inbound\.postmarkapp\.com$/)
  const plain = 'yourhash@inbound.postmarkapp.com'
  const answers = [
    { OriginalRecipient: plain, MailboxHash: '', id: `<${messageId}@mtasv.net>` },
    { OriginalRecipient: ReplyTo, MailboxHash: ReplyTo.slice(9, 29), id: '<lost@mail.example>' },
    { OriginalRecipient: plain, MailboxHash: '0'.repeat(20), id: '<guessed@mail.example>' },
  ]
  for (const [at, { id, ...recipient }] of answers.entries()) {
    const headers = [
      { Name: 'Message-ID', Value: `<answer-${at}@mail.example>` },
      { Name: 'In-Reply-To', Value: id },
    ]
    const answer = {
      ...postmarkSample,
      ...recipient,
      ...{ MessageID: `m${at}`, Subject: `Answer ${at}`, To: plain, ToFull: [], Headers: headers },
    }
    expect((await place.post(answer)).status).toBe(200)
  }
  const ran = await agentmail(['orchestrate', '--once'], {
    env: { ...env, AGENTMAIL_AGENT: undefined },
    cwd,
  })
  expect(ran).toMatchObject({ exitCode: 0 })
  const read = await place.server.call('read_messages', { agent_id, unread: true })
  const texts = JSON.stringify(read.structuredContent).match(/Subject: Answer \d/g)
  expect(texts?.toSorted()).toEqual(['Subject: Answer 0', 'Subject: Answer 1'])
})

describe('a service that can only send', () => {
  it('sends by SMTP and reads the folder', async () => {
    const smtp = await startSmtpServer({ user: 'jane', password: 'right-password' })
    onTestFinished(() => smtp.close())
    const place = await InboundPlace.start({
      AGENTMAIL_MAIL: 'smtp',
      AGENTMAIL_SMTP_URL: smtp.url,
      AGENTMAIL_MAIL_FROM: 'agent@example.com',
    })
    Object.assign(place.env, own(place))
    await place.post(postmarkSample)
    const tools = await toolsOf(place)
    const { emails } = await tools.call('list_emails', {})
    const id = idIn(emails)
    const reply = { to: 'jane@example.com', subject: 'x', body: 'Thanks.', reply_to_message_id: id }
    await tools.call('send_email', reply)
    expect(String(smtp.arrivals.at(-1)?.raw)).toContain(
      `In-Reply-To:\r\n ${postmarkSample.Headers[2]?.Value}`,
    )
  })

  it('is refused to read where nothing says that mail comes in', async () => {
    const env = {
      ...fake().env,
      AGENTMAIL_MAIL: 'postmark',
      AGENTMAIL_MAIL_DIR: undefined,
      AGENTMAIL_INBOUND_SECRET: undefined,
    }
    const { exitCode, stderr } = await agentmail(['mcp', 'gmail'], { env })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('the gmail tools do not work with postmark, which can only'),
    })
    expect(stderr).toContain('AGENTMAIL_INBOUND_SECRET')
  })
})
