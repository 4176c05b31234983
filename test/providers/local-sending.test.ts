/** What is sent by local mail: whole .eml files. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isNotSent } from '../../src/errors.ts'
import { keyHeader } from '../../src/mime/compose.ts'
import { openLocalMail } from '../../src/providers/local/local.ts'
import type { OutgoingMail } from '../../src/providers/provider.ts'
import { never } from '../support/email/outgoing-mail.ts'
import { emptyMail, LocalFolder, mail } from '../support/providers/local-folder.ts'

describe('sending', () => {
  const asked: Partial<OutgoingMail> = {
    from: { name: 'Zoë "Z" Doe', address: 'zoe@example.com' },
    to: [
      { name: 'Bob', address: 'bob@example.com' },
      { name: '', address: 'eve@example.com' },
    ],
    bcc: [{ name: '', address: 'hidden@example.com' }],
    subject: `Grüße & € ${'lang '.repeat(30)}`.trim(),
    text: 'Zeile eins\n.\nFrom here: =3D €\n  two  blanks \n\nEnde',
    html: '<p>Größe</p>',
    attachments: [
      { name: 'Übersicht.txt', content: Buffer.from('x'), contentType: 'text/plain' },
      { name: 'm.eml', content: Buffer.from('Subject: x\n\ny'), contentType: 'message/rfc822' },
    ],
    key: 'key-1',
  }

  it('writes a file that reads as what was asked', async () => {
    const folder = new LocalFolder()
    const receipt = await folder.send(asked)
    const got = await folder.inbox.get(receipt.message_id)
    expect({ ...got, text: got.text?.trimEnd(), html: got.html?.trimEnd() }).toEqual({
      id: receipt.message_id,
      subject: asked.subject,
      sender: '"Zoë \\"Z\\" Doe" <zoe@example.com>',
      to: 'Bob <bob@example.com>, eve@example.com',
      date: receipt.sent_at,
      text: asked.text,
      html: asked.html,
      attachment_names: ['Übersicht.txt', 'm.eml'],
      others: [],
      isComplete: true,
    })
    const [name = '', ...others] = folder.sent()
    expect(others).toEqual([])
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-grusse-lang-[a-z-]+-\w{10}\.eml$/)
    expect(name.length).toBeLessThanOrEqual(100)
    expect(statSync(join(folder.path, 'sent', name)).mode & 0o777).toBe(0o600)
    const raw = readFileSync(join(folder.path, 'sent', name), 'latin1')
    expect(raw.toLowerCase()).toContain(`${keyHeader.toLowerCase()}: key-1\r\n`)
    expect(raw).toContain('Bcc: hidden@example.com\r\n')
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('says from whom, and takes any subject for a name', async () => {
    const from = { name: 'Me', address: 'me@example.com' }
    for (const [options, sender] of [
      [{}, 'agentmail@localhost'],
      [{ from }, 'Me <me@example.com>'],
    ] as const) {
      const folder = new LocalFolder(options)
      for (const subject of ['', '../../etc', '.hidden', '日本語', 'x'.repeat(900)]) {
        const { message_id } = await folder.send({ subject })
        expect(await folder.inbox.get(message_id)).toMatchObject({ subject, sender })
      }
      expect(folder.sent().every((name) => /^[\w-]{10,96}\.eml$/.test(name))).toBe(true)
      expect(folder.sent()).toHaveLength(5)
    }
  })

  it('keeps the thread of a reply', async () => {
    const folder = new LocalFolder()
    const threads: Record<string, Record<string, string>> = {
      begins: { 'Message-ID': '<a@x>' },
      answers: { 'Message-ID': '<b@x>', 'In-Reply-To': '<a@x>' },
      later: { 'Message-ID': '<c@x>', References: '<a@x> <b@x>', 'In-Reply-To': '<b@x>' },
    }
    const ids = new Set<string | undefined>()
    for (const [Subject, headers] of Object.entries(threads)) {
      folder.drop(`${Subject}.eml`, mail({ Subject, ...headers }))
      const original = await folder.inbox.original(await folder.idOf(Subject))
      expect(original).toMatchObject({ subject: Subject, message_id: headers['Message-ID'] })
      const { thread_id, message_id } = await folder.send({ original })
      ids.add(original.thread_id).add(thread_id)
      const reply = await folder.inbox.original(message_id)
      expect(reply.thread_id).toBe(thread_id)
      expect(reply.references.at(0)).toBe('<a@x>')
      expect(reply.references.at(-1)).toBe(original.message_id)
    }
    expect(ids.size).toBe(1)
    folder.drop('none.eml', mail({ Subject: 'none' }))
    const none = await folder.inbox.original(await folder.idOf('none'))
    expect(none).toMatchObject({ message_id: '', references: [] })
    expect((await folder.send({ original: none })).thread_id).toBe(none.thread_id)
  })

  it('is found again by its key', async () => {
    const folder = new LocalFolder()
    const trace = { to: [], subject: '', since: 0 }
    const receipt = await folder.send(asked)
    await folder.send({ key: 'key-2' })
    const other = openLocalMail(folder.path)
    expect(await other.find?.({ key: 'key-1', ...trace }, never)).toEqual(receipt)
    expect(await other.find?.({ key: 'key', ...trace }, never)).toBeUndefined()
  })

  it('says for certain that nothing was sent where nothing could be written', async () => {
    const folder = new LocalFolder()
    const aborted = folder.provider.send(emptyMail, AbortSignal.abort())
    expect(isNotSent(await aborted.catch((error) => error))).toBe(true)
    expect(folder.sent()).toEqual([])
    rmSync(join(folder.path, 'sent'), { recursive: true })
    writeFileSync(join(folder.path, 'sent'), '')
    const error: unknown = await folder.send().catch((thrown) => thrown)
    expect(isNotSent(error)).toBe(true)
    expect(error).toMatchObject({ code: 'send_failed' })
  })
})
