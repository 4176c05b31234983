/** The page and mails: what came in and went out, what is attached to a draft, and what nobody knows of. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import { sha256 as hashed } from '../../../src/system/text.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

const who = userInfo().username

/** A mail of which nobody knows whether it has left. */
async function unknownSend(desk: PageDesk, subject: string): Promise<string> {
  const ledger = await openLedger(new Config({}, desk.home.env))
  const { record } = await ledger.begin({
    ...{ scope: 's', key: subject, content_hash: subject, provider: 'local', subject },
    recipients: ['paul@example.com'],
  })
  const sending = await ledger.sending(record, { subject })
  await ledger.settle(sending, 'unknown', { reason: 'it did not answer' })
  await ledger.close()
  return record.id
}

describe('the mails on the page', () => {
  it('are those that came in and those that went out, each once and with what became of it', async () => {
    const rules = [{ subject: 'Offer', decision: 'draft_reply', reason: 'asked', reply: 'Yes.' }]
    const desk = await PageDesk.open(rules)
    const { home } = desk
    home.drop({ subject: 'Offer', body: 'Well?' })
    home.drop({ subject: 'Question', body: 'Why?', date: 'Fri, 01 Jan 2100 00:00:00 GMT' })
    await home.once()
    const path = (await home.noteOn('Drafts', 'Re: Offer')).path
    const { sha256 } = await desk.draft(path)
    const stateOf = async (wanted: string) =>
      (await desk.mails()).filter(({ subject }) => subject === wanted)
    expect(await stateOf('Re: Offer')).toMatchObject([{ state: 'waits', note: path, audit: null }])
    await desk.approve(path)
    expect(await stateOf('Re: Offer')).toMatchObject([
      { state: 'approved', approved_by: who, approved_sha256: sha256, direction: 'out' },
    ])
    await home.once()
    expect(await stateOf('Re: Offer')).toMatchObject([
      {
        ...{ state: 'sent', note: path.replace('Drafts', 'Done'), to: 'jane@example.com' },
        ...{ approved_by: who, approved_sha256: sha256, provider: 'local' },
        send_id: expect.any(String),
        message_id: expect.any(String),
        audit: { to: 'jane@example.com', subject: 'Re: Offer', body_preview: 'Yes.\n' },
      },
    ])
    expect(await stateOf('Offer')).toMatchObject([{ direction: 'in', state: 'done' }])
    const [question] = await stateOf('Question')
    expect(question).toMatchObject({ state: 'pending', message_id: expect.any(String) })
    expect(Date.parse(question?.at ?? '')).toBeLessThanOrEqual(Date.now())
    home.draft('Drafts/no.md', { to: 'a@example.com', subject: 'No' })
    const no = await desk.draft('Drafts/no.md')
    await desk.post('/reject', { path: 'Drafts/no.md', sha256: no.sha256, reason: 'not so' })
    expect(await stateOf('No')).toMatchObject([{ state: 'rejected', reason: 'not so' }])
    const times = (await desk.mails()).map(({ at }) => at)
    expect(times).toEqual([...times].sort().reverse())
    expect((await desk.get<{ mails: [] }>('/mail?limit=2')).mails).toHaveLength(2)
    for (const limit of ['0', '1001', 'many', '1.5']) {
      expect((await desk.refusal('GET', `/mail?limit=${limit}`)).status).toBe(400)
    }
  })

  it('are one where a tool has asked for approval', async () => {
    const desk = await PageDesk.open([], { AGENTMAIL_SEND_POLICY: 'approve' })
    const words = ['--to', 'paul@example.com', '--subject', 'Lunch', '--body', 'At noon?']
    await desk.home.run(['mail', 'send', ...words])
    const [path = ''] = desk.home.list('Drafts')
    expect(await desk.mails()).toMatchObject([{ state: 'waits', note: path, subject: 'Lunch' }])
    await desk.approve(path)
    await desk.home.once()
    expect(await desk.mails()).toMatchObject([{ state: 'sent', subject: 'Lunch' }])
    desk.home.removeIfThere(path.replace('Drafts', 'Done'))
    expect(await desk.mails()).toMatchObject([{ state: 'sent', subject: 'Lunch' }])
  })

  it('of which nobody knows are settled by a word', async () => {
    const desk = await PageDesk.open()
    const [one, other] = [await unknownSend(desk, 'one'), await unknownSend(desk, 'other')]
    expect(await desk.mails()).toMatchObject([
      { state: 'unknown', send_id: other, subject: 'other', reason: 'it did not answer' },
      { state: 'unknown', send_id: one },
    ])
    const settled = await desk.post<object>('/settle', { id: one, outcome: 'sent' })
    expect(settled).toMatchObject({ id: one, state: 'sent', to: ['paul@example.com'] })
    await desk.post('/settle', { id: other, outcome: 'not-sent' })
    expect((await desk.mails()).map(({ state }) => state).sort()).toEqual(['failed', 'sent'])
    const again = await desk.refusal('POST', '/settle', { id: one, outcome: 'sent' })
    expect(again).toMatchObject({ status: 409, message: expect.stringContaining('nothing to') })
    const unknown = { id: 'none', outcome: 'sent' }
    expect((await desk.refusal('POST', '/settle', unknown)).status).toBe(404)
    const wrong = { id: one, outcome: 'maybe' }
    expect((await desk.refusal('POST', '/settle', wrong)).status).toBe(400)
    const third = await unknownSend(desk, 'third')
    const asked = await desk.refusal('POST', '/settle', { id: third })
    expect(asked.message).toContain('cannot say whether')
  })
})

describe('an attachment on the page', () => {
  const files: Record<string, string> = {
    'a.txt': 'plain',
    'b.html': '<script>alert(1)</script>',
    'c.svg': '<svg onload="alert(1)"/>',
    'd.png': '\x89PNG\r\n\x1a\nrest',
    'e.png': '<script>alert(1)</script>',
    'f.pdf': '%PDF-1.7',
    'g"; x=\'\u202egnp.exe': 'MZ',
    'h.webp': 'RIFF\n\0\0\0WEBPVP8 ',
  }

  async function withFiles() {
    const desk = await PageDesk.open()
    mkdirSync(join(desk.home.root, 'Files'))
    const names = Object.keys(files)
    names.forEach((name, index) => {
      const bytes = Buffer.from(files[name] ?? '', 'latin1')
      writeFileSync(join(desk.home.root, `Files/${index}.bin`), bytes)
    })
    const types: Record<string, string> = { 'a.txt': 'text/plain', 'b.html': 'text/html' }
    const attachments = names.map((name, index) => ({
      path: `Files/${index}.bin`,
      name,
      content_type: types[name] ?? (name.endsWith('.svg') ? 'image/svg+xml' : 'image/png'),
    }))
    desk.home.draft('Drafts/x.md', { to: 'a@example.com', subject: 'x', attachments })
    return { desk, names, draft: await desk.draft('Drafts/x.md') }
  }

  it('is given as nothing that a browser runs', async () => {
    const { desk, names, draft } = await withFiles()
    expect(draft.attachments.map(({ name }) => name)).toEqual(names)
    const shown: Record<string, string[]> = {}
    for (const [index, { name, sha256, size }] of draft.attachments.entries()) {
      const reply = await desk.attachment('Drafts/x.md', index, sha256)
      expect(reply).toMatchObject({
        status: 200,
        headers: {
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'content-length': String(size),
        },
      })
      const [how = ''] = (reply.headers['content-disposition'] ?? '').split(';')
      shown[name] = [how, reply.headers['content-type'] ?? '']
    }
    const file = ['attachment', 'application/octet-stream']
    const text = ['inline', 'text/plain; charset=utf-8']
    expect(Object.values(shown)).toEqual([
      ...[text, text, file, ['inline', 'image/png'], file, file, file, ['inline', 'image/webp']],
    ])
    const evil = await desk.attachment('Drafts/x.md', 6, draft.attachments[6]?.sha256 ?? '')
    expect(evil.headers['content-disposition']).toBe(
      "attachment; filename*=UTF-8''g%22%3B%20x%3D%27_gnp.exe",
    )
  })

  it('is given only as it was seen', async () => {
    const { desk, draft } = await withFiles()
    const [{ sha256 = null } = {}] = draft.attachments
    expect((await desk.attachment('Drafts/x.md', 0, sha256)).text).toBe('plain')
    expect((await desk.attachment('Drafts/x.md', 1, sha256)).status).toBe(409)
    expect((await desk.attachment('Drafts/x.md', 8, sha256)).status).toBe(404)
    for (const index of [-1, 0.5]) {
      expect((await desk.attachment('Drafts/x.md', index, sha256)).status).toBe(400)
    }
    desk.home.put('Files/0.bin', 'other')
    const changed = await desk.attachment('Drafts/x.md', 0, sha256)
    expect([changed.status, changed.text]).toEqual([
      ...[409, expect.stringContaining('a.txt is not what you have seen')],
    ])
    expect((await desk.attachment('Drafts/x.md', 0, hashed('other'))).status).toBe(200)
    const approval = { path: 'Drafts/x.md', sha256: draft.sha256 }
    expect((await desk.refusal('POST', '/approve', approval)).status).toBe(409)
    desk.home.remove('Files/0.bin')
    expect((await desk.attachment('Drafts/x.md', 0, sha256)).status).toBe(404)
    const outside = { to: 'a@example.com', subject: 'x', attachments: ['../outside.txt'] }
    desk.home.draft('Drafts/y.md', outside)
    expect((await desk.attachment('Drafts/y.md', 0, sha256)).status).toBe(400)
  })
})
