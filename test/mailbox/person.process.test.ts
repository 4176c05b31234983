/** The name of the person in a mailbox: no pane, window or agent has it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { openSession, repository } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

const words = 'error: "human" is the address of the person, and no name for an agent'

describeWith('tmux', 'in tmux', () => {
  it('is given to no pane, and a window that has it is told to take another', async () => {
    const session = openSession(['coder', 'other'])
    const named = await session.run(0, ['name', 'human'])
    expect([named.stderr.split('\n')[0], named.exitCode]).toEqual([words, 1])
    session.tmux('rename-window', '-t', session.pane(1), 'human')
    for (const command of ['recipients', 'receive', 'inbox']) {
      const { stderr, exitCode } = await session.run(1, [command])
      expect([command, stderr.split('\n')[0], exitCode]).toEqual([command, words, 1])
    }
    expect((await session.run(0, ['recipients'])).stdout).toBe('coder [you]\n')
    expect((await session.run(0, ['send', 'human', 'May I?'])).exitCode).toBe(0)
    expect(existsSync(join(session.repository, '.agentmail/mailboxes/human.jsonl'))).toBe(false)
    const { stdout } = await session.run(0, ['inbox', '--as', 'human', '--json'])
    expect(JSON.parse(stdout).inbox).toMatchObject([{ from: 'coder', text: 'May I?' }])
  })
})

it('is no recipient, whatever the person does, and holds where a pane is gone', async () => {
  const cwd = repository()
  const run = (name: string, args: string[], env = {}) =>
    agentmail(args, { cwd, env: { AGENTMAIL_AGENT: name, ...env } })
  await run('human', ['status', 'ready'])
  expect((await run('ci', ['recipients'])).stdout).toBe('ci [you]\n')
  expect(readFileSync(join(cwd, '.agentmail/recipients.jsonl'), 'utf8')).not.toContain('human')
  expect((await run('ci', ['doctor'])).stdout).toContain('Nothing is wrong')
  const gone = { TMUX: '/tmp/none,1,0', TMUX_PANE: '%99' }
  expect((await run('zed', ['recipients'], gone)).stdout).toContain('zed [you]')
})
