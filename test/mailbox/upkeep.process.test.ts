/** cleanup and doctor: what goes, what stays, and what is found. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { openSession, type Session } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

describeWith('tmux', 'cleanup', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

  function prepare(session: Session): string {
    const office = join(session.repository, '.agentmail')
    const message = (id: string, read_flag: boolean, created_at?: string) =>
      JSON.stringify({ id, from: 'one', to: 'two', message: 'x', read_flag, created_at })
    const lines = [
      message('old-read', true, hoursAgo(3)),
      message('old-unread', false, hoursAgo(300)),
      message('new-read', true, hoursAgo(1)),
      message('undated-read', true),
      '{"torn',
    ]
    writeFileSync(join(office, 'mailboxes/two.jsonl'), `${lines.join('\n')}\n`)
    writeFileSync(join(office, 'mailboxes/empty.jsonl'), '')
    const entry = (name: string, updated_at: string, more = {}) =>
      JSON.stringify({ name, status: 'ready', notified: false, updated_at, ...more })
    const recipients = [
      entry('one', hoursAgo(0)),
      entry('two', hoursAgo(50)),
      entry('gone', hoursAgo(0)),
      entry('outsider', hoursAgo(0), { pane: null }),
    ]
    writeFileSync(join(office, 'recipients.jsonl'), `${recipients.join('\n')}\n`)
    return office
  }

  it('removes what is gone, stale, read and old, or empty, and nothing else', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    const office = prepare(session)
    const report = [
      '  Recipients removed: 2 (1 offline, 1 stale)',
      '  Messages removed: 1',
      '  Mailboxes removed: 1',
      '',
    ]
    const dry = await session.run(0, ['cleanup', '--dry-run'])
    expect(dry.stdout).toBe(
      ['Cleanup complete: (dry run, nothing was removed)', ...report].join('\n'),
    )
    expect(readdirSync(join(office, 'mailboxes')).sort()).toEqual(['empty.jsonl', 'two.jsonl'])
    const done = await session.run(0, ['cleanup'])
    expect(done.stdout).toBe(['Cleanup complete:', ...report].join('\n'))
    const kept = readFileSync(join(office, 'mailboxes/two.jsonl'), 'utf8')
    expect(kept.match(/"id":"[^"]+"/g)).toEqual([
      '"id":"old-unread"',
      '"id":"new-read"',
      '"id":"undated-read"',
    ])
    expect(kept.endsWith('{"torn\n')).toBe(true)
    expect(readdirSync(join(office, 'mailboxes'))).toEqual(['two.jsonl'])
    const names = readFileSync(join(office, 'recipients.jsonl'), 'utf8').match(/"name":"\w+"/g)
    expect(names).toEqual(['"name":"one"', '"name":"outsider"'])
    expect((await session.run(1, ['receive'])).stdout).toContain('ID: old-unread')
  })

  it('takes other hours, and refuses what is no number', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    prepare(session)
    const json = await session.run(0, [
      'cleanup',
      '--stale-hours',
      '60',
      '--delivered-hours',
      '0.5',
      '--json',
    ])
    expect(JSON.parse(json.stdout)).toEqual({
      recipients: { offline: 1, stale: 0 },
      messages: 2,
      mailboxes: 1,
      dry_run: false,
    })
    const refused = await session.run(0, ['cleanup', '--stale-hours', 'soon'])
    expect(refused.exitCode).not.toBe(0)
    expect(refused.stderr).toMatch(/^error: --stale-hours must be a number/)
  })

  it('works outside tmux, where nobody counts as gone', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    prepare(session)
    const { stdout, exitCode } = await agentmail(['cleanup', '--json'], { cwd: session.repository })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).recipients).toEqual({ offline: 0, stale: 1 })
  })
})

describeWith('tmux', 'doctor', () => {
  it('names what stands in the place of a mailbox and is none', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    const mailboxes = join(session.repository, '.agentmail/mailboxes')
    symlinkSync('/etc/hostname', join(mailboxes, 'link.jsonl'))
    mkdirSync(join(mailboxes, 'folder.jsonl'))
    writeFileSync(join(mailboxes, 'not encoded.jsonl'), '')
    const { stdout, exitCode } = await session.run(0, ['doctor', '--json'])
    expect(exitCode).toBe(1)
    const found: { subject: string }[] = JSON.parse(stdout).findings
    expect(found.map(({ subject }) => subject).sort()).toEqual([
      'mailboxes/folder.jsonl',
      'mailboxes/link.jsonl',
      'mailboxes/not encoded.jsonl',
    ])
  })
})
