/** A mailman that is killed at each step of telling somebody: what it has noted is told once, and its receipts are made up for. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { sentSchema } from '../../support/addresses/receipts.ts'
import { eventually } from '../../support/eventually.ts'
import { loading } from '../../support/loading.ts'
import { startMailman } from '../../support/mailbox/mailman.ts'
import { openSession, type Session, sendOk } from '../../support/mailbox/tmux.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

const env = { AGENTMAIL_NUDGE_SECONDS: '0', AGENTMAIL_NUDGE: 'line' }
const has = (name: string) => ` ${name} has mail, told by line and bell`
type Kind = 'mail' | 'message'

/** What was announced and not noted is announced again: better twice than never. */
const steps: [kind: Kind, step: string, again: number][] = [
  ['mail', 'before rename recipients.jsonl', 1],
  ['mail', 'after rename recipients.jsonl', 0],
  ['mail', 'before write receipts/two', 0],
  ['mail', 'after write receipts/two', 0],
  ['message', 'before rename recipients.jsonl', 1],
  ['message', 'after rename recipients.jsonl', 0],
]

async function write(session: Session, kind: Kind): Promise<void> {
  if (kind === 'mail') {
    await sendOk(session, 0, 'two', 'hello')
    return
  }
  const db = join(process.env.XDG_DATA_HOME ?? '', 'agentmail/agentmail.db')
  mkdirSync(dirname(db), { recursive: true, mode: 0o700 })
  const server = await TestServer.start({ db, cwd: session.repository })
  const project = basename(session.repository)
  await server.register('two', 'coder', project)
  const agent_id = await server.register('one', 'coder', project)
  const letter = { agent_id, channel: '@two', subject: 'hello', body: 'hello' }
  expect((await server.call('send_message', letter, project)).isError).toBeFalsy()
}

describeWith('tmux', 'a mailman that is killed', () => {
  const killedAt = async (kind: Kind, step: string, prepare = (_: Session) => {}) => {
    const session = openSession(['one', 'two', 'three'])
    await session.run(1, ['status', 'ready'])
    await write(session, kind)
    const states = async () => {
      const { stdout } = await session.run(0, ['sent', '--json', '--to', 'two'])
      return sentSchema.parse(JSON.parse(stdout)).sent.map(({ state }) => state)
    }
    expect(await states()).toEqual(['queued'])
    const killed = await startMailman(session, {
      ...env,
      ...loading(['killed-file'], { KILL_WHEN: step }),
    })
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(killed.stdout().split(has('two')).length - 1).toBe(1)

    prepare(session)
    const next = await startMailman(session, env)
    await eventually('it is told', async () => (await states()).join() === 'notified')
    // What it looks at later it looks at after all that waited.
    await session.run(2, ['status', 'ready'])
    await sendOk(session, 0, 'three', 'later')
    await next.says(has('three'))
    const pidFile = join(session.repository, '.agentmail/mailman.pid')
    expect(readFileSync(pidFile, 'utf8')).toBe(`${next.pid}\n`)
    next.kill('SIGTERM')
    expect((await next.ended).stderr).toContain(`warning: a mailman with PID ${killed.pid}`)
    return next.stdout().split(has('two')).length - 1
  }

  it.each(steps)('over a %s, %s, leaves receipts that become true', async (kind, step, again) => {
    expect(await killedAt(kind, step)).toBe(again)
  })

  it('announces again where its notes are lost (control)', async () => {
    const forget = ({ repository }: Session) => {
      const path = join(repository, '.agentmail/recipients.jsonl')
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replaceAll(/"notified(_\w+)?":/g, '"forgotten$1":'))
    }
    expect(await killedAt('mail', 'after write receipts/two', forget)).toBe(1)
  })
})
