/** What the caller of the postmark tools is told when Postmark fails. */
import { describe, expect, it } from 'vitest'
import { type Fault, serverToken } from '../support/providers/fake-postmark.ts'
import { mail, sharedFake } from '../support/providers/postmark.ts'
import { PostmarkServer } from '../support/providers/postmark-server.ts'

const fake = sharedFake()

const unknown = /\nIt is not known whether the mail was sent, and it is not sent again by itself\./
const postmark = (ErrorCode: number, Message: string) => ({ ErrorCode, Message })

describe('a fault of Postmark', () => {
  const certain: [string, Fault, RegExp][] = [
    [
      'a request that is refused',
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
    const server = await PostmarkServer.start(fake())
    for (const [what, fault, words] of [...certain, ...uncertain]) {
      fake().requests.length = 0
      fake().faults.push(fault)
      // Another subject each time: the same mail again might be held back.
      const text = await server.fault('send_email', { ...mail, subject: what })
      expect(text, what).toMatch(words)
      expect(unknown.test(text), what).toBe(uncertain.some(([other]) => other === what))
      expect(fake().requests, what).toHaveLength(1)
    }
    expect(await server.call('send_email', mail)).toMatchObject({ isError: false })
  })

  it('never repeats the token, whatever Postmark puts into its answer', async () => {
    const server = await PostmarkServer.start(fake(), { ENABLE_LOGGING: 'true' })
    const spellings = [
      serverToken,
      serverToken.toUpperCase(),
      Buffer.from(`user:${serverToken}`).toString('base64'),
      `${serverToken.slice(0, 10)}\u200b${serverToken.slice(10)}`,
    ]
    for (const status of [200, 401, 422, 500]) {
      const Message = `Token ${spellings.join(' and ')} is\nnot valid, try sk-live-abcdefgh12345`
      fake().faults.push({ status, body: postmark(10, Message) })
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
