/** `agentmail orchestrate --digest`: what came, what waits and what left, once a day, to the person alone. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { binary } from '../../support/agentmail.ts'
import { noonZone } from '../../support/noon.ts'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'

const zone = { TZ: noonZone() }
const hostile = '<b>Hi</b>\u001b[2J\u202e &amp; http://evil.example'
const rules = [
  { subject: 'news', decision: 'archive', reason: 'Read elsewhere' },
  { subject: 'hours', decision: 'draft_reply', reason: 'Asked', reply: 'Nine to five.' },
  { subject: 'invoice', decision: 'delegate', reason: 'For the books', delegate_to: 'clerk' },
  { subject: 'who', decision: 'needs_info', reason: 'Which order?' },
]

async function dayOf(env = {}) {
  const home = await OrchestratorHome.make(rules, { ...zone, ...env })
  spawnSync('git', ['init', '-q'], { cwd: home.folder })
  await home.run(['status', 'work'], { AGENTMAIL_AGENT: 'clerk' })
  for (const subject of [
    'Weekly news',
    'Opening hours',
    'More hours',
    'Invoice 5',
    'An invoice',
    'who',
    hostile,
  ]) {
    home.drop({ subject })
  }
  await home.once()
  await home.approve((await home.noteOn('Drafts', 'Re: More hours')).path)
  await home.approve((await home.noteOn('Needs_Action', 'An invoice')).path, '--agent', 'clerk')
  return home
}

const digest = (home: OrchestratorHome, ...flags: string[]) =>
  home.run(['orchestrate', '--once', '--digest', ...flags])

describe('a digest', () => {
  it('tells what came, what waits and what left, in plain lines, once a day', async () => {
    const home = await dayOf()
    expect(await digest(home, '00:00')).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await digest(home, '00:00')).exitCode).toBe(0)
    const digests = (await home.sent()).filter(({ subject }) =>
      subject?.startsWith('AgentMail digest'),
    )
    expect(digests).toHaveLength(1)
    const [mail] = digests
    expect([mail?.to, mail?.html]).toEqual([[{ name: '', address: 'anna@example.org' }], undefined])
    expect(mail?.subject).toMatch(
      /^AgentMail digest \d{4}-\d\d-\d\d: 7 came, 4 wait, 2 left \[[0-9a-f]{10}\]$/,
    )
    const lines = mail?.text?.replaceAll('\r\n', '\n').trimEnd().split('\n') ?? []
    const jane = 'Jane Doe ‹jane@example.com›'
    const body = lines.slice(lines.indexOf('What came (7)'))
    expect(body.slice(0, 8).sort()).toEqual([
      `- ${jane} - An invoice: handed over (For the books)`,
      `- ${jane} - Invoice 5: is to be given to an agent (For the books)`,
      `- ${jane} - More hours: answered (Asked)`,
      `- ${jane} - Opening hours: a reply is drafted (Asked)`,
      `- ${jane} - Weekly news: archived (Read elsewhere)`,
      `- ${jane} - who: needs you (Which order?)`,
      expect.stringMatching(/^- Jane Doe .* - ‹b›Hi‹\/b›[^<>]*: not decided about$/),
      'What came (7)',
    ])
    expect(body.slice(9, 14).sort()).toEqual([
      '- delegation to @clerk - Invoice 5 (For the books)',
      '- draft to jane@example.com - Re: Opening hours',
      `- needs you: ${jane} - who (Which order?)`,
      expect.stringMatching(/^- not decided about: Jane Doe .* - ‹b›Hi‹\/b›/),
      'What waits for you (4)',
    ])
    expect(body.slice(15, 18).sort()).toEqual([
      expect.stringMatching(/^- handed to @clerk - an-invoice-[0-9a-f]{10}\.md$/),
      '- sent to jane@example.com - Re: More hours',
      'What left (2)',
    ])
    expect(mail?.text).not.toMatch(/[^\P{Cc}\r\n]|\u202e/u)
    expect(home.log('gmail_mcp_').filter(({ to }) => to === 'anna@example.org')).toHaveLength(1)
  })

  it('is none of the mails that it tells of, when it comes into the inbox', async () => {
    const home = await OrchestratorHome.make([], zone)
    await digest(home, 'now')
    const [own] = await home.sent()
    home.drop({ subject: own?.subject ?? '', from: 'Anna <anna@example.org>' })
    home.drop({ subject: 'AgentMail digest 2026-01-01: 0 came, 0 wait, 0 left [0123456789]' })
    home.drop({ subject: `Re: ${own?.subject}` })
    expect((await home.once()).told('ingested')).toHaveLength(2)
  })

  it('goes through another server in the same way, and is no HTML there either', async () => {
    const server = `${process.execPath} ${binary} mcp gmail`
    const home = await OrchestratorHome.make([], { ...zone, GMAIL_MCP_SERVER: server })
    home.drop({ subject: hostile })
    expect(await digest(home, '00:00')).toMatchObject({ exitCode: 0, stderr: '' })
    await digest(home, '00:00')
    const sent = await home.sent()
    expect(sent.map(({ to, html }) => [to?.[0]?.address, html])).toEqual([
      ['anna@example.org', undefined],
    ])
    expect(sent[0]?.text).toContain('‹b›Hi‹/b›')
  })

  it('can be tried at any time, and counts for no day', async () => {
    const home = await dayOf({ AGENTMAIL_DIGEST_TO: 'me@elsewhere.example' })
    for (const time of ['now', 'now', '00:00', '00:00'])
      expect((await digest(home, time)).exitCode).toBe(0)
    const to = (await home.sent()).flatMap(({ subject, to = [] }) =>
      subject?.startsWith('AgentMail digest') ? to.map(({ address }) => address) : [],
    )
    expect(to).toEqual(Array(3).fill('me@elsewhere.example'))
  })

  it('is sent by one that goes on, and by none before its time', async () => {
    const home = await dayOf({ AGENTMAIL_POLL_SECONDS: '0.2' })
    await digest(home, '23:59')
    expect(await home.sentSubjects()).toEqual(['Re: More hours'])
    const running = home.start({}, '--digest', '00:00')
    await running.line('digest')
    await running.kill()
    expect(
      (await home.sent()).filter(({ subject }) => subject?.startsWith('AgentMail')),
    ).toHaveLength(1)
  })

  it.each([
    [['25:00'], {}, '--digest must be a time of the day'],
    [['18:00'], { AGENTMAIL_MAIL_FROM: undefined }, 'it is not known where the digest is to go'],
    [['18:00'], { AGENTMAIL_SEND_TO: 'example.com' }, 'AGENTMAIL_SEND_TO'],
    [['18:00'], { AGENTMAIL_DIGEST_TO: 'nobody' }, 'AGENTMAIL_DIGEST_TO'],
    [['18:00'], { AGENTMAIL_DIGEST_TO: 'a@x.org, b@x.org' }, 'must be one address'],
  ])('is refused with words: %j %j', async (flags, env, words) => {
    const home = await OrchestratorHome.make([], { ...zone, ...env })
    const ran = await digest(home, ...flags)
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(words)])
  })

  it('at once goes with --once alone', async () => {
    const home = await OrchestratorHome.make([], zone)
    expect(await home.run(['orchestrate', '--digest', 'now'])).toMatchObject({
      ...{ exitCode: 2, stderr: expect.stringContaining('--digest now goes with --once') },
    })
  })
})
