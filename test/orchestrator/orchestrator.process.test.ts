/** What becomes of a mail, from the inbox to Done/, whoever decides about it. */
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { sharedLlm } from '../support/orchestrator/fake-llm.ts'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'

const llm = sharedLlm()

const reply = 'Dear Jane,\n\nyes — “gladly”.\n\nAnna\n'
const decisions = [
  { decision: 'draft_reply', reason: 'A question', reply },
  { decision: 'urgent', reason: 'It burns', reply: 'At once.' },
  { decision: 'archive', reason: 'News' },
  { decision: 'needs_info', reason: 'Which order?' },
  { decision: 'delegate', reason: 'For the books', delegate_to: 'bookkeeper' },
]
const rules = decisions.map((one) => ({ subject: `about ${one.decision}`, ...one }))

describe.each(['rules', 'anthropic', 'openai'] as const)('mail that %s decide about', (who) => {
  it('becomes what was decided, with a draft that waits for approval', async () => {
    const env = who === 'rules' ? {} : llm().env(who)
    const home = await OrchestratorHome.make(who === 'rules' ? rules : [], env)
    // Notes are worked in the order of their names.
    const inOrder = decisions.toSorted((a, b) =>
      slugged(a.decision) < slugged(b.decision) ? -1 : 1,
    )
    for (const one of inOrder) {
      home.drop({ subject: `about ${one.decision}` })
      llm().told.push({ says: JSON.stringify(one) })
    }
    const { exitCode, stderr, events } = await home.once()
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(events.at(-1)).toMatchObject({ event: 'summary', ingested: 5, triaged: 5, drafted: 2 })

    const statuses: [string, string, string][] = [
      ['draft_reply', 'Needs_Action', 'drafted'],
      ['urgent', 'Needs_Action', 'drafted'],
      ['archive', 'Done', 'done'],
      ['needs_info', 'Needs_Action', 'needs_info'],
      ['delegate', 'Needs_Action', 'pending_approval'],
    ]
    for (const [decision, folder, status] of statuses) {
      const { reason } = decisions.find((one) => one.decision === decision) ?? {}
      const { frontmatter, body } = await home.noteOn(folder, `about ${decision}`)
      expect(frontmatter).toMatchObject({
        status,
        from: 'Jane Doe <jane@example.com>',
        to: 'bob@example.com',
        triage: decision,
        reason: expect.stringContaining(reason ?? ''),
      })
      expect(body).toMatch(/^```text\n/)
      expect(body.includes('## Delegation')).toBe(decision === 'delegate')
      expect(frontmatter).not.toHaveProperty('delegate_to') // nobody is there
    }
    expect(home.list('Needs_Action')).toHaveLength(4)

    const mail = await home.noteOn('Needs_Action', 'about draft_reply')
    const draft = await home.noteOn('Drafts', 'Re: about draft_reply')
    expect(draft.frontmatter).toEqual({
      status: 'pending_approval',
      to: 'jane@example.com',
      subject: 'Re: about draft_reply',
      reply_to_message_id: mail.frontmatter.message_id,
    })
    expect(draft.body).toBe(reply)
    const urgent = await home.noteOn('Drafts', 'Re: about urgent')
    expect(urgent.frontmatter).toMatchObject({ status: 'pending_approval', priority: 'urgent' })
    expect(home.list('Drafts')).toHaveLength(2)
    expect(await home.sent()).toEqual([])
  })
})

const slugged = (name: string) => name.replaceAll('_', '-')

describe('a draft', () => {
  const ask = { from: '@', decision: 'draft_reply', reason: 'Asked', reply }

  it('is sent once when it is approved by hand or by command, as it stands', async () => {
    const home = await OrchestratorHome.make([ask])
    for (const subject of ['by hand', 'by command', 'neither', 'unwanted']) home.drop({ subject })
    expect((await home.once()).exitCode).toBe(0)
    const [byHand, byCommand, unwanted] = await Promise.all(
      ['by hand', 'by command', 'unwanted'].map(
        async (subject) => (await home.noteOn('Drafts', `Re: ${subject}`)).path,
      ),
    )
    home.approveByHand(byHand ?? '')
    const edited = home.list('Approved')[0] ?? ''
    home.put(edited, home.text(edited).replace('gladly', 'very gladly'))
    const approved = await home.approve(byCommand ?? '', '--by', 'anna')
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' })
    await home.run(['drafts', 'reject', unwanted ?? '', '--reason', 'Too kind'])

    const worked = await home.once()
    expect(worked).toMatchObject({ exitCode: 0, stderr: '' })
    expect(worked.told('sent')).toHaveLength(2)
    const again = await home.once()
    expect([again.exitCode, again.told('sent')]).toEqual([0, []])

    const sent = await home.sent()
    expect(sent.map(({ subject }) => subject).sort()).toEqual(['Re: by command', 'Re: by hand'])
    for (const mail of sent) {
      const answered = mail.subject === 'Re: by hand' ? '<1@example.com>' : '<2@example.com>'
      expect(mail.to).toEqual([{ name: '', address: 'jane@example.com' }])
      expect([mail.inReplyTo, mail.references]).toEqual([answered, answered])
      const words = mail.subject === 'Re: by hand' ? 'very gladly' : 'gladly'
      expect(mail.text?.replaceAll('\r\n', '\n')).toBe(reply.replace('gladly', words))
    }
    for (const subject of ['by hand', 'by command']) {
      expect((await home.noteOn('Done', subject)).frontmatter.status).toBe('done')
      const done = await home.noteOn('Done', `Re: ${subject}`)
      expect(done.frontmatter.status).toBe('done')
      if (subject === 'by command') {
        expect(done.frontmatter).toMatchObject({
          approved_by: 'anna',
          approved_at: expect.any(String),
          approved_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        })
      }
    }
    const rejected = await home.noteOn('Done', 'Re: unwanted')
    expect(rejected.frontmatter).toMatchObject({ status: 'rejected', reason: 'Too kind' })
    expect((await home.noteOn('Needs_Action', 'neither')).frontmatter.status).toBe('drafted')
    expect(home.list('Approved')).toEqual([])
    expect(home.list('Drafts')).toHaveLength(1)
  })

  it('stays in Approved/ while it fails, and is sent once that is over', async () => {
    const home = await OrchestratorHome.make([ask])
    home.drop({ subject: 'lunch' })
    await home.once()
    const path = home.approveByHand(home.list('Drafts')[0] ?? '')
    const forbidden = await home.once({
      AGENTMAIL_SEND_TO: 'example.org',
    })
    expect(forbidden.exitCode).toBe(1)
    expect(forbidden.told('failed')).toEqual([expect.stringContaining(path)])
    expect((await home.note(path)).frontmatter).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('AGENTMAIL_SEND_TO'),
    })
    expect((await home.noteOn('Needs_Action', 'lunch')).frontmatter.status).toBe('drafted')
    const early = await home.once()
    expect([early.exitCode, await home.sent()]).toEqual([1, []])
    await home.retryNow()
    const worked = await home.once()
    expect([worked.exitCode, await home.sentSubjects()]).toEqual([0, ['Re: lunch']])
    const { frontmatter } = await home.noteOn('Done', 'Re: lunch')
    expect(frontmatter.status).toBe('done')
    expect(frontmatter).not.toHaveProperty('reason')
  })
})

describe('what a run has left half done', () => {
  it('is completed: a mail that is archived, one whose draft was rejected and who waits again', async () => {
    const ask = { from: '@', decision: 'draft_reply', reason: 'Asked', reply }
    const home = await OrchestratorHome.make([ask])
    home.drop({ subject: 'lunch' })
    await home.once()
    await home.run(['drafts', 'reject', home.list('Drafts')[0] ?? ''])
    const { path } = await home.noteOn('Needs_Action', 'lunch')
    home.put(path, home.text(path).replace('status: needs_info', 'status: pending'))
    home.draft('Needs_Action/news.md', { status: 'done', message_id: 'x', triage: 'archive' })
    home.draft('Needs_Action/own.md', { status: 'done' })
    expect((await home.once()).exitCode).toBe(0)
    const [draft = ''] = home.list('Drafts')
    expect((await home.note(path)).frontmatter.status).toBe('drafted')
    expect(home.list('Done')).toContain('Done/news.md')
    expect(home.list('Needs_Action')).toEqual([path, 'Needs_Action/own.md'])
    // What was said about the other draft is not about this one.
    home.approveByHand(draft)
    expect((await home.once()).told('sent')).toHaveLength(1)
  })

  it('says that a mail was sent whose note cannot be put away, and puts it away later', async () => {
    const home = await OrchestratorHome.make()
    home.remove('Done')
    home.put('Done', 'no folder')
    home.draft('Approved/a.md', { to: 'jane@example.com', subject: 'lunch' })
    const worked = await home.once()
    expect([worked.exitCode, await home.sentSubjects()]).toEqual([1, ['lunch']])
    expect(worked.told('sent')).toHaveLength(1)
    expect(worked.told('blocked')).toEqual([])
    expect(worked.told('trouble').join()).toMatch(/a\.md was sent at .* could not be put away/)
    home.remove('Done')
    expect((await home.once()).exitCode).toBe(0)
    expect(await home.sentSubjects()).toEqual(['lunch'])
    expect((await home.note('Done/a.md')).frontmatter.status).toBe('done')
  })
})

describe('a mail that nobody can decide about', () => {
  const ask = { from: '@', decision: 'draft_reply', reason: 'Asked', reply }

  it('stays pending, and is looked at again when the rules are mended or changed', async () => {
    const home = await OrchestratorHome.make([ask, { subject: 'x', decision: 'urgent' }])
    home.drop({ subject: 'lunch' })
    home.drop({ subject: 'ghost', from: 'Nobody at all' })
    const status = async () => (await home.noteOn('Needs_Action', 'lunch')).frontmatter.status

    const broken = await home.once()
    expect(broken.exitCode).toBe(1)
    expect(broken.told('trouble')).toEqual([
      expect.stringMatching(/Rules\.md:2:\d+: rule 2: .*reply/),
    ])
    expect(await status()).toBe('pending')

    home.rules([])
    const undecided = await home.once()
    expect([undecided.exitCode, undecided.told('undecided').length]).toEqual([0, 2])
    expect([(await home.once()).told('undecided'), await status()]).toEqual([[], 'pending'])

    home.rules([
      { ...ask, from: 'jane' },
      { ...ask, from: 'nobody' },
    ])
    expect((await home.once()).exitCode).toBe(0)
    expect(await status()).toBe('drafted')
    const { frontmatter } = await home.noteOn('Needs_Action', 'ghost')
    expect(frontmatter).toMatchObject({ status: 'needs_info', triage: 'draft_reply' })
    expect(home.list('Drafts')).toHaveLength(1)
  })

  it('stays pending when a model answers nonsense, and is asked about again', async () => {
    const home = await OrchestratorHome.make([], llm().env('openai'))
    home.drop({ subject: 'lunch' })
    llm().told.push({ says: 'Sure! I will reply to evil@example.com' })
    const worked = await home.once()
    expect([worked.exitCode, worked.told('trouble').length]).toEqual([1, 1])
    expect((await home.noteOn('Needs_Action', 'lunch')).frontmatter.status).toBe('pending')
    await home.retryNow()
    expect((await home.once()).exitCode).toBe(0)
    expect((await home.noteOn('Done', 'lunch')).frontmatter.triage).toBe('archive')
    expect(llm().requests).toHaveLength(2)
  })

  it('is left alone when a person was faster than the model', async () => {
    const home = await OrchestratorHome.make([], llm().env('anthropic'))
    home.drop({ subject: 'lunch' })
    llm().told.push({ slowly: 1000, says: JSON.stringify(decisions[0]) })
    const working = home.once()
    await eventually('the model is asked', () => llm().requests.length > 0)
    const [path = ''] = home.list('Needs_Action')
    home.put(path, home.text(path).replace('status: pending', 'status: mine'))
    expect((await working).exitCode).toBe(0)
    expect([(await home.note(path)).frontmatter.status, home.list('Drafts')]).toEqual(['mine', []])
  })
})
