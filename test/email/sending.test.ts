/** The one way out: what is checked, recorded and written before a mail leaves, and that it leaves once. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mailLog } from '../../src/email/outgoing/mail-log.ts'
import type { MailRequest } from '../../src/email/outgoing/mail-request.ts'
import { recordOf } from '../../src/email/outgoing/send-record.ts'
import { aMail, MailRoom } from '../support/email/mail-room.ts'
import { hostilePaths } from '../support/hostile-paths.ts'

describe('the audit', () => {
  it('is on disk before the service is given the mail', async () => {
    const room = new MailRoom()
    const outgoing = await room.open()
    let before: unknown[] = []
    room.service.answer = async () => {
      before = room.audit()
      return room.service.receipt()
    }
    const body = 'é'.repeat(300)
    await outgoing.send({ ...aMail, to: '"Doe, Jane" <jane@example.com>', text: body })
    expect(before).toEqual([
      {
        event: 'pre_send_audit',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        to: '"Doe, Jane" <jane@example.com>',
        subject: 'Hello',
        body_preview: 'é'.repeat(200),
        reply_to_message_id: null,
        severity: 'INFO',
      },
    ])
    expect(room.auditFiles).toEqual([expect.stringMatching(/^gmail_mcp_\d{4}-\d\d-\d\d\.jsonl$/)])
  })

  it.each([
    ['Logs is a file', (vault: string) => writeFileSync(join(vault, 'Logs'), '')],
    [
      'the log of the day is a folder',
      (vault: string) => {
        const day = new Date().toISOString().slice(0, 10)
        mkdirSync(join(vault, 'Logs', `gmail_mcp_${day}.jsonl`), { recursive: true })
      },
    ],
  ])('stops everything where it cannot be written: %s', async (_, spoil) => {
    const room = new MailRoom()
    spoil(room.vault)
    const outgoing = await room.open()
    await expect(outgoing.send(aMail)).rejects.toMatchObject({
      code: 'send_failed',
      message: expect.stringContaining('nothing was sent'),
    })
    expect(room.service.taken).toEqual([])
  })

  it('starts a line of its own after one that was cut short', async () => {
    const room = new MailRoom()
    const outgoing = await room.open()
    await outgoing.send(aMail)
    const file = join(room.vault, 'Logs', room.auditFiles[0] ?? '')
    writeFileSync(file, '{"event":"pre_se')
    await outgoing.send(aMail)
    const lines = readFileSync(file, 'utf8').split('\n')
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ to: 'jane@example.com' })
  })

  it('is found for each of several mails of the same moment and subject', () => {
    const timestamp = '2026-01-15T10:00:00.000Z'
    const { to, subject } = aMail
    const line = { event: 'pre_send_audit', timestamp, to, subject } as const
    const audit = [1, 2].map(() => ({
      ...line,
      body_preview: '',
      reply_to_message_id: null,
      severity: 'INFO' as const,
    }))
    const row = { state: 'sent', begun_ms: 1, until_ms: 1, audited_at: timestamp, subject }
    const texts = ['id', 'provider', 'scope', 'key_hash', 'token', 'holder', 'content_hash']
    const record = recordOf({
      ...Object.fromEntries(texts.map((name) => [name, 'x'])),
      ...row,
      recipients: '[]',
    })
    const log = mailLog([record, record, record], audit, 9)
    expect(log.map(({ is_audited }) => is_audited)).toEqual([true, true, false])
  })

  it('is kept in a folder of its own where there is no vault', async () => {
    const room = new MailRoom()
    const outgoing = await room.open({ VAULT_PATH: '' })
    await outgoing.send(aMail)
    expect(room.service.taken.length).toBe(1)
    expect(room.audit()).toEqual([])
  })
})

describe('a mail that is refused', () => {
  const bad = ['\r', '\n', '\0', 'a\r\nBcc: eve@evil.example', '\u2028']

  it.each<[string, (text: string) => MailRequest]>([
    ['to', (text) => ({ ...aMail, to: `jane@example.com${text}` })],
    ['to, in the name', (text) => ({ ...aMail, to: `"Jane${text}" <jane@example.com>` })],
    ['cc', (text) => ({ ...aMail, cc: `jane@example.com${text}` })],
    ['bcc', (text) => ({ ...aMail, bcc: `jane@example.com${text}` })],
    ['from', (text) => ({ ...aMail, from: `jane@example.com${text}` })],
    ['reply_to', (text) => ({ ...aMail, reply_to: `jane@example.com${text}` })],
    ['subject', (text) => ({ ...aMail, subject: `Hello${text}` })],
    ['tag', (text) => ({ ...aMail, postmark: { tag: `x${text}` } })],
    ['metadata', (text) => ({ ...aMail, postmark: { metadata: { x: `x${text}` } } })],
    ['a name in metadata', (text) => ({ ...aMail, postmark: { metadata: { [`x${text}`]: 'x' } } })],
    ['message stream', (text) => ({ ...aMail, postmark: { message_stream: `x${text}` } })],
    ['template', (text) => ({ ...aMail, postmark: { template: { alias: `x${text}` } } })],
    [
      'the name of an attachment',
      (text) => ({
        ...aMail,
        attachments: [{ name: `a${text}.txt`, content: 'YQ==', contentType: 'text/plain' }],
      }),
    ],
    [
      'the type of an attachment',
      (text) => ({
        ...aMail,
        attachments: [{ name: 'a.txt', content: 'YQ==', contentType: `text/plain${text}` }],
      }),
    ],
  ])('has a line break or a NUL in %s', async (_, request) => {
    const room = new MailRoom()
    const outgoing = await room.open()
    for (const text of bad) {
      await expect(outgoing.send(request(text))).rejects.toMatchObject({ code: 'invalid_request' })
    }
    expect(room.service.taken).toEqual([])
    expect(room.audit()).toEqual([])
  })

  it('is too large with all that belongs to it', async () => {
    const room = new MailRoom()
    const limits = { recipients: 50, body: 1000, total: 1000, forbidden: new Set<string>() }
    const outgoing = await room.open({}, limits)
    const half = 'x'.repeat(600)
    const content = Buffer.alloc(300).toString('base64')
    const attachments = [{ name: 'a', content, contentType: 'text/plain' }]
    for (const more of [
      { html: half },
      { attachments },
      { postmark: { template_model: { half } } },
    ]) {
      await outgoing.send({ ...aMail, ...more, text: 'x' })
      await expect(outgoing.send({ ...aMail, text: half, ...more })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^the mail is \d+ bytes/),
      })
    }
    expect(room.service.taken.length).toBe(3)
  })

  it('names a file outside the vault', async () => {
    const room = new MailRoom()
    writeFileSync(join(room.folder, 'x.md'), 'outside')
    const outgoing = await room.open()
    for (const path of hostilePaths()) {
      const sending = outgoing.send({ ...aMail, attachments: [{ path }] })
      await expect(sending, path).rejects.toMatchObject({
        code: expect.stringMatching(/^(permission_denied|not_found|invalid_request)$/),
      })
    }
    expect(room.service.taken).toEqual([])
  })

  it.each([
    ['jane@example.com', 'jane@example.com', true],
    ['JANE@Example.COM', 'jane@example.com', true],
    ['jane@example.com', 'EXAMPLE.com', true],
    ['jane@example.com', 'other.example, @example.com', true],
    ['jane@sub.example.com', 'example.com', false],
    ['jane@example.com.evil.example', 'example.com', false],
    ['jane@notexample.com', 'example.com', false],
    ['joe@example.com', 'jane@example.com', false],
    ['"jane@example.com" <eve@evil.example>', 'example.com', false],
    ['jane@bücher.example', 'bücher.example', true],
    ['jane@example.com', ',', false],
    ['jane%evil.example@example.com', 'example.com', false],
    ['evil.example!jane@example.com', 'example.com', false],
    ['jane%x@example.com', 'x@example.com, jane%x@example.com', true],
  ])('goes to %s where only %s is allowed: %s', async (to, allowed, isAllowed) => {
    const room = new MailRoom({ AGENTMAIL_SEND_TO: allowed })
    const outgoing = await room.open()
    for (const mail of [
      { to },
      { to: 'x@example.com', cc: to },
      { to: 'x@example.com', bcc: to },
    ]) {
      if (mail.to !== to && !/example\.com/i.test(allowed)) continue
      if (mail.to !== to && allowed.startsWith('jane')) continue
      const sending = outgoing.send({ ...aMail, ...mail })
      if (isAllowed) await sending
      else await expect(sending).rejects.toMatchObject({ code: 'permission_denied' })
    }
    expect(room.service.taken.length > 0).toBe(isAllowed)
  })

  it.each([
    '"jane@evil.example"@example.com',
    '"jane"@example.com',
    '@evil.example:jane@example.com',
    '<@evil.example,@example.com:jane@example.com>',
    'jane(@evil.example)@example.com',
    'jane@evil.example(@example.com)',
    'team: jane@example.com, eve@evil.example;',
    'jane@example.com; eve@evil.example',
    'jane@example.com eve@evil.example',
    'jane@evil.example\\@example.com',
    'jane@evil.example@example.com',
    'jane＠evil.example@example.com',
    'jane﹫evil.example@example.com',
    'jane@example.com.',
    'jane@example.com\u3002',
    'jane@example\u200b.com',
    'jane@еxample.com',
    'jane@[example.com]',
    '=?utf-8?Q?eve=40evil.example=2C?= <jane@example.com>',
    'eve=40evil.example@example.com\r\nBcc: eve@evil.example',
    '<jane@example.com> <eve@evil.example>',
    '"jane@example.com" <eve@evil.example',
  ])('goes nowhere by a trick: %j', async (trick) => {
    const room = new MailRoom({ AGENTMAIL_SEND_TO: 'example.com' })
    const outgoing = await room.open()
    const to = 'x@example.com'
    for (const mail of [{ to: trick }, { to, cc: trick }, { to, bcc: trick }]) {
      await expect(outgoing.send({ ...aMail, ...mail })).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid_request|permission_denied)$/),
      })
    }
    expect(room.service.taken).toEqual([])
  })

  it('is one too many in a minute', async () => {
    const room = new MailRoom({ RATE_LIMIT_MAX_REQUESTS: '2' })
    const outgoing = await room.open()
    await outgoing.send(aMail)
    await outgoing.send(aMail)
    await expect(outgoing.send(aMail)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retry_after_seconds: expect.any(Number) },
    })
    expect(room.service.taken.length).toBe(2)
  })
})

describe('where a person has to approve', () => {
  const approve = { AGENTMAIL_SEND_POLICY: 'approve' }

  it('becomes a draft, whose body is what will be sent', async () => {
    const room = new MailRoom(approve)
    const outgoing = await room.open()
    const text = '---\nnot: front matter\n---\nHello\r\n\n'
    const result = await outgoing.send({ ...aMail, text, cc: '"Doe, J" <j@example.com>' })
    expect(result).toEqual({
      status: 'pending_approval',
      draft: expect.stringMatching(/^Drafts\/hello-\w+\.md$/),
    })
    const note = readFileSync(join(room.vault, 'draft' in result ? result.draft : ''), 'utf8')
    expect(note).toMatch(/^---\nstatus: pending_approval\nto: jane@example.com\n/)
    expect(note).toContain('Doe, J')
    expect(note.endsWith(`\n---\n${text}`)).toBe(true)
    expect(room.service.taken).toEqual([])
    expect(room.audit()).toEqual([])
  })

  it('becomes one draft for one key', async () => {
    const room = new MailRoom(approve)
    const keyed = { ...aMail, idempotency_key: 'k' }
    const [one, two] = await Promise.all([room.open(), room.open()])
    const drafts = await Promise.all([one.send(keyed), two.send(keyed), one.send(keyed)])
    expect(new Set(drafts.map((draft) => JSON.stringify(draft))).size).toBe(1)
  })

  it('is refused where the policy is misspelled, or the recipient not allowed', async () => {
    const room = new MailRoom()
    await expect(room.open({ AGENTMAIL_SEND_POLICY: 'aprove' })).rejects.toMatchObject({
      code: 'server_config',
    })
    const outgoing = await room.open({ ...approve, AGENTMAIL_SEND_TO: 'example.org' })
    await expect(outgoing.send(aMail)).rejects.toMatchObject({ code: 'permission_denied' })
  })
})
