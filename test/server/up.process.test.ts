/** agentmail up, ps and down: what runs is shown, started once, and stopped. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { git, openSession, repository } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { isAlive, UpPlace } from '../support/server/up-place.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const pidFiles = (place: UpPlace) => place.stateFiles().filter((file) => file.endsWith('.pid'))

describe('agentmail up', () => {
  it('starts a server that is well, and shows project, page, who is here and the next step', async () => {
    const place = await UpPlace.open()
    const ran = await place.run(['up'])
    expect(ran).toMatchObject({ stderr: '', exitCode: 0 })
    expect(ran.stdout).toContain(`Project    ${basename(place.folder)}\n`)
    expect(ran.stdout).toContain(`Page       http://127.0.0.1:${place.port}/\n`)
    expect(ran.stdout).toMatch(/^Mailman {4}not started: this is not tmux$/m)
    expect(ran.stdout).toMatch(/^Nobody is here yet\.$/m)
    expect(ran.stdout).toMatch(/^Next: \S/m)
    const health = await fetch(`http://127.0.0.1:${place.port}/health`)
    expect(health.status).toBe(200)
  })

  it('takes its rules from whoever starts it, not from the file of the repository', async () => {
    const place = await UpPlace.open(repository(), { AGENTMAIL_SWEEP_SECONDS: '40' })
    const file = join(place.folder, '.agentmail.toml')
    writeFileSync(file, 'stale_seconds = 0.1\nproject = "own"\nperson = "mallory"\n')
    const { server, project } = await place.up()
    const health = Object(await (await fetch(`${server.url}/health`)).json())
    expect([health.stale_seconds, project]).toEqual([120, 'own'])
    await place.down()
    const env = { ...place.env, AGENTMAIL_STALE_SECONDS: '77' } // the control
    const db = join(temporaryFolder(), 'by-hand.db')
    const byHand = await TestServer.start({ db, env, cwd: place.folder })
    const told = Object(await (await fetch(`${byHand.url}/health`)).json())
    expect(told.stale_seconds).toBe(77)
  })

  it.runIf(process.platform === 'linux')(
    'knows nothing of the client that has started it',
    async () => {
      const ofClient = { CLAUDE_PID: '1', CODEX_SESSION_ID: 'c', COPILOT_CLI: '1' }
      const keys = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' }
      const kept = { CODEX_HOME: '/codex', AGENTMAIL_RATE_LIMIT: '7' }
      const place = await UpPlace.open(repository(), { ...ofClient, ...keys, ...kept })
      const { server } = await place.up()
      const variables = readFileSync(`/proc/${server.pid}/environ`, 'utf8').split('\0')
      const names = variables.map((variable) => variable.split('=')[0])
      const wanted = [...Object.keys(kept), 'PATH', 'HOME', 'XDG_STATE_HOME', 'AGENTMAIL_PORT']
      expect(names).toEqual(expect.arrayContaining(wanted))
      const client = /^(?:CLAUDE|COPILOT|GEMINI)|^CODEX_SESSION|API_KEY$/
      expect(names.filter((name) => client.test(name ?? ''))).toEqual([])
    },
  )

  it('shows the same again, and starts nothing twice', async () => {
    const place = await UpPlace.open()
    const first = await place.up()
    expect(first.started).toEqual(['server'])
    const { started, ...second } = await place.up()
    expect(started).toEqual([])
    expect(second.server).toEqual(first.server)
    expect(await place.view('ps')).toEqual(second)
    expect(pidFiles(place)).toHaveLength(1)
  })

  it('starts one server where many begin at the same moment', async () => {
    const place = await UpPlace.open()
    const views = await Promise.all(Array.from({ length: 4 }, () => place.up()))
    expect(new Set(views.map(({ server }) => server.pid)).size).toBe(1)
    expect(views.flatMap(({ started }) => started)).toEqual(['server'])
    expect(pidFiles(place)).toHaveLength(1)
  })

  it('finds one that was started by agentmail serve, on whatever port', async () => {
    const place = await UpPlace.open()
    const db = join(temporaryFolder(), 'by-hand.db')
    const byHand = await TestServer.start({ db, env: place.env })
    const { server, started } = await place.up('--db', db)
    expect(started).toEqual([])
    expect(server).toMatchObject({ pid: byHand.pid, url: byHand.url, database: db })
    const elsewhere = await place.run(['up', '--db', db, '--port', String(place.port)])
    expect(elsewhere.exitCode).toBe(0)
    expect(elsewhere.stderr).toContain(`runs already, at ${byHand.url}`)
    expect((await place.run(['down', '--db', db])).stdout).toContain(`PID ${byHand.pid}`)
    expect(await byHand.ended).toMatchObject({ exitCode: 0 })
  })

  it('keeps log and PID file for their owner', async () => {
    const place = await UpPlace.open()
    const { server } = await place.up()
    const [file = ''] = pidFiles(place)
    expect(readFileSync(place.statePath(file), 'utf8').split('\n')[0]).toBe(String(server.pid))
    for (const path of [place.statePath(file), server.log]) {
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    expect(readFileSync(server.log, 'utf8')).toContain(`(PID ${server.pid}) serves ${server.url}/`)
  })

  it('goes on when the terminal ends, and has nothing of it open', async () => {
    const place = await UpPlace.open()
    const { server } = await place.up()
    process.kill(server.pid, 'SIGHUP')
    const again = await place.up()
    expect(again.server.pid).toBe(server.pid)
    expect(again.started).toEqual([])
  })

  it('serves on when the worktree is removed in which it was started', async () => {
    const main = repository()
    const worktree = join(temporaryFolder(), 'tree')
    git(main, 'worktree', 'add', '--quiet', worktree)
    const place = await UpPlace.open(main)
    const begun = await place.run(['up', '--json'], { cwd: worktree })
    expect(begun.exitCode).toBe(0)
    git(main, 'worktree', 'remove', '--force', worktree)
    const env = { AGENTMAIL_AGENT: 'anna' }
    expect(await place.run(['claim', join(main, 'a.ts')], { env })).toMatchObject({ exitCode: 0 })
    expect((await place.run(['claims'])).stdout).toContain('a.ts')
    expect((await place.up()).started).toEqual([])
  })

  it('starts none where AGENTMAIL_SERVER names one, and says when that does not answer', async () => {
    const server = await TestServer.start()
    const place = await UpPlace.open()
    const named = (url: string) => place.run(['up', '--json'], { env: { AGENTMAIL_SERVER: url } })
    const ran = await named(server.url)
    expect(ran).toMatchObject({ stderr: '', exitCode: 0 })
    expect(JSON.parse(ran.stdout)).toMatchObject({ started: [], server: { url: server.url } })
    const none = await named(`http://127.0.0.1:${place.port}`)
    expect(none).toMatchObject({ stdout: '', exitCode: 1 })
    expect(none.stderr).toContain('cannot be reached')
    expect(pidFiles(place)).toEqual([])
  })
})

describe('agentmail ps', () => {
  it('starts and makes nothing where nothing runs', async () => {
    const place = await UpPlace.open()
    const view = await place.view('ps')
    expect(view).toMatchObject({ server: null, mailman: null, agents: [], other_servers: [] })
    expect(view.project).toBe(basename(place.folder))
    expect(view.next).toContain('agentmail up')
    expect(place.stateFiles()).toEqual([])
  })

  it('does not say that nothing waits where nobody could be asked', async () => {
    const place = await UpPlace.open()
    const env = { AGENTMAIL_SERVER: `http://127.0.0.1:${place.port}` }
    const { stdout, stderr } = await place.run(['ps'], { env })
    expect(stdout).toMatch(/^For you {4}not known, since not all could be asked$/m)
    expect(stderr).toContain('warning: ')
    const { waiting } = JSON.parse((await place.run(['ps', '--json'], { env })).stdout)
    expect(waiting).toMatchObject({ inbox: 0, complete: false })
  })

  it('shows who is here and what waits for the person', async () => {
    const place = await UpPlace.open()
    await place.up()
    const env = { AGENTMAIL_AGENT: 'anna' }
    await place.run(['claim', 'a.ts', '--role', 'coder'], { env })
    await place.run(['send', 'human', 'May I?'], { env })
    const view = await place.view('ps')
    expect(view.agents.map(({ name }) => name)).toEqual(['anna'])
    expect(view.waiting).toEqual({
      name: 'human',
      inbox: 1,
      drafts: 0,
      unknown_sends: 0,
      complete: true,
    })
    expect(view.next).toContain('agentmail inbox')
    const { stdout } = await place.run(['ps'])
    expect(stdout).toMatch(/^For you {4}1 message$/m)
    expect(stdout).toMatch(/^anna +coder/m)
  })

  it('shows an agent what waits for that agent, as its inbox does', async () => {
    const place = await UpPlace.open()
    await place.up()
    await place.run(['send', 'human', 'May I?'], { env: { AGENTMAIL_AGENT: 'lea' } })
    const env = { AGENTMAIL_AGENT: 'lea' }
    const waiting = async () =>
      JSON.parse((await place.run(['ps', '--json'], { env })).stdout).waiting
    expect(await waiting()).toMatchObject({ name: 'lea', inbox: 0, complete: true })
    await place.run(['claim', 'a.ts', '--role', 'coder'], { env })
    await place.run(['send', 'lea', 'You may.'], { env: { AGENTMAIL_AGENT: 'human' } })
    expect(await waiting()).toMatchObject({ name: 'lea', inbox: 1 })
    const { inbox } = JSON.parse((await place.run(['inbox', '--json'], { env })).stdout)
    expect(inbox).toHaveLength(1)
  })

  it('says once what is wrong with a project, and does not call a folder a repository', async () => {
    const place = await UpPlace.open(temporaryFolder())
    const wrong = await place.run(['ps', '--project', 'no/such'])
    expect(wrong).toMatchObject({ stdout: '', exitCode: 1 })
    expect(wrong.stderr.match(/the project must be a name/g)).toHaveLength(1)
    expect((await place.up()).next).toMatch(/start your agents in a repository\.$/)
  })
})

describe('agentmail down', () => {
  it('stops the server and waits for its end; without one it says so', async () => {
    const place = await UpPlace.open()
    const { server } = await place.up()
    const down = await place.down()
    expect(down).toMatchObject({ stderr: '', exitCode: 0 })
    expect(down.stdout).toContain(`PID ${server.pid}`)
    await eventually('it is gone', () => !isAlive(server.pid))
    expect(pidFiles(place)).toEqual([])
    expect(await place.down()).toMatchObject({ stdout: 'Nothing runs\n', exitCode: 0 })
    expect(await place.view('ps')).toMatchObject({ server: null })
  })

  it('leaves a server of another database alone', async () => {
    const place = await UpPlace.open()
    const other = await TestServer.start({ env: place.env })
    await place.up()
    await place.down()
    expect((await fetch(`${other.url}/health`)).status).toBe(200)
  })

  it('finishes what is under way first', async () => {
    const place = await UpPlace.open()
    await place.up()
    const waiting = start(['messages', '--follow'], {
      cwd: place.folder,
      env: { ...place.env, AGENTMAIL_AGENT: 'anna' },
    })
    waiting.stdout.resume()
    const down = await place.down()
    waiting.kill('SIGKILL')
    expect(down).toMatchObject({ stderr: '', exitCode: 0 })
  })
})

describeWith('tmux', 'in tmux', () => {
  it('up starts the mailman of the repository too, once, and down stops both', async () => {
    const session = openSession(['one', 'two'])
    const place = await UpPlace.open(session.repository, session.env(0))
    const views = await Promise.all([place.up(), place.up()])
    const started = views.flatMap((view) => view.started).sort()
    expect(started).toEqual(['mailman', 'server'])
    const { mailman, server, next } = await place.up()
    expect(next).toContain('agentmail setup') // two windows are no agents yet
    expect(isAlive(mailman?.pid ?? 0)).toBe(true)
    expect((await place.run(['up'])).stdout).toContain(`running (PID ${mailman?.pid})`)
    const { stopped } = JSON.parse((await place.run(['down', '--json'])).stdout)
    expect(stopped).toEqual([
      { what: 'server', pid: server.pid, url: server.url },
      { what: 'mailman', pid: mailman?.pid },
    ])
    await eventually('both are gone', () => !isAlive(mailman?.pid ?? 0) && !isAlive(server.pid))
    expect(await place.view('ps')).toMatchObject({ server: null, mailman: null })
  })

  it('up leaves the mailman of another repository to that', async () => {
    const session = openSession(['one'])
    const place = await UpPlace.open(session.repository, session.env(0))
    const { mailman } = await place.up()
    const elsewhere = repository()
    const view = await place.run(['ps', '--json'], { cwd: elsewhere })
    expect(JSON.parse(view.stdout)).toMatchObject({ mailman: null, server: { state: 'ok' } })
    const down = await place.run(['down', '--json'], { cwd: elsewhere })
    expect(JSON.parse(down.stdout).stopped).toHaveLength(1)
    expect(isAlive(mailman?.pid ?? 0)).toBe(true)
  })
})
