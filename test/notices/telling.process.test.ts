/** Who is told by the binary itself: by a process of its own, by a server, by the orchestrator. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../src/email/drafts/draft-note.ts'
import { agentmail } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { isAlive, ToldHome } from '../support/notices/told-home.ts'
import { keepSend } from '../support/orchestrator/kept-sends.ts'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'
import { TestServer } from '../support/server/server.ts'

const secret = 'secret-path-4711'
const draft = { kind: 'draft', project: 'default', from: 'agentmail', url: '' }

describe('without a server', () => {
  it('is posted by a process that ends when nothing waits', async () => {
    const home = await ToldHome.start()
    let arguments_ = ''
    home.receiver.answer((response) => {
      const [pid] = home.posters()
      arguments_ = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      response.end()
    })
    const sent = await home.send('Offer')
    expect([sent.exitCode, sent.stderr]).toEqual([0, ''])
    await home.came(1)
    await home.send('Second', { AGENTMAIL_AGENT: 'bob', AGENTMAIL_PROJECT: 'shop' })
    await home.came(2)
    await home.drained()
    expect(home.receiver.bodies).toEqual([
      { ...draft, subject: 'Offer' },
      { ...draft, subject: 'Second', from: 'bob', project: 'shop' },
    ])
    expect(arguments_.split('\0').slice(2)).toEqual(['post-notices', ''])
    expect(home.read('poster.log')).toBe('')
    expect(JSON.stringify(home.receiver.came)).not.toContain('confidential')
  })

  it('names the page of a server that runs, though it does not post', async () => {
    const home = await ToldHome.start()
    const db = join(process.env.XDG_DATA_HOME ?? '', 'agentmail/agentmail.db') // the usual one
    mkdirSync(dirname(db), { recursive: true })
    const { url } = await TestServer.start({ env: { ...home.env, AGENTMAIL_NOTIFY: '' }, db })
    await home.send('Offer')
    await home.came(1)
    await home.drained()
    expect(home.receiver.bodies).toEqual([{ ...draft, subject: 'Offer', url: `${url}/` }])
  })

  it('costs nothing and leaves nothing where nobody is to be told', async () => {
    const home = await ToldHome.start()
    await home.send('Offer', { AGENTMAIL_NOTIFY: '' })
    expect(home.drafts()).toHaveLength(1)
    expect(() => home.spools()).toThrow('ENOENT')
  })
})

describe('a server', () => {
  it('posts what all processes tell, with its page, and leaves the rest to a process of its own', async () => {
    const home = await ToldHome.start()
    const server = await TestServer.start({ env: home.env })
    await eventually('it posts', () => home.posters().includes(server.pid))
    await home.send('Offer')
    await home.came(1)
    expect(home.receiver.bodies).toEqual([{ ...draft, subject: 'Offer', url: `${server.url}/` }])
    expect(home.posters()).toEqual([server.pid])
    home.receiver.answer(503)
    await home.send('Late')
    await home.came(2)
    const { stderr } = await server.stop()
    expect(stderr).toContain('AGENTMAIL_NOTIFY: a notice waits, since the answer was HTTP 503')
    expect(stderr).not.toContain(secret)
    await home.came(3)
    await home.drained()
    expect(home.receiver.subjects).toEqual(['Offer', 'Late', 'Late'])
    expect(isAlive(server.pid)).toBe(false)
  })
})

describe('the orchestrator', () => {
  it('tells of each draft and delegation once, however often it runs', async () => {
    const home = await ToldHome.start()
    home.put(
      'Rules.md',
      `---
rules:
  - {subject: hours, decision: draft_reply, reply: "At nine."}
  - {subject: books, decision: delegate, delegate_to: keeper}
  - {subject: news, decision: archive}
---
`,
    )
    for (const subject of ['Hours?', 'The books', 'Some news']) {
      home.add(
        `From: Eve <eve@example.com>\r\nMessage-ID: <${subject.length}@x>\r\nSubject: ${subject}\r\n\r\nHi\r\n`,
      )
    }
    for (let run = 0; run < 2; run++) expect((await home.once()).stderr).toBe('')
    await home.came(2)
    await home.drained()
    const notices = home.receiver.bodies.map((body) => JSON.stringify(body)).sort()
    expect(notices).toEqual(
      ['Re: Hours?', 'The books'].map((subject) =>
        JSON.stringify({
          kind: 'draft',
          project: 'default',
          from: 'orchestrator',
          subject,
          url: '',
        }),
      ),
    )
  })
})

describe('a mail that may have left when the orchestrator was killed', () => {
  it('is told once, by its subject', async () => {
    const { receiver } = await ToldHome.start()
    const home = await OrchestratorHome.make([], { AGENTMAIL_NOTIFY: receiver.url })
    home.draft('Approved/a.md', { to: 'jane@example.com', subject: 'lunch' })
    const sha256 = await hashOf(home.vault, await home.note('Approved/a.md'))
    const at = new Date(Date.now() - 60_000).toISOString()
    await keepSend(home.env, home.vault, 'unknown', { name: 'a.md', sha256, at })
    for (let run = 0; run < 2; run++) {
      await home.retryNow()
      expect((await home.once()).exitCode).toBe(1)
    }
    await eventually('it is told', () => receiver.came.length > 0)
    await agentmail(['post-notices'], { env: home.env, cwd: home.folder })
    expect(receiver.bodies).toEqual([{ ...draft, kind: 'unknown_send', subject: 'lunch' }])
  })
})

describe('a wrong setting', () => {
  const wrong = { AGENTMAIL_NOTIFY: `ntfy.sh/${secret}`, AGENTMAIL_NOTIFY_FORMAT: 'xml' }

  it('is in nobody’s way, is shown by config and doctor, and is shown nowhere itself', async () => {
    const home = await ToldHome.start()
    const ran = await Promise.all([
      home.send('Offer', wrong),
      home.run(['config'], wrong),
      home.run(['config', '--json'], wrong),
      home.run(['doctor'], wrong),
    ])
    const [sent, config, , doctor] = ran
    expect(sent.exitCode).toBe(0)
    expect(sent.stderr).toContain('AGENTMAIL_NOTIFY must be an address that begins with http://')
    expect(home.drafts()).toHaveLength(1)
    expect(config.stdout).toContain('******** (no http(s) address)')
    expect(config.stdout).toContain('xml (none of json, ntfy, slack)')
    expect(doctor.exitCode).toBe(1)
    expect(doctor.stdout).toContain('AGENTMAIL_NOTIFY: is no http(s) address')
    expect(doctor.stdout).toContain('AGENTMAIL_NOTIFY_FORMAT: is none of json, ntfy, slack')
    for (const { stdout, stderr } of ran) expect(stdout + stderr).not.toContain(secret)
  })

  it('keeps a server and the orchestrator from starting, with words', async () => {
    const home = await ToldHome.start()
    const env = { ...home.env, ...wrong }
    for (const args of [
      ['serve', '--port', '0', '--db', join(home.folder, 'a.db')],
      ['orchestrate', '--once'],
    ]) {
      const { exitCode, stderr } = await agentmail(args, { env, cwd: home.folder })
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/^error: AGENTMAIL_NOTIFY must be an address/)
      expect(stderr).not.toContain(secret)
    }
  })

  it('is what doctor tells of a receiver that refuses, until one is taken', async () => {
    const home = await ToldHome.start()
    home.receiver.answer(404)
    await home.send('Offer')
    await home.came(1)
    await home.drained()
    const told = await home.run(['doctor'])
    expect(told.stdout).toContain(
      'AGENTMAIL_NOTIFY: a notice is dropped, since the answer was HTTP 404',
    )
    expect(told.stdout + home.read('poster.log')).not.toContain(secret)
    expect(home.read('poster.log')).toContain('HTTP 404')
    await home.send('Again')
    await home.came(2)
    await home.drained()
    expect((await home.run(['doctor'])).stdout).toContain('Nothing is wrong.')
  })

  it('is no command for people', async () => {
    const { stdout } = await agentmail(['--help'])
    expect(stdout).not.toContain('post-notices')
  })
})
