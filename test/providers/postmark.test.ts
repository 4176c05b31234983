/** Postmark as a provider: what no tool asks for, and what it knows of an outcome. */
import { createServer } from 'node:net'
import { ServerClient } from 'postmark'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Config } from '../../src/config.ts'
import { AgentMailError, isNotSent } from '../../src/errors.ts'
import { openPostmark } from '../../src/providers/postmark/postmark.ts'
import { jsonOf } from '../../src/system/text.ts'
import { outgoingMail } from '../support/email/outgoing-mail.ts'
import { type Fault, serverToken } from '../support/providers/fake-postmark.ts'
import { sharedFake } from '../support/providers/postmark.ts'

const fake = sharedFake()

const open = (env = {}) => openPostmark(new Config({}, { ...fake().env, ...env }))
const soon = () => AbortSignal.timeout(5000)
const mail = outgoingMail({
  from: { name: 'Doe, Jane', address: 'jane@example.com' },
  to: [{ name: '', address: 'b@example.com' }],
})
const trace = (key: string) => ({ key, to: ['b@example.com'], subject: 'Hello', since: 0 })
const sent = () => JSON.parse(fake().lastRequest.body)

async function errorOf(sending: Promise<unknown>): Promise<AgentMailError> {
  const error = await sending.catch((error) => error)
  if (AgentMailError.is(error)) return error
  throw new Error(`This is no error of ours: ${error}`)
}

describe('Postmark', () => {
  it('finds a mail again by the key that it was sent with', async () => {
    const postmark = open()
    await postmark.send({ ...mail, key: 'k1', postmark: { metadata: { a: 'b' } } }, soon())
    expect(sent().Metadata).toEqual({ a: 'b', 'agentmail-key': 'k1' })
    const receipt = await postmark.send({ ...mail, key: 'k2' }, soon())
    await postmark.send(mail, soon())
    expect(await postmark.find?.(trace('k2'), soon())).toEqual(receipt)
    expect(fake().lastRequest.url).toBe(
      '/messages/outbound?count=1&offset=0&metadata_agentmail-key=k2',
    )
    expect(await postmark.find?.(trace('k3'), soon())).toBeUndefined()
  })

  it('takes no other mail for it, and does not take silence for an answer', async () => {
    const other = { MessageID: 'm', ReceivedAt: '2025-03-30T18:00:00Z', Metadata: { a: 'b' } }
    fake().faults.push({ status: 200, body: { TotalCount: 1, Messages: [other] } })
    expect(await open().find?.(trace('k'), soon())).toBeUndefined()
    const faults: Fault[] = [{ status: 500, body: {} }, { status: 401, body: {} }, 'hang up']
    for (const fault of faults) {
      fake().faults.push(fault)
      const error = await errorOf(open().find?.(trace('k'), soon()) ?? Promise.resolve())
      expect(isNotSent(error)).toBe(false)
    }
  })

  it('writes names as headers want them', async () => {
    await open().send(mail, soon())
    expect(sent().From).toBe('"Doe, Jane" <jane@example.com>')
  })

  it('says which mail a reply follows, and nothing of it in any other mail', async () => {
    await open().send(mail, soon())
    expect(Object.keys(sent())).not.toContain('Headers')
    const original = {
      thread_id: 't',
      subject: 'Hello',
      message_id: '<b@x>',
      references: ['<a@x>'],
    }
    await open().send({ ...mail, original }, soon())
    expect(sent().Headers).toEqual([
      { Name: 'In-Reply-To', Value: '<b@x>' },
      { Name: 'References', Value: '<a@x> <b@x>' },
    ])
    const forged = { ...original, message_id: '<b@x>\r\nBcc: evil@x.y' }
    await open().send({ ...mail, original: forged }, soon())
    expect(Object.keys(sent())).not.toContain('Headers')
  })

  it('takes the default sender for a mail that names none, and wants one of the two', async () => {
    const nameless = { ...mail, from: undefined }
    await open({ DEFAULT_FROM_ADDRESS: 'team@example.com' }).send(nameless, soon())
    expect(sent().From).toBe('team@example.com')
    const error = await errorOf(open().send(nameless, soon()))
    expect([error.message, isNotSent(error)]).toEqual(['from is required', true])
  })

  it('tells what is certain from what is not', async () => {
    const Message = 'No'
    const cases: [Fault, object][] = [
      [
        { status: 422, body: { ErrorCode: 300, Message } },
        { postmark_code: 300, outcome: 'not_sent' },
      ],
      [
        { status: 401, body: { ErrorCode: 10, Message } },
        { postmark_code: 10, outcome: 'not_sent' },
      ],
      [
        { status: 429, body: {}, headers: { 'retry-after': '9' } },
        { retry_after_seconds: 9, outcome: 'not_sent' },
      ],
      [{ status: 429, body: {}, headers: { 'retry-after': 'soon' } }, { outcome: 'not_sent' }],
      [
        { status: 503, body: { ErrorCode: 100, Message } },
        { postmark_code: 100, outcome: 'unknown' },
      ],
      [{ status: 200, body: 'x'.repeat(5 << 20) }, { outcome: 'unknown' }],
      ['hang up', { outcome: 'unknown' }],
    ]
    for (const [fault, details] of cases) {
      fake().faults.push(fault)
      expect((await errorOf(open().send(mail, soon()))).details).toEqual(details)
    }
    const codes = []
    for (const status of [401, 404, 422, 429, 500]) {
      fake().faults.push({ status, body: {} })
      codes.push((await errorOf(open().send(mail, soon()))).code)
    }
    expect(codes).toEqual([
      'auth_required',
      'send_failed',
      'send_failed',
      'rate_limited',
      'send_failed',
    ])
  })

  it('knows that nothing was sent where there never was a connection', async () => {
    const silent = createServer().listen(0, '127.0.0.1') // takes connections, says nothing
    await new Promise((resolve) => silent.once('listening', resolve))
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : undefined
    let stop = new AbortController()
    silent.on('connection', (socket) => {
      onTestFinished(() => void socket.destroy())
      socket.once('data', () => stop.abort())
    })
    onTestFinished(() => void silent.close())
    for (const [POSTMARK_BASE_URL, isCertain] of [
      [`https://${fake().host}`, true], // it does not speak TLS
      [`https://127.0.0.1:${port}`, true], // TLS is never agreed on
      [`http://127.0.0.1:${port}`, false],
    ] as const) {
      stop = new AbortController()
      const sending = open({ POSTMARK_BASE_URL }).send(mail, stop.signal)
      expect(isNotSent(await errorOf(sending)), POSTMARK_BASE_URL).toBe(isCertain)
    }
    expect(isNotSent(await errorOf(open().send(mail, AbortSignal.abort())))).toBe(true)
  })

  it("asks for what Postmark's own client asks for", async () => {
    const client = new ServerClient(serverToken, { useHttps: false, requestHost: fake().host })
    const asked = () => {
      const { method, url, headers, body } = fake().lastRequest
      const { accept, 'x-postmark-server-token': token } = headers
      const type = method === 'POST' ? headers['content-type'] : undefined
      return { method, url, accept, token, type, body: jsonOf(body) }
    }
    const postmark = open()
    await postmark.send({ ...mail, key: 'k1' }, soon())
    const plain = asked()
    await client.sendEmail(sent())
    expect(asked()).toEqual(plain)
    await postmark.send({ ...mail, postmark: { template: { alias: 'welcome' } } }, soon())
    const withTemplate = asked()
    await client.sendEmailWithTemplate(sent())
    expect(asked()).toEqual(withTemplate)
    await postmark.find?.(trace('k1 &?ä'), soon())
    const search = asked()
    const filter = { count: 1, offset: 0, 'metadata_agentmail-key': 'k1 &?ä' }
    await client.getOutboundMessages(filter)
    const inQuery = ({ url }: { url: string }) =>
      Object.fromEntries(new URL(url, 'http://x').searchParams)
    expect(inQuery(asked())).toEqual(inQuery(search))
    expect({ ...asked(), url: '' }).toEqual({ ...search, url: '' })
  })
})
