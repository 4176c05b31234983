/** Approved answers when the mail service fails: sent once after it is mended, or kept until a person knows more. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KilledHome } from '../../support/orchestrator/killed-home.ts'
import { FakeGmail, sendPath } from '../../support/providers/fake-gmail.ts'
import type { FaultRule } from '../../support/providers/fake-gmail-faults.ts'

interface Case {
  rule: FaultRule
  /** The status of its note, and what it says. */
  status: 'failed' | 'unknown'
  reason: RegExp
  /** How often it was given to Gmail. */
  posts?: number
  /** Where it is not sent when all is well again: what a person says. */
  settled?: 'sent' | 'not-sent'
}

/** In the order in which their answers are sent. */
const cases: Case[] = [
  { rule: { fault: '401', times: 2 }, status: 'failed', reason: /gmail login/, posts: 2 },
  { rule: { fault: '403-quota' }, status: 'failed', reason: /quota/ },
  { rule: { fault: '403-permission' }, status: 'failed', reason: /permi/ },
  { rule: { fault: '404', method: 'GET' }, status: 'failed', reason: /no such mail/, posts: 0 },
  { rule: { fault: '429', retryAfter: '3000' }, status: 'failed', reason: /quota/ },
  { rule: { fault: '500' }, status: 'unknown', reason: /not known/, settled: 'sent' },
  {
    rule: { fault: '503', retryAfter: '1' },
    status: 'unknown',
    reason: /not known/,
    settled: 'not-sent',
  },
  { rule: { fault: 'reset' }, status: 'unknown', reason: /broke off/, settled: 'sent' },
  { rule: { fault: 'hang' }, status: 'unknown', reason: /within|time/, settled: 'not-sent' },
  { rule: { fault: 'lost-reply' }, status: 'unknown', reason: /not known/ },
]
const subjectOf = (index: number) => `Question ${String(index + 1).padStart(3, '0')}`

let fake: FakeGmail
beforeAll(async () => {
  fake = await FakeGmail.start()
})
afterAll(() => fake.stop())

describe('an orchestrator whose mail service fails', () => {
  it('says how each answer stands, asks once, and sends each once in the end', async () => {
    const home = KilledHome.gmail(fake, { AGENTMAIL_SEND_TIMEOUT_SECONDS: '2' })
    for (const _ of cases) home.addMails()
    await home.once()
    await home.approve()
    fake.heal()
    for (const [index, { rule, posts = 1 }] of cases.entries()) {
      const original = new RegExp(`/messages/${home.questions.get(subjectOf(index))}$`)
      fake.fail({ times: 1, ...rule, path: posts > 0 ? sendPath : original })
    }
    expect((await home.once()).exitCode).toBe(1)
    const statuses = await statusesOf(home)
    for (const [index, { status, reason, rule }] of cases.entries()) {
      expect(statuses.get(subjectOf(index)), rule.fault).toEqual({
        place: 'Approved',
        status,
        reason: expect.stringMatching(reason),
      })
    }
    const posted = () => fake.requests.filter(({ path }) => sendPath.test(path)).length
    expect(posted()).toBe(cases.reduce((sum, { posts = 1 }) => sum + posts, 0))
    const waits = (await home.sends()).map(({ next_ms }) => next_ms - Date.now())
    expect(waits.filter((ms) => ms > 2000_000).length, 'waits as long as it is told').toBe(1)

    fake.heal()
    expect((await home.later()).exitCode).toBe(1)
    const waiting = cases.filter(({ settled }) => settled).map(({ status }) => status)
    const mended = [...(await statusesOf(home)).values()].map(({ status }) => status)
    expect(mended.filter((status) => status !== 'done')).toEqual(waiting)
    expect(posted(), 'only what was certainly not sent').toBe(
      cases.filter(({ status }) => status === 'failed').length,
    )

    const ids = new Map((await home.home.log()).map(({ subject, id }) => [subject, id ?? '']))
    for (const [index, { settled }] of cases.entries()) {
      if (!settled) continue
      const words = ['mail', 'settle', ids.get(`Re: ${subjectOf(index)}`) ?? '', settled]
      expect((await home.home.run(words)).stderr).toBe('')
    }
    const { exitCode, stderr } = await home.later()
    expect([exitCode, stderr]).toEqual([0, ''])
    for (const [subject, { place, status }] of await statusesOf(home)) {
      expect([subject, place, status]).toEqual([subject, 'Done', 'done'])
    }
    const sent = cases.flatMap(({ settled }, index) =>
      settled === 'sent' ? [] : [`Re: ${subjectOf(index)}`],
    )
    expect(home.post.sent().sort()).toEqual(sent)
  }, 120_000)

  it('finds an answer again that a server without keys had sent when it was too slow', async () => {
    const home = KilledHome.files({ env: { AGENTMAIL_MCP_TIMEOUT_SECONDS: '2' } })
    home.addMails()
    await home.once()
    await home.approve()
    const slow = join(home.home.folder, 'mail/slow-to-answer')
    writeFileSync(slow, '60000')
    expect((await home.once()).exitCode).toBe(1)
    const { status, reason } = (await statusesOf(home)).get('Question 001') ?? {}
    expect([status, reason]).toEqual(['unknown', expect.stringContaining('within 2 s')])
    rmSync(slow)
    expect((await home.later()).exitCode).toBe(0)
    expect(await home.check()).toEqual({ 'Question 001': 'sent' })
  })

  it('sends later what a server was never asked to send, since it died before', async () => {
    const home = KilledHome.files()
    home.addMails()
    await home.once()
    await home.approve()
    const dying = join(home.home.folder, 'mail/no-list')
    writeFileSync(dying, '')
    expect((await home.once()).exitCode).toBe(1)
    expect((await statusesOf(home)).get('Question 001')?.status).toBe('failed')
    rmSync(dying)
    expect((await home.later()).exitCode).toBe(0)
    expect(await home.check()).toEqual({ 'Question 001': 'sent' })
  })
})

async function statusesOf(home: KilledHome) {
  const notes = await home.notes()
  return new Map(
    notes
      .filter(({ frontmatter }) => frontmatter.reply_to_message_id !== undefined)
      .map(({ path, frontmatter: { subject, status, reason } }) => [
        String(subject).replace('Re: ', ''),
        { place: path.split('/')[0], status, reason },
      ]),
  )
}
