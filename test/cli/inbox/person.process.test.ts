/** The person: an address that always exists, in no list, whom agents ask by every door and who answers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import { byCommands, byHttp, byStdio, person } from '../../support/addresses/correspondents.ts'
import { agentmail, type Env } from '../../support/agentmail.ts'
import { openAgent, openPlace, openStdio } from '../../support/coordination/coordination.ts'
import { eventually } from '../../support/eventually.ts'
import { openSession } from '../../support/mailbox/tmux.ts'
import { Receiver } from '../../support/notices/receiver.ts'
import { ToldHome } from '../../support/notices/told-home.ts'
import { describeWith } from '../../support/parts.ts'
import { callTool, TestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describeWith('tmux', 'a window, an agent on STDIO and one on HTTP', () => {
  it('ask the person and get the answer, each once', async () => {
    const session = openSession(['window'])
    const { repository } = session
    const env: Env = { XDG_DATA_HOME: temporaryFolder() }
    const db = join(String(env.XDG_DATA_HOME), 'agentmail/agentmail.db')
    await agentmail(['projects', '--json'], { cwd: repository, env })
    const server = await TestServer.start({ db, cwd: repository, env })
    const others = [
      await byCommands('window', repository, { ...session.env(0), ...env }),
      await byStdio('stdio', repository, env),
      await byHttp('http', server.url, ''),
    ]
    const human = person(repository, env)
    for (const other of others) await other.write('human', `May I, ${other.name}?`)
    const questions = await human.read()
    expect(questions.map(({ from, text }) => [from, text.split('\n').at(-1)])).toEqual(
      others.map(({ name }) => [name, `May I, ${name}?`]),
    )
    expect(await human.read()).toEqual([])
    const shown = await agentmail(['inbox', '--all', '--json'], { cwd: repository, env })
    for (const { id, from } of JSON.parse(shown.stdout).inbox) {
      const args = ['reply', id, `Yes, ${from}.`]
      expect(await agentmail(args, { cwd: repository, env })).toMatchObject({ stderr: '' })
    }
    for (const other of others) {
      await human.write(other.name, 'And one more.')
      expect(await other.read()).toEqual([
        { from: 'human', text: `Yes, ${other.name}.` },
        { from: 'human', text: 'And one more.' },
      ])
      expect(await other.read()).toEqual([])
    }
    // In the window itself, the person says who they are.
    const own = { env }
    await session.run(0, ['send', 'human', 'Still there?'], own)
    expect((await session.run(0, ['inbox'], own)).stdout).toBe('Nothing new\n')
    const inbox = await session.run(0, ['inbox', '--as', 'human'], own)
    const [, id] = /agentmail reply (\d+) --as human …/.exec(inbox.stdout) ?? []
    await session.run(0, ['reply', id ?? '', 'I am.', '--as', 'human'], own)
    expect((await session.run(0, ['receive'], own)).stdout).toContain('From: human\n')
    expect((await session.run(0, ['recipients'], own)).stdout).not.toContain('human')
  })
})

describe('the name of the person', () => {
  it('is refused to an agent, which would be handed their messages, and not to their commands', async () => {
    const place = await openPlace('a running server')
    const stdio = await openStdio(place)
    const words =
      '"human" is the address of the person, and no name for an agent\nRegister under another name.'
    const args = { name: 'human', role: 'coder' }
    const refused = await callTool(place.server?.url ?? '', 'register', args)
    expect(refused).toMatchObject({ isError: true, text: words })
    expect(JSON.stringify(await stdio.call('register', args))).toContain(
      'is the address of the person',
    )
    const posted = await place.run(['post', 'Hello', 'all', '--as', 'human'])
    expect(posted).toMatchObject({ stdout: 'Message #1 posted\n', stderr: '' })
  })

  it('gets onto no list by reading mail that a window of that name was sent', async () => {
    const place = await openPlace('the database itself')
    await place.json(['recipients'], { env: { AGENTMAIL_AGENT: 'bob' } })
    const office = join(place.repository, '.agentmail')
    const mail = { id: 'a', from: 'bob', to: 'human', message: 'hi' }
    for (const args of [['inbox', '--read'], ['receive']]) {
      writeFileSync(join(office, 'mailboxes/human.jsonl'), `${JSON.stringify(mail)}\n`)
      const env = args[0] === 'receive' ? { AGENTMAIL_AGENT: 'human' } : {}
      expect((await place.run(args, { env })).stdout).toContain('hi')
    }
    expect(readFileSync(join(office, 'recipients.jsonl'), 'utf8')).not.toContain('human')
  })

  it('may be another', async () => {
    const env = { AGENTMAIL_PERSON: 'anna' }
    const place = await openPlace('the database itself', env)
    await openAgent(place, 'human')
    await place.json(['send', 'anna', 'Hello'], { env: { AGENTMAIL_AGENT: 'bob' } })
    expect(await place.json(['inbox', '--read'])).toMatchObject({ inbox: [{ from: 'bob' }] })
  })
})

describe('what needs the person', () => {
  it('is in their inbox beside the messages, says what settles it, and is in nobody else’s', async () => {
    const home = await ToldHome.start()
    await home.send('Offer')
    const ledger = await openLedger(new Config({}, home.env))
    const intent = { scope: 'a'.repeat(64), key: 'k', content_hash: 'b'.repeat(64) }
    const { record } = await ledger.begin({
      ...{ ...intent, provider: 'smtp', recipients: ['jane@example.com'], subject: 'Lunch' },
    })
    await ledger.settle(await ledger.sending(record, { subject: 'Lunch' }), 'unknown', {})
    await ledger.close()
    const inbox = async (...args: string[]) =>
      JSON.parse((await home.run(['inbox', '--json', ...args])).stdout).inbox
    const [draft, unknown] = await inbox('--read')
    expect(draft).toMatchObject({
      ...{ kind: 'draft', from: 'agentmail', text: 'jane@example.com: Offer' },
      at: expect.stringMatching(/Z$/),
    })
    expect(unknown).toMatchObject({
      ...{ id: record.id, kind: 'unknown_send', text: 'jane@example.com: Lunch' },
    })
    expect(await inbox('--as', 'bob')).toEqual([])
    const { stdout } = await home.run(['inbox'])
    expect(stdout).toContain(`  → agentmail drafts show ${draft.id}\n`)
    expect(stdout).toContain(`  → agentmail mail settle ${record.id} [sent|not-sent]\n`)
    expect((await home.run(['drafts', 'show', draft.id])).exitCode).toBe(0)
    const refused = await home.run(['reply', draft.id.replace(/\.md$/, ''), 'yes'])
    expect(refused.stderr).toContain(`Settle it: agentmail drafts show ${draft.id}\n`)
    expect((await home.run(['reply', record.id, 'yes'])).stderr).toContain('agentmail mail settle')
    await home.run(['mail', 'settle', record.id, 'sent'])
    await home.run(['drafts', 'reject', draft.id])
    expect(await inbox()).toEqual([])
    const lost = await home.run(['inbox'], { VAULT_PATH: join(home.folder, 'none') })
    expect(lost).toMatchObject({ stdout: 'Nothing new\n', exitCode: 0 })
    expect(lost.stderr).toMatch(/^agentmail: the drafts that wait for you could not be read: /)
  })
})

describe.each(['with a server', 'without one'])('a message to the person, %s', (way) => {
  it('is posted as a notice: who and subject, and no more of it', async () => {
    const receiver = await Receiver.start()
    const env = { AGENTMAIL_NOTIFY: receiver.url, XDG_STATE_HOME: temporaryFolder() }
    const place = await openPlace(
      way === 'with a server' ? 'a running server' : 'the database itself',
      env,
    )
    const coder = await openAgent(place, 'coder')
    const asked = { channel: '@human', subject: 'May I?', body: 'confidential' }
    await coder.call('send_message', asked)
    await eventually('the first has come', () => receiver.came.length === 1)
    const bob = { env: { AGENTMAIL_AGENT: 'bob' } }
    await place.json(['send', 'human', 'Or I?\nconfidential'], bob)
    await eventually('the second has come', () => receiver.came.length === 2)
    const url = place.server ? `${place.server.url}/` : ''
    const notice = { kind: 'message', project: place.project, url }
    expect(receiver.bodies).toEqual([
      { ...notice, from: 'coder', subject: 'May I?' },
      { ...notice, from: 'bob', subject: 'Or I?' },
    ])
  })
})
