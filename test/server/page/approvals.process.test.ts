/** The page and drafts: what is on the screen is what is approved, changed or rejected, or nothing is. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { DraftView } from '../../../src/person/mail-shapes.ts'
import { hostilePaths } from '../../support/hostile-paths.ts'
import { PageDesk } from '../../support/server/page-desk.ts'
import { PageVisitor } from '../../support/server/page-visitor.ts'
import { TestServer } from '../../support/server/server.ts'

const who = userInfo().username
const lunch = {
  status: 'pending_approval',
  to: 'paul@example.com',
  subject: 'Lunch',
}

/** A reply that the orchestrator has drafted to a mail. */
async function withReply() {
  const desk = await PageDesk.open([
    { subject: 'Offer', decision: 'draft_reply', reason: 'asked', reply: 'Dear Jane,\nyes.\n' },
  ])
  desk.home.drop({ subject: 'Offer', body: 'Well?' })
  await desk.home.once()
  const [path = ''] = desk.home.list('Drafts')
  return { desk, path }
}

describe('a draft on the page', () => {
  it('is listed and shown with everything that would leave', async () => {
    const { desk, path } = await withReply()
    const { drafts, mails, faults } = await desk.drafts()
    expect([mails, faults]).toEqual([[], []])
    const draft = await desk.draft(path)
    expect(drafts).toEqual([
      {
        ...{ path, kind: 'mail', status: 'pending_approval', to: 'jane@example.com' },
        ...{ subject: 'Re: Offer', version: draft.sha256?.slice(0, 16), at: draft.at },
        ...{ priority: null, agent: null, approved_by: null, standing: null },
        ...{ sent_at: null, problem: null, proposed_by: 'orchestrator' },
      },
    ])
    expect(draft).toMatchObject({
      body: 'Dear Jane,\nyes.\n',
      answers: { subject: 'Offer', text: 'Well?' },
      ...{ changed: [], proposed: null, attachments: [], cc: null, html: null },
    })
    expect(Object.keys(draft)).toEqual(expect.arrayContaining(['etag', 'postmark', 'reply_to']))
  })

  it('goes out as it was on the screen, with who approved it and what', async () => {
    const { desk, path } = await withReply()
    const { sha256 } = await desk.draft(path)
    const approved = await desk.post('/approve', { path, sha256 })
    expect(approved).toMatchObject({
      ...{ path: path.replace('Drafts', 'Approved'), sha256, approved_by: who, already: false },
      note: 'agentmail orchestrate sends it: none seems to run.',
    })
    expect(await desk.post('/approve', { path, sha256 })).toMatchObject({ already: true })
    expect(desk.verdicts()).toMatchObject([{ event: 'approved', by: who, sha256, seen: sha256 }])
    await desk.home.once()
    const [sent] = await desk.home.sent()
    expect([sent?.subject, sent?.text?.trim(), sent?.to?.[0]?.address]).toEqual([
      'Re: Offer',
      'Dear Jane,\nyes.',
      'jane@example.com',
    ])
  })

  it('that has changed since is not approved, and the answer says what has', async () => {
    const { desk, path } = await withReply()
    const { sha256 } = await desk.draft(path)
    const before = desk.home.text(path)
    desk.home.put(path, before.replace('subject:', 'bcc: eve@example.net\nsubject:'))
    const now = await desk.draft(path)
    const refusal = await desk.refusal('POST', '/approve', { path, sha256 })
    expect(refusal).toMatchObject({
      status: 409,
      data: { code: 'conflict', version: now.version, changed: ['bcc'] },
    })
    expect(refusal.message).toContain('Changed since it was drafted: bcc')
    expect(desk.home.list('Approved')).toEqual([])
    expect(desk.verdicts()).toEqual([])
  })

  it('is told of when somebody is there who sends', async () => {
    const desk = await PageDesk.open([], { AGENTMAIL_POLL_SECONDS: '600' })
    desk.home.draft('Drafts/lunch.md', lunch)
    const running = desk.home.start()
    await running.line('at work on')
    expect(await desk.approve('Drafts/lunch.md')).not.toHaveProperty('note')
  })

  it('that may not go to somebody says so before it is approved', async () => {
    const desk = await PageDesk.open([], { AGENTMAIL_SEND_TO: 'example.org' })
    desk.home.draft('Drafts/lunch.md', lunch)
    const { problem, sha256 } = await desk.draft('Drafts/lunch.md')
    expect(problem).toBe('it cannot be sent: mail may not go to paul@example.com')
    const refusal = await desk.refusal('POST', '/approve', { path: 'Drafts/lunch.md', sha256 })
    expect(refusal.status).toBe(400)
    expect(desk.home.list('Approved')).toEqual([])
  })

  it('is rejected as it was seen, for a reason', async () => {
    const { desk, path } = await withReply()
    const { sha256 } = await desk.draft(path)
    const old = { path, sha256: '0'.repeat(64), reason: 'no' }
    expect(await desk.refusal('POST', '/reject', old)).toMatchObject({
      status: 409,
      data: { version: sha256?.slice(0, 16) },
    })
    expect((await desk.refusal('POST', '/reject', { ...old, sha256: null })).status).toBe(409)
    for (const reason of ['', '  ', 'x'.repeat(1001)]) {
      expect((await desk.refusal('POST', '/reject', { path, sha256, reason })).status).toBe(400)
    }
    expect([desk.home.list('Drafts'), desk.verdicts()]).toEqual([[path], []])
    const done = path.replace('Drafts', 'Done')
    const rejected = await desk.post('/reject', { path, sha256, reason: 'not\nnow' })
    expect(rejected).toMatchObject({ path: done, status: 'rejected', reason: 'not now' })
    expect(desk.verdicts()).toMatchObject([{ event: 'rejected', by: who, reason: 'not now' }])
    expect((await desk.drafts()).mails).toMatchObject([{ status: 'needs_info', subject: 'Offer' }])
    desk.home.put('Drafts/bad.md', '---\nto: nobody at all\n---\nHi\n')
    const bad = await desk.draft('Drafts/bad.md')
    expect([bad.sha256, bad.version]).toEqual([null, null])
    const word = { path: 'Drafts/bad.md', sha256: null, reason: 'no address' }
    expect(await desk.post('/reject', word)).toMatchObject({ path: 'Done/bad.md' })
  })
})

describe('an edit on the page', () => {
  const fieldsOf = ({ path, etag, to, cc, bcc, subject, body }: DraftView) => ({
    ...{ path, etag, to: to ?? '', cc: cc ?? '', bcc: bcc ?? '', subject, body },
  })

  it('writes what differs and keeps every other byte', async () => {
    const desk = await PageDesk.open()
    const text =
      '---\r\n# mine\r\nto: [ "paul@example.com" , ann@example.com ] # both\r\nsubject:   \'Lunch\'\r\ncc: x@example.com\r\ntags: [a,   b]\r\n---\r\nAt noon?\r\nYes.\r\n'
    desk.home.put('Drafts/lunch.md', text)
    const seen = await desk.draft('Drafts/lunch.md')
    // As a browser gives a text back.
    const given = { ...fieldsOf(seen), body: seen.body.replaceAll('\r\n', '\n') }
    expect(await desk.post<DraftView>('/edit', given)).toEqual(seen)
    expect(desk.home.text('Drafts/lunch.md')).toBe(text)
    const changed = { ...given, cc: '', subject: 'Dinner', body: 'At eight?\nYes.\n' }
    const view = await desk.post<DraftView>('/edit', changed)
    expect(view).toMatchObject({ cc: null, subject: 'Dinner', body: 'At eight?\r\nYes.\r\n' })
    expect(desk.home.text('Drafts/lunch.md')).toBe(
      text
        .replace("'Lunch'", 'Dinner')
        .replace('cc: x@example.com\r\n', '')
        .replace('At noon?', 'At eight?'),
    )
    const stale = await desk.refusal('POST', '/edit', changed)
    expect(stale).toMatchObject({ status: 409, data: { code: 'conflict', etag: view.etag } })
    expect(stale.message).toContain('has changed since it was read')
  })

  it('shows beside it what was proposed', async () => {
    const { desk, path } = await withReply()
    const seen = await desk.draft(path)
    const view = await desk.post<DraftView>('/edit', { ...fieldsOf(seen), body: 'No.\n' })
    expect(view).toMatchObject({ body: 'No.\n', changed: ['body'], proposed: { body: seen.body } })
    expect(view.proposed).toEqual({
      ...{ to: 'jane@example.com', cc: '', bcc: '', subject: 'Re: Offer', body: seen.body },
    })
    expect(await desk.draft(path)).toEqual(view)
    await desk.approve(path)
    await desk.home.once()
    expect((await desk.home.sent())[0]?.text?.trim()).toBe('No.')
  })

  it('is saved with what is wrong with it', async () => {
    const { desk, path } = await withReply()
    const seen = fieldsOf(await desk.draft(path))
    const other = await desk.post<DraftView>('/edit', { ...seen, subject: 'Else' })
    expect(other.problem).toContain('under the subject of the mail that it answers: "Re: Offer"')
    const wrong = { ...seen, etag: other.etag, to: 'no address' }
    const view = await desk.post<DraftView>('/edit', wrong)
    expect([view.to, view.sha256]).toEqual(['no address', null])
    expect(view.problem).toMatch(/^it cannot be sent: /)
    const nobody = await desk.refusal('POST', '/edit', { ...seen, etag: view.etag, to: ' ' })
    expect(nobody).toMatchObject({ status: 400, message: expect.stringContaining('names nobody') })
  })

  it('is refused of what does not wait, and of the mail of somebody else', async () => {
    const desk = await PageDesk.open()
    const texts = { to: 'a@example.com', cc: '', bcc: '', subject: 'x', body: 'x' }
    const mail = '---\nmessage_id: m1\ntriage: delegate\nstatus: pending_approval\n---\nHi\n'
    desk.home.put('Needs_Action/mail.md', mail)
    desk.home.draft('Approved/lunch.md', lunch)
    for (const status of ['sent', 'unknown', 'rejected', 'done']) {
      desk.home.draft(`Drafts/${status}.md`, { ...lunch, status })
    }
    for (const path of ['Needs_Action/mail.md', 'Approved/lunch.md', ...desk.home.list('Drafts')]) {
      const before = desk.home.text(path)
      const { etag } = await desk.draft(path)
      expect(await desk.refusal('POST', '/edit', { path, etag, ...texts })).toMatchObject({
        status: 400,
      })
      expect(desk.home.text(path)).toBe(before)
    }
  })
})

describe('hostile notes on the page', () => {
  it('come through as text, in every field', async () => {
    const desk = await PageDesk.open()
    const evil = '<img src=x onerror=alert(1)>\u202e\u200b"\'`&amp;</script>'
    const fields = { ...lunch, subject: evil, priority: evil, reason: evil, proposed_by: evil }
    desk.home.draft('Drafts/evil.md', fields, `${evil}\n`)
    const view = await desk.draft('Drafts/evil.md')
    expect([view.subject, view.body, view.priority, view.reason]).toEqual([
      ...[evil, `${evil}\n`, evil, evil],
    ])
    expect(view.proposed_by).toBeNull()
    const reply = await desk.call('GET', '/drafts')
    expect(reply.headers['content-type']).toBe('application/json')
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
  })

  it('are not looked for outside of the vault', async () => {
    const desk = await PageDesk.open()
    const sha256 = '0'.repeat(64)
    const outside = join(desk.home.folder, 'outside.md')
    writeFileSync(outside, '---\nto: eve@example.net\n---\nHi\n')
    symlinkSync(outside, join(desk.home.root, 'Drafts/link.md'))
    for (const path of ['Drafts/link.md', outside, ...hostilePaths().slice(0, 60)]) {
      for (const route of ['/draft', '/received']) {
        const refusal = await desk.refusal('GET', `${route}?path=${encodeURIComponent(path)}`)
        expect([400, 404]).toContain(refusal.status)
      }
      const refusal = await desk.refusal('POST', '/approve', { path, sha256 })
      expect([400, 404]).toContain(refusal.status)
    }
  })

  it('are none where there is no vault, and told of where it cannot be read', async () => {
    const server = await TestServer.start({ env: { VAULT_PATH: undefined } })
    const visitor = await PageVisitor.enter(server.url)
    const at = (path: string) => visitor.get(path)
    expect(JSON.parse((await at('/drafts')).text)).toEqual({
      ...{ drafts: [], mails: [], faults: [], agents: [] },
    })
    expect(JSON.parse((await at('/mail')).text)).toEqual({ mails: [], faults: [] })
    expect(await at('/draft?path=Drafts/a.md')).toMatchObject({
      status: 400,
      text: expect.stringContaining('VAULT_PATH is not set'),
    })
    const lost = await PageDesk.open()
    lost.home.remove('.')
    expect((await lost.drafts()).faults).toMatchObject([
      { message: expect.stringContaining('there is no vault at') },
    ])
  })
})
