/** What is checked and written before Postmark is asked at all, through the server. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mail, sharedFake, template, to } from '../support/providers/postmark.ts'
import { PostmarkServer } from '../support/providers/postmark-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const fake = sharedFake()
const mebibyte = 1 << 20
const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64')
const attached = (name: string, content = 'YQ==') => [
  { name, content, contentType: 'application/octet-stream' },
]

describe('a mail that Postmark would not take', () => {
  it('is refused before it is asked', async () => {
    const server = await PostmarkServer.start(fake())
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `a${index}@example.com`).join(', ')
    const cases: [string, object, RegExp][] = [
      ['send_email', { ...mail, to: 'nobody' }, /^Failed to send email: to: "nobody" has no @/],
      ['send_email', { ...mail, to: many(49), cc: many(1), bcc: many(1) }, /: there are 51 recip/],
      ['send_email', { ...mail, textBody: 'x'.repeat(5 * mebibyte + 1) }, /: the text is 5242881 /],
      ['send_email', { ...mail, attachments: attached('a.bin', base64(10)) }, /\.bin are not all/],
      ['send_email', { ...mail, attachments: attached('A.EXE . ') }, /\.exe are not allowed/],
      ['send_email', { ...mail, attachments: attached('a.js\u200b.Vbs::$DATA') }, /\.vbs are not/],
      ['send_email', { ...mail, attachments: attached('x/../a.pdf') }, /must not hold a slash/],
      ['send_email', { ...mail, attachments: attached('a.pdf', 'no base64!') }, /is not base64/],
      ['send_email', { ...mail, subject: 'a\nb' }, /: subject must not contain line breaks/],
      ['send_email', { ...mail, tag: 'a\rb' }, /: tag must not contain line breaks/],
      ['send_email', { ...mail, metadata: { 'a\n': 'b' } }, /: metadata must not contain line/],
      ['send_email', { ...mail, replyTo: 'a@b.example\r\n' }, /: reply-to must not contain line/],
    ]
    for (const [tool, args, told] of cases) {
      expect(await server.fault(tool, args)).toMatch(told)
    }
    expect(fake().requests).toEqual([])
    const most = {
      ...mail,
      to: many(48),
      cc: many(1),
      bcc: many(1),
      attachments: attached('a.tar'),
    }
    expect(await server.call('send_email', most)).toMatchObject({ isError: false })
  })

  it('attaches what is in the vault, and nothing else', async () => {
    const vault = temporaryFolder()
    const bytes = Buffer.from([0, 1, 2, 255])
    mkdirSync(join(vault, 'Invoices'))
    writeFileSync(join(vault, 'Invoices/may ü.pdf'), bytes)
    writeFileSync(join(vault, '.env'), 'SECRET')
    symlinkSync('/etc/hostname', join(vault, 'link.txt'))
    const server = await PostmarkServer.start(fake(), { VAULT_PATH: vault })
    const path = (path: string) => ({ ...mail, attachments: [{ path }] })
    await server.call('send_email', path('Invoices/may ü.pdf'))
    expect(JSON.parse(fake().requests[0]?.body ?? '')).toMatchObject({
      Attachments: [
        { Name: 'may ü.pdf', Content: bytes.toString('base64'), ContentType: 'application/pdf' },
      ],
    })
    for (const bad of ['../x', '/etc/hostname', 'link.txt', '.env', 'Invoices', 'none.pdf', '.']) {
      expect(await server.fault('send_email', path(bad))).toMatch(/^Failed to send email: /)
    }
    expect(fake().requests).toHaveLength(1)
  })
})

describe('a mail to Postmark that a person has to approve', () => {
  it('is a note that holds all of it, and the answer names that', async () => {
    const vault = temporaryFolder()
    const env = { VAULT_PATH: vault, AGENTMAIL_SEND_POLICY: 'approve' }
    const server = await PostmarkServer.start(fake(), env)
    const noteOf = async (tool: string, args: object) => {
      const { text, structured } = await server.call(tool, args)
      const draft = String(structured?.draft)
      expect(structured).toEqual({ status: 'pending_approval', draft })
      expect(text).toBe(`Email not sent yet: it waits for approval in ${draft}`)
      return readFileSync(join(vault, draft), 'utf8')
    }
    const { textBody: _, ...head } = mail
    const plain = await noteOf('send_email', {
      ...mail,
      textBody: '<b>as text</b>',
      cc: 'c@d.example',
    })
    const html = await noteOf('send_email', { ...head, htmlBody: '<b>as HTML</b>', tag: 'x' })
    const both = await noteOf('send_email', {
      ...mail,
      htmlBody: '<b>Hi</b>',
      attachments: attached('a.pdf'),
    })
    const made = await noteOf('send_template_email', {
      ...template,
      templateModel: { name: 'Jane' },
    })
    expect(plain).toMatch(
      /^---\nstatus: pending_approval\nprovider: postmark\nfrom: sender@example.com\nto: recipient@example.com\ncc: c@d.example\n/,
    )
    expect(plain).not.toContain('format: html')
    expect(plain.endsWith('\n---\n<b>as text</b>')).toBe(true)
    expect(html).toContain('format: html')
    expect(html).toContain('tag: x')
    expect(html.endsWith('\n---\n<b>as HTML</b>')).toBe(true)
    expect(both).toContain('html: <b>Hi</b>')
    const kept = /path: (Drafts\/Attachments\/\S+)/.exec(both)?.[1] ?? ''
    expect(readFileSync(join(vault, kept), 'utf8')).toBe('a')
    expect(made).toContain('alias: welcome')
    expect(made).toContain('name: Jane')
    expect(fake().requests).toEqual([])
  })

  it('passes on what Postmark adds to a mail that it took', async () => {
    const server = await PostmarkServer.start(fake())
    const Message = 'Message OK, but will not deliver to these inactive addresses: x@y.example'
    const body = {
      To: to,
      SubmittedAt: '2026-01-15T10:00:00Z',
      MessageID: 'm-1',
      ErrorCode: 0,
      Message,
    }
    fake().faults.push({ status: 200, body })
    const { text, structured } = await server.call('send_email', mail)
    expect(text).toBe(`Email sent successfully to ${to} with ID m-1\n${Message}`)
    expect(structured).toMatchObject({ messageId: 'm-1', remark: Message })
  })
})
