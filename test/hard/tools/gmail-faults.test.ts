/** The gmail tools when Gmail fails: each fault by its code, nothing sent twice, and no secret told. */
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { GmailPlace } from '../../support/email/mail-place.ts'
import { LineClient } from '../../support/mcp/line-client.ts'
import type { ToolClient } from '../../support/mcp/tool-client.ts'
import type { FaultRule } from '../../support/providers/fake-gmail-faults.ts'

const words = 'words of Google with ya29.secret'
const mail = { to: 'ann@example.com', subject: 'Tea', body: 'At four?' }
const question = 'From: zoe@example.com\r\nSubject: Plan\r\nMessage-ID: <q@a>\r\n\r\nTea?'

let place: GmailPlace
let tools: ToolClient
const atEnd = afterAllTests()
beforeAll(async () => {
  place = await GmailPlace.make(atEnd)
  tools = await place.tools({ AGENTMAIL_SEND_TIMEOUT_SECONDS: '5' }, atEnd)
})

/** An error of that tool, which tells nothing that it must not. */
async function failure(tool: string, args: object) {
  const error = await tools.error(tool, args)
  expect(JSON.stringify(error)).not.toMatch(/words of Google|secret|access-|refresh-|127\.0\.0\.1/)
  return error
}

describe('reading while Gmail fails', () => {
  const cases: [Omit<FaultRule, 'path'>, code: string, details?: object][] = [
    [{ fault: '400' }, 'invalid_request'],
    [{ fault: '403-permission' }, 'permission_denied'],
    [{ fault: '403-quota' }, 'rate_limited', {}],
    [{ fault: '404' }, 'not_found'],
    [{ fault: '429' }, 'rate_limited', {}],
    [{ fault: '429', retryAfter: '77' }, 'rate_limited', { retry_after_seconds: 77 }],
    [{ fault: '500' }, 'internal_error'],
    [{ fault: '503', retryAfter: '60' }, 'internal_error'],
    [{ fault: 'reset' }, 'internal_error'],
    [{ fault: 'html' }, 'internal_error'],
    [{ fault: 'empty' }, 'internal_error'],
    [{ fault: 'truncated' }, 'internal_error'],
    [{ fault: 'redirect' }, 'internal_error'],
  ]
  // Each has a mail of its own to fail on, so that none waits for another.
  it.concurrent.for(cases)('tells %j by its code', async ([rule, code, details = null]) => {
    const message_id = place.add(question)
    place.fake.fail({ ...rule, path: new RegExp(`${message_id}$`), message: words })
    const error = await failure('get_email', { message_id })
    expect([error.error, error.details]).toEqual([code, details])
    const asked = place.fake.requests.filter(({ path }) => path.endsWith(message_id))
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  it('gets over a fault that passes', async () => {
    const message_id = place.add(question)
    place.fake.fail({ fault: '503', path: new RegExp(`${message_id}$`), times: 1 })
    expect(await tools.call('get_email', { message_id })).toMatchObject({ subject: 'Plan' })
  })
})

describe('sending while Gmail fails', () => {
  beforeEach(() => place.fake.heal())
  const posts = () => place.fake.requests.filter(({ path }) => path.endsWith('/send')).length

  const cases: [Omit<FaultRule, 'path'>, code: string, outcome: 'not_sent' | 'unknown'][] = [
    [{ fault: '400' }, 'send_failed', 'not_sent'],
    [{ fault: '403-permission' }, 'permission_denied', 'not_sent'],
    [{ fault: '403-quota' }, 'rate_limited', 'not_sent'],
    [{ fault: '404' }, 'not_found', 'not_sent'],
    [{ fault: '429' }, 'rate_limited', 'not_sent'],
    [{ fault: '429', retryAfter: '1' }, 'rate_limited', 'not_sent'],
    [{ fault: '500' }, 'send_failed', 'unknown'],
    [{ fault: '502' }, 'send_failed', 'unknown'],
    [{ fault: '503', retryAfter: '1' }, 'send_failed', 'unknown'],
    [{ fault: 'lost-reply' }, 'send_failed', 'unknown'],
    [{ fault: 'reset' }, 'send_failed', 'unknown'],
    [{ fault: 'hang' }, 'send_failed', 'unknown'],
    [{ fault: 'html' }, 'send_failed', 'unknown'],
    [{ fault: 'empty' }, 'send_failed', 'unknown'],
    [{ fault: 'truncated' }, 'send_failed', 'unknown'],
    [{ fault: 'redirect' }, 'send_failed', 'unknown'],
  ]
  it.each(cases)('tells %j by its code, and asks once', async (rule, code, outcome) => {
    place.fake.fail({ ...rule, path: /send$/, message: words })
    const error = await failure('send_email', mail)
    expect([error.error, error.details?.outcome]).toEqual([code, outcome])
    if (rule.retryAfter && code === 'rate_limited') {
      expect(error.details?.retry_after_seconds).toBe(Number(rule.retryAfter))
    }
    expect(/It is not known whether the mail was sent/.test(error.message)).toBe(
      outcome === 'unknown',
    )
    expect(posts()).toBe(1)
  })

  it('may send a mail again by its key that was certainly not sent', async () => {
    const keyed = { ...mail, subject: 'certain', idempotency_key: 'certain' }
    place.fake.fail({ fault: '429', path: /send$/, times: 1 })
    expect((await failure('send_email', keyed)).error).toBe('rate_limited')
    const before = place.fake.sent.length
    const answer = await tools.call('send_email', keyed)
    expect(await tools.call('send_email', keyed)).toEqual(answer)
    expect(place.fake.sent.length).toBe(before + 1)
  })

  it('finds by its key a mail whose reply was lost, and sends none twice', async () => {
    const keyed = { ...mail, subject: 'lost', idempotency_key: 'lost' }
    const before = place.fake.sent.length
    place.fake.fail({ fault: 'lost-reply', path: /send$/, times: 1 })
    const { details } = await failure('send_email', keyed)
    expect(details).toEqual({ outcome: 'unknown', id: expect.stringMatching(/^\w{8}$/) })
    const found = await tools.call('send_email', keyed)
    expect(found.message_id).toBe(place.fake.sent.at(-1)?.id)
    expect(place.fake.sent.length).toBe(before + 1)
  })

  it('never repeats by itself what may have been sent, not even with the same key', async () => {
    const keyed = { ...mail, subject: 'unclear', idempotency_key: 'unclear' }
    place.fake.fail({ fault: '500', path: /send$/, times: 1 })
    const { details } = await failure('send_email', keyed)
    expect((await failure('send_email', keyed)).details).toEqual(details)
    expect(posts()).toBe(1)
  })
})

it('finishes what it was asked to send before it ends', async () => {
  place.fake.heal()
  place.fake.fail({ fault: 'slow', delayMs: 500, path: /send$/, times: 1 })
  const client = await LineClient.open({ env: place.env, args: ['mcp', 'gmail'] })
  const answer = client.call('send_email', mail)
  const { exitCode, stderr } = await client.finish()
  const id = place.fake.sent.at(-1)?.id
  expect((await answer).result?.structuredContent).toMatchObject({ message_id: id })
  expect([exitCode, stderr, client.faults]).toEqual([0, '', []])
})

describe('the login', () => {
  beforeEach(() => place.fake.heal())

  it('is renewed without a word, and what was refused for it is done once', async () => {
    place.fake.login.expire()
    expect(await tools.call('list_emails', { query: 'subject:none' })).toEqual({ emails: [] })
    place.fake.login.expire()
    const before = place.fake.sent.length
    await tools.call('send_email', mail)
    expect(place.fake.sent.length).toBe(before + 1)
  })

  it('is asked for with the command to run where it cannot be renewed, and taken up when it is there', async () => {
    const { login } = place.fake
    const [{ access_token, ...granted }, before] = [login.grant(), place.fake.sent.length]
    const dead = { access_token: 'ya29.secret-spent', expiry_date: Date.now() + 3_600_000 }
    for (const token of [dead, { ...dead, expiry_date: 1 }, { ...granted, ...dead }, {}]) {
      login.isDead = true
      place.putToken(token)
      for (const [tool, args] of [
        ['list_emails', {}],
        ['send_email', mail],
      ] as const) {
        const error = await failure(tool, args)
        expect([token, error.error]).toEqual([token, 'auth_required'])
        expect(error.message).toContain('agentmail gmail login')
        if (tool === 'send_email') expect(error.details?.outcome).toBe('not_sent')
      }
    }
    expect(place.fake.sent.length).toBe(before)
    login.isDead = false
    place.putToken({ ...granted, access_token })
    await tools.call('send_email', mail)
    expect(place.fake.sent.length).toBe(before + 1)
  })

  it('that was never made is asked for by every tool', async () => {
    const GMAIL_TOKEN_PATH = join(place.folder, 'nothing.json')
    const loggedOut = await place.tools({ GMAIL_TOKEN_PATH })
    const message_id = 'x'
    for (const [tool, args] of [
      ['list_emails', {}],
      ['get_email', { message_id }],
      ['send_email', mail],
      ['move_email', { message_id, destination_label: 'Work' }],
      ['add_label', { message_id, label_name: 'Work' }],
    ] as const) {
      const error = await loggedOut.error(tool, args)
      expect([tool, error.error]).toEqual([tool, 'auth_required'])
      expect(error.message).toContain('agentmail gmail login')
      expect(JSON.stringify(error)).not.toContain(place.folder)
    }
  })
})
