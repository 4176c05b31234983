/** What a reader of mail gets: hostile mails come out harmless, ordinary ones whole. */
import { Socket } from 'node:net'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unfenced } from '../../src/email/fence.ts'
import { getEmail, listEmails } from '../../src/email/reading.ts'
import type { IncomingMail } from '../../src/providers/provider.ts'
import { hostileMails } from '../support/email/hostile-mails.ts'
import { ordinaryMails } from '../support/email/ordinary-mails.ts'
import { emailOf, inboxOf } from '../support/email/read-mail.ts'

async function parsed(raw: string): Promise<IncomingMail> {
  const { subject = '', from, to, text, html, attachments } = await PostalMime.parse(raw)
  return {
    id: '1',
    subject,
    sender: `${from?.name} <${from?.address}>`,
    to: String(to?.[0]?.address),
    date: '2026-01-05T10:00:00.000Z',
    text,
    html,
    attachment_names: attachments.map(({ filename }) => filename ?? ''),
  }
}

describe('reading hostile mail', () => {
  const calls: unknown[] = []
  const { fetch } = globalThis
  const { connect } = Socket.prototype
  beforeAll(() => {
    globalThis.fetch = async (...call) => {
      calls.push(call)
      throw new Error('nothing may be fetched')
    }
    Socket.prototype.connect = function (...call: unknown[]) {
      calls.push(call)
      return this
    }
  })
  afterAll(() => {
    globalThis.fetch = fetch
    Socket.prototype.connect = connect
  })

  const mails = hostileMails()

  it('has some 200 mails to try, of which no two are the same', () => {
    expect(new Set(mails.map(({ raw }) => raw)).size).toBe(mails.length)
    expect(mails.length).toBeGreaterThan(200)
  })

  it('shows what a person sees, hides what is hidden, and fences all of it', async () => {
    const wrong: string[] = []
    for (const { name, raw, secret, visible } of mails) {
      const mail = await parsed(raw)
      const email = await getEmail(inboxOf(mail), '1')
      const { emails } = await listEmails(inboxOf(mail), { query: '', max_results: 1 })
      const lines = [
        email.subject,
        email.sender,
        ...emails.map((head) => Object.values(head).join('|')),
      ]
      const shown = unfenced(email.body)
      if (shown === email.body) wrong.push(`${name}: not fenced`)
      if (!shown.includes(visible)) wrong.push(`${name}: lost ${visible}`)
      // A snippet is the service's own choice of words: only its characters are ours to judge.
      const isMarker = secret?.startsWith('hidden')
      const all = isMarker ? [email.body] : [email.body, ...lines]
      if (secret && all.join('|').includes(secret)) wrong.push(`${name}: shows ${secret}`)
      if (lines.some((line) => line.includes('\n'))) wrong.push(`${name}: several lines`)
    }
    expect(wrong).toEqual([])
    expect(calls).toEqual([])
  })

  it('is tried with secrets that the mails do hold', async () => {
    for (const { name, raw, secret } of mails) {
      const { text = '', html = '', subject } = await parsed(raw)
      if (secret) expect(text + html + subject, name).toContain(secret)
    }
  })
})

describe('reading ordinary mail', () => {
  it('keeps every word that a person sees', async () => {
    for (const { name, html, visible, hidden = [] } of ordinaryMails) {
      const { body } = await emailOf({ html })
      for (const words of visible) expect(body, name).toContain(words)
      for (const words of hidden) expect(body, name).not.toContain(words)
    }
  })

  it('prefers the text part, and takes the HTML where that has nothing to see', async () => {
    expect((await emailOf({ text: 'plain', html: '<p>rich</p>' })).body).toContain('plain')
    expect((await emailOf({ text: ' \u200b\n', html: '<p>rich</p>' })).body).toContain('rich')
    expect(unfenced((await emailOf({})).body)).toBe('')
  })

  it('cuts a long body and says so', async () => {
    const whole = await emailOf({ text: 'word '.repeat(1000) })
    expect(whole).not.toHaveProperty('truncated')
    const cut = await emailOf({ text: 'word '.repeat(100_000) })
    expect(cut.truncated).toBe(true)
    expect(cut.body.length).toBeLessThanOrEqual(100_000)
    expect((await emailOf({ html: `<p>a${' '.repeat(2_000_000)}</p>b` })).truncated).toBe(true)
  })

  it('makes one bounded line of every name', async () => {
    const email = await emailOf({
      subject: 's'.repeat(5000),
      sender: 'Jane\r\nBcc: eve',
      attachment_names: ['in\u202evoice\n.pdf', 'n'.repeat(5000)],
    })
    expect(email.subject.length).toBe(1000)
    expect(email.sender).toBe('Jane Bcc: eve')
    expect(email.has_attachments).toBe(true)
    expect(email.attachment_names[0]).toBe('invoice .pdf')
    expect(email.attachment_names[1]?.length).toBe(255)
  })

  it('lists heads with snippets of 200 characters, and the token of the next page', async () => {
    const inbox = inboxOf(await parsed(`Subject: Hi\r\n\r\n${'long '.repeat(100)}`))
    const list = await listEmails(inbox, { query: 'is:unread', max_results: 10 })
    expect(list.next_page_token).toBe('more')
    expect(list.emails[0]?.subject).toBe('Hi')
    expect(list.emails[0]?.snippet.length).toBeLessThanOrEqual(200)
    expect(Object.keys(list.emails[0] ?? {})).toEqual([
      'id',
      'subject',
      'sender',
      'date',
      'snippet',
    ])
  })
})
