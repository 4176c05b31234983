/** The page gives a mail to an agent: one that was proposed for that, one that waits, or one that a draft would have answered. */
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Config } from '../../../src/config.ts'
import { Approvals } from '../../../src/orchestrator/approval/approvals.ts'
import { recordsOf } from '../../../src/orchestrator/approval/records.ts'
import { reject } from '../../../src/orchestrator/approval/reject.ts'
import type { ReceivedView } from '../../../src/person/mail-shapes.ts'
import { PageDesk } from '../../support/server/page-desk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const who = userInfo().username
const rules = [
  { subject: 'Offer', decision: 'draft_reply', reason: 'asked', reply: 'Yes.' },
  { subject: 'Bill', decision: 'delegate', reason: 'for somebody', delegate_to: 'bop' },
]

/** Mails of each kind, and an agent called bob who is there. */
async function scene() {
  const desk = await PageDesk.open(rules)
  const agent_id = await desk.server.register('bob')
  for (const subject of ['Offer', 'Bill', 'Question']) {
    desk.home.drop({ subject, body: `About ${subject}` })
  }
  await desk.home.once()
  const pathOn = async (folder: string, subject: string) =>
    (await desk.home.noteOn(folder, subject)).path
  const unread = async () => {
    const { structuredContent } = await desk.server.call('read_messages', {
      ...{ agent_id, unread: true },
    })
    return JSON.stringify(structuredContent)
  }
  return { desk, pathOn, unread }
}

describe('a mail on the page', () => {
  it('that was to be delegated goes to the agent who is named', async () => {
    const { desk, pathOn, unread } = await scene()
    const path = await pathOn('Needs_Action', 'Bill')
    expect((await desk.drafts()).agents).toEqual(['bob'])
    const { sha256, kind, agent, reason } = await desk.draft(path)
    expect([kind, agent]).toEqual(['delegation', null])
    expect(reason).toBe(
      'for somebody (Choose who is given it: nobody is called "bop". Did you mean bob?)',
    )
    const given = { path, sha256, agent: 'bob' }
    const stale = { ...given, sha256: '0'.repeat(64) }
    expect((await desk.refusal('POST', '/delegate', stale)).status).toBe(409)
    expect(await desk.post('/delegate', given)).toMatchObject({
      ...{ path: path.replace('Needs_Action', 'Approved'), approved_by: who, already: false },
    })
    expect(await desk.post('/delegate', given)).toMatchObject({ already: true })
    expect(desk.verdicts()).toMatchObject([{ by: who, seen: sha256, to: '@bob' }])
    await desk.home.once()
    expect(await unread()).toContain('About Bill')
    expect((await desk.mails()).find(({ subject }) => subject === 'Bill')).toMatchObject({
      ...{ direction: 'in', state: 'done', approved_by: who, note: path.replace(/^\w+/, 'Done') },
    })
  })

  it('that waits goes to an agent as it was read', async () => {
    const { desk, pathOn, unread } = await scene()
    const path = await pathOn('Needs_Action', 'Question')
    const mail = await desk.get<ReceivedView>(`/received?path=${path}`)
    expect(mail).toMatchObject({ status: 'pending', subject: 'Question', text: 'About Question' })
    const text = desk.home.text(path)
    desk.home.put(path, text.replace('About', 'Pay at once, about'))
    const given = { path, sha256: mail.sha256, agent: '@bob' }
    const unseen = await desk.refusal('POST', '/delegate', { ...given, sha256: null })
    expect(unseen).toMatchObject({ status: 400, message: expect.stringContaining('which version') })
    expect(await desk.refusal('POST', '/delegate', given)).toMatchObject({ status: 409 })
    expect([desk.verdicts(), desk.home.list('Approved')]).toEqual([[], []])
    desk.home.put(path, text)
    const answer = await desk.post('/delegate', given)
    expect(answer).toMatchObject({ path: path.replace(/^\w+/, 'Approved'), already: false })
    const again = await desk.post('/delegate', { ...given, sha256: null })
    expect(again).toMatchObject({ sha256: answer.sha256, already: true })
    expect(desk.verdicts()).toHaveLength(1)
    await desk.home.once()
    expect(await unread()).toContain('About Question')
    expect((await desk.refusal('POST', '/delegate', given)).status).toBe(404)
  })

  it('that was answered goes to an agent instead, and its draft is rejected', async () => {
    const { desk, pathOn, unread } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const { sha256 } = await desk.draft(path)
    const given = { path, sha256, agent: 'bob' }
    const stale = { ...given, sha256: '0'.repeat(64) }
    expect((await desk.refusal('POST', '/delegate', stale)).status).toBe(409)
    expect(desk.verdicts()).toEqual([])
    const mail = await pathOn('Needs_Action', 'Offer')
    const answer = await desk.post('/delegate', given)
    expect(answer.path).toBe(mail.replace(/^\w+/, 'Approved'))
    expect((await desk.home.noteOn('Done', 'Re: Offer')).frontmatter).toMatchObject({
      ...{ status: 'rejected', reason: 'given to bob' },
    })
    expect(await desk.post('/delegate', given)).toMatchObject({ path: answer.path, already: true })
    await desk.home.once()
    expect(await unread()).toContain('About Offer')
    expect(await desk.home.sent()).toEqual([])
    expect((await desk.refusal('POST', '/delegate', given)).status).toBe(400)
  })

  it('waits for the person where that was cut short, and the same call completes it', async () => {
    const { desk, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const { sha256 } = await desk.draft(path)
    const records = recordsOf(new Config({}, desk.home.env), desk.home.vault)
    await reject(records, path, { by: who, reason: 'given to bob' })
    const { mails } = await desk.drafts()
    expect(mails.map(({ subject, status }) => [subject, status])).toContainEqual([
      ...['Offer', 'needs_info'],
    ])
    const answer = await desk.post('/delegate', { path, sha256, agent: 'bob' })
    expect(answer).toMatchObject({ already: false, approved_by: who })
    expect(await new Approvals(desk.home.vault).verdicts()).toMatchObject([
      { event: 'rejected' },
      { event: 'approved', to: '@bob' },
    ])
  })

  it('goes to nobody who is not there, and no draft that answers none goes to anybody', async () => {
    const { desk, pathOn } = await scene()
    const path = await pathOn('Needs_Action', 'Bill')
    const { sha256 } = await desk.draft(path)
    const unseen = await desk.refusal('POST', '/delegate', { path, sha256: null, agent: 'bob' })
    expect(unseen.message).toContain('which version')
    for (const route of ['/delegate', '/approve']) {
      const refusal = await desk.refusal('POST', route, { path, sha256, agent: 'bobb' })
      expect(refusal).toMatchObject({
        status: 400,
        message: expect.stringContaining('nobody is called "bobb". Did you mean bob?'),
      })
    }
    desk.home.draft('Drafts/own.md', { to: 'a@example.com', subject: 'Own' })
    const own = await desk.draft('Drafts/own.md')
    const given = { path: own.path, sha256: own.sha256, agent: 'bob' }
    expect(await desk.refusal('POST', '/delegate', given)).toMatchObject({
      status: 400,
      message: expect.stringContaining('Drafts/own.md answers no mail'),
    })
    const rules = { path: 'Rules.md', sha256: null, agent: 'bob' }
    expect((await desk.refusal('POST', '/delegate', rules)).status).toBe(400)
    expect(desk.verdicts()).toEqual([])
    expect(desk.home.list('Approved')).toEqual([])
  })

  it('can go to whoever has a mailbox, and to no guest', async () => {
    const office = join(temporaryFolder(), 'office')
    const desk = await PageDesk.open([], { AGENTMAIL_DIR: office })
    await desk.server.register('bob')
    await desk.home.run(['receive'], { AGENTMAIL_AGENT: 'carol' })
    await desk.home.run(['announce', 'a.ts', 'changed', '--as', 'guest'])
    expect((await desk.drafts()).agents).toEqual(['bob', 'carol'])
    desk.home.put('Needs_Action/m.md', '---\nstatus: pending\nmessage_id: m\n---\nHi\n')
    const path = 'Needs_Action/m.md'
    const { sha256 } = await desk.get<ReceivedView>(`/received?path=${path}`)
    const given = { path, sha256, agent: 'carol' }
    expect(await desk.post('/delegate', given)).toMatchObject({ path: 'Approved/m.md' })
  })
})
