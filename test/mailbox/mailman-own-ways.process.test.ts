/** The mailman beside sessions that are woken by a way of their own: mail is left to that way for a while, and told by one. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { getReady, nudged, nudgesIn, startMailman } from '../support/mailbox/mailman.ts'
import { openSession } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { openWindow } from '../support/sessions/client-window.ts'

const deliveries = [
  ['mail', ['send', 'two', 'hello']],
  ['a message', ['post', '--channel', '@two', 'news', 'hello']],
] as const

/** Claude Code in the second window of a session, and a mailman that leaves mail to it for so long. */
async function open(wakeSeconds: number) {
  const session = openSession(['one', 'two'])
  const window = openWindow(
    { ...session.env(1), AGENTMAIL_AGENT: undefined },
    { folder: session.repository },
  )
  const { AGENTMAIL_DB, XDG_STATE_HOME } = window.env
  const mailman = await startMailman(session, {
    ...{ AGENTMAIL_DB, XDG_STATE_HOME, AGENTMAIL_NUDGE_SECONDS: '0' },
    AGENTMAIL_WAKE_SECONDS: String(wakeSeconds),
  })
  const from = mailman.stdout().length
  await window.tell('SessionStart')
  await mailman.says(' two is ready\n', from)
  return { session, window, mailman }
}

describeWith('tmux', 'the mailman, where a session has a way of its own', () => {
  it.each(deliveries)('leaves %s to it', async (_, command) => {
    const { session, window, mailman } = await open(300)
    const waiter = window.wait()
    await window.isWaitedFor()
    expect((await window.as('bob', ...command)).exitCode).toBe(0)
    expect(await waiter.ended).toMatchObject({ exitCode: 2 })
    await pause(4000) // the mailman would have told it by now
    expect(mailman.stdout()).not.toMatch(/nudged|has mail/)
    expect(nudgesIn(session, 1)).toBe(0)
    expect((await window.sent('bob'))[0]).toMatchObject({
      state: 'notified',
      notified_by: 'rewake',
    })
  })

  it.each(deliveries)('tells of %s that is not read in time', async (_, command) => {
    const { session, window, mailman } = await open(6)
    const waiter = window.wait()
    await window.isWaitedFor()
    const from = performance.now()
    expect((await window.as('bob', ...command)).exitCode).toBe(0)
    expect(await waiter.ended).toMatchObject({ exitCode: 2 })
    await nudged(session, 1)
    expect(performance.now() - from).toBeGreaterThan(5000)
    await mailman.says(' nudged two\n')
    expect(nudgesIn(session, 1)).toBe(1)
    expect((await window.sent('bob'))[0]).toMatchObject({
      state: 'notified',
      notified_by: 'rewake',
    })
  })

  it.each(deliveries)('tells of %s at once where that way is gone', async (_, command) => {
    const { session, window, mailman } = await open(3600)
    const waiter = window.wait()
    await window.isWaitedFor()
    waiter.child.kill('SIGKILL')
    await waiter.ended
    expect((await window.as('bob', ...command)).exitCode).toBe(0)
    await nudged(session, 1)
    await mailman.says(' nudged two\n')
    await eventually(
      'how is noted',
      async () => (await window.sent('bob'))[0]?.notified_by === 'keys',
    )
  })

  it('says how it told', async () => {
    const session = openSession(['one', 'two'])
    const mailman = await startMailman(session, { AGENTMAIL_NUDGE: 'line' })
    await getReady(session, mailman, 1, 'two')
    await session.run(0, ['send', 'two', 'hello'])
    await mailman.says(' two has mail, told by line and bell')
    await eventually('it is noted', async () =>
      (await session.run(0, ['sent'])).stdout.includes(' notified (line) '),
    )
  })
})
