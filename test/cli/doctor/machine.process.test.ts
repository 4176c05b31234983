/** agentmail doctor on a machine that is well, and on one with something broken: what it says, and what it mends. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { start } from '../../support/agentmail.ts'
import { advised, DoctorMachine, said, wrongIn } from '../../support/cli/doctor-machine.ts'
import { eventually } from '../../support/eventually.ts'
import { listening } from '../../support/listening.ts'
import { openSession } from '../../support/mailbox/tmux.ts'
import { describeWith } from '../../support/parts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('agentmail doctor', () => {
  it('says what it has looked at where nothing is wrong, and makes nothing', async () => {
    const machine = await DoctorMachine.open()
    const before = machine.files()
    const { stdout, stderr, exitCode } = await machine.run(['doctor'])
    expect([stderr, exitCode]).toEqual(['', 0])
    expect(stdout).toMatch(/^Post office: .*\n\nThis machine:\n {2}ok {7}Node: \d+\./)
    for (const subject of ['git', 'settings', 'mail', 'port', 'disk', 'permissions', 'leftovers']) {
      expect(stdout).toMatch(new RegExp(`^  ok {7}${subject}: \\S`, 'm'))
    }
    for (const subject of ['guard', 'database', 'server', 'token', 'clients', 'vault']) {
      expect(stdout).toMatch(new RegExp(`^  off {6}${subject}: \\S`, 'm'))
    }
    expect(stdout).toMatch(/\n\nNothing is wrong\.\n$/)
    await machine.doctor({}, '--fix')
    expect(machine.files()).toEqual(before)
  })

  it('is well where everything is up and set up', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    await machine.ok(['guard', 'install'])
    await machine.ok(['setup', 'claude', 'gemini', '--yes'])
    const report = await machine.doctor()
    expect(wrongIn(report)).toEqual([])
    expect(said(report, 'server')).toEqual([expect.stringMatching(/^ok: http.*PID \d+/)])
    expect(said(report, 'database')).toEqual([expect.stringMatching(/^ok: .*SQLite/)])
    expect(said(report, 'project')).toEqual(['ok: shop'])
    expect(said(report, 'guard')).toEqual([expect.stringMatching(/^ok: .*pre-commit/)])
    expect(said(report, 'Claude Code')).toEqual([
      'ok: server, hooks, permission set up, and answering',
    ])
    expect(said(report, 'Gemini CLI')).toEqual(['ok: server, hooks set up, and answering'])
  })

  it('looks at the rest outside a repository, and where a file of settings is broken', async () => {
    const machine = await DoctorMachine.open()
    machine.put('.config/agentmail/config.toml', 'port = \n')
    const { stdout, exitCode } = await machine.run(['doctor', '--json'], {}, temporaryFolder())
    expect(exitCode).toBe(1)
    const report = JSON.parse(stdout)
    expect(report.post_office).toBe(null)
    expect(said(report, 'mail')).toEqual([expect.stringMatching(/^off: not in a git repository/)])
    expect(wrongIn(report)).toEqual([machine.at('.config/agentmail/config.toml')])
  })

  it('tells of a vault that is not there, and of a port and a host that cannot be', async () => {
    const machine = await DoctorMachine.open()
    const env = { VAULT_PATH: '/nowhere', AGENTMAIL_HOST: '0.0.0.0', AGENTMAIL_SEND_POLICY: 'ask' }
    const report = await machine.doctor(env)
    expect(said(report, 'vault')).toEqual(['problem: there is no vault at /nowhere'])
    expect(said(report, 'token')).toEqual([
      'problem: refusing to listen on 0.0.0.0 without a token',
    ])
    expect(said(report, 'AGENTMAIL_SEND_POLICY')).toEqual(['problem: is none of direct, approve'])
    const odd = await machine.doctor({ AGENTMAIL_PORT: 'many' })
    expect(said(odd, 'AGENTMAIL_PORT')).toEqual([expect.stringMatching(/^problem: is /)])
    expect(odd.checks.length).toBeGreaterThan(15)
  })

  it('warns of another agentmail on PATH', async () => {
    const machine = await DoctorMachine.open()
    const bin = machine.at('other')
    mkdirSync(bin)
    writeFileSync(join(bin, 'agentmail'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const report = await machine.doctor({ PATH: `${bin}:${machine.env.PATH}` })
    expect(said(report, 'agentmail')).toEqual([expect.stringContaining(`is another, ${bin}`)])
    expect(report.problems).toBe(0)
  })
})

describe('the server', () => {
  it('is told of when another program has its port', async () => {
    const machine = await DoctorMachine.open()
    const [, port = ''] = (
      await listening(createHttpServer((_, answer) => answer.end('hi')))
    ).split(':')
    const report = await machine.doctor({ AGENTMAIL_PORT: port })
    expect(said(report, 'port')).toEqual([`warn: ${port} is in use by another program`])
    const silent = (await listening(createServer())).split(':')[1] ?? ''
    const other = await machine.doctor({ AGENTMAIL_PORT: silent })
    expect(said(other, 'port')).toEqual([`warn: ${silent} is in use by another program`])
  })

  it('is told of when it wants another token, or has lost its database', async () => {
    const machine = await DoctorMachine.open()
    const token = { AGENTMAIL_TOKEN: 'the-right-token' }
    await machine.up(token)
    expect(said(await machine.doctor(token), 'token')).toEqual(['ok: the server takes it'])
    const none = await machine.doctor()
    expect(said(none, 'token')).toEqual([expect.stringMatching(/^problem: .*it is not set/)])
    const wrong = await machine.doctor({ AGENTMAIL_TOKEN: 'the-wrong-token' })
    expect(said(wrong, 'token')).toEqual([expect.stringMatching(/^problem: .*it is another/)])
    expect(JSON.stringify([none, wrong])).not.toMatch(/the-(right|wrong)-token/)
    const data = machine.at('.local/share/agentmail')
    for (const name of readdirSync(data)) {
      if (/\.db(-\w+)?$/.test(name)) execFileSync('rm', [join(data, name)])
    }
    await eventually('it is lost', async () => {
      const [words = ''] = said(await machine.doctor(token), 'server')
      return /^problem: .*PID \d+.*(gone|lost|no longer)/.test(words)
    })
  })

  it('is told of when it is stopped in its midst', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    const [, pid] = /PID (\d+)/.exec(said(await machine.doctor(), 'server').join()) ?? []
    process.kill(Number(pid), 'SIGSTOP')
    try {
      const report = await machine.doctor()
      expect(said(report, 'server')).toEqual([expect.stringMatching(/does not answer$/)])
      expect(advised(report, 'server')).toContain('agentmail down')
    } finally {
      process.kill(Number(pid), 'SIGCONT')
    }
  })

  it('that the settings name must answer', async () => {
    const machine = await DoctorMachine.open()
    const url = `http://127.0.0.1:${machine.port}`
    const report = await machine.doctor({ AGENTMAIL_SERVER: url })
    expect(said(report, 'server')).toEqual([`problem: AgentMail does not answer at ${url}`])
    expect(said(report, 'database')).toEqual([expect.stringMatching(/^off: /)])
    await machine.up()
    const well = await machine.doctor({ AGENTMAIL_SERVER: url })
    expect(said(well, 'server')).toEqual([`ok: ${url}`])
  })
})

describe('the database', () => {
  it('is told of when it is none', async () => {
    const machine = await DoctorMachine.open()
    const db = machine.put('notes.db', 'this is no database, and long enough to be read as one')
    const report = await machine.doctor({ AGENTMAIL_DB: db })
    expect(said(report, 'database')).toEqual([
      expect.stringMatching(/^problem: .*could not be opened/),
    ])
    expect(machine.read('notes.db')).toContain('this is no database')
  })

  it('that hangs holds up nothing else', async () => {
    const machine = await DoctorMachine.open()
    const address = await listening(createServer())
    await machine.ok(['setup', 'gemini', '--yes'])
    const child = start(['doctor', '--json'], {
      cwd: machine.repository,
      env: { ...machine.env, AGENTMAIL_DB: `mysql://me:password1@${address}/agentmail` },
    })
    const began = performance.now()
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    await new Promise((resolve) => child.on('close', resolve))
    expect(performance.now() - began).toBeLessThan(15_000) // 4 s, on a machine that has time
    const report = JSON.parse(text)
    expect(said(report, 'database')).toEqual([
      `problem: mysql://me@${address}/agentmail did not answer within 4 s`,
    ])
    expect(said(report, 'Gemini CLI')).toEqual(['ok: server, hooks set up'])
    expect(said(report, 'git')).toEqual([expect.stringMatching(/^ok: /)])
    expect(text).not.toContain('password1')
  })
})

describe('the guard of git', () => {
  it('is told of when it is not there, old, changed or not run', async () => {
    const machine = await DoctorMachine.open()
    const hook = machine.at('shop/.git/hooks/pre-commit')
    expect(advised(await machine.doctor(), 'guard')).toContain('agentmail guard install')
    await machine.ok(['guard', 'install'])
    chmodSync(hook, 0o644)
    expect(said(await machine.doctor(), 'guard')).toEqual([
      expect.stringMatching(/not executable$/),
    ])
    chmodSync(hook, 0o755)
    writeFileSync(hook, 'echo mine\n', { flag: 'a' })
    expect(said(await machine.doctor(), 'guard')).toEqual([expect.stringMatching(/was changed/)])
    execFileSync('git', ['config', 'core.hooksPath', '/dev/null'], { cwd: machine.repository })
    expect(said(await machine.doctor(), 'guard')).toEqual([
      'warn: core.hooksPath is "/dev/null", so git runs no hooks here',
    ])
  })
})

describeWith('tmux', 'doctor in tmux', () => {
  it('warns of an agent whose window tmux gives another name', async () => {
    const session = openSession(['one', 'two'])
    const env = { XDG_STATE_HOME: temporaryFolder() }
    const doctor = async () =>
      JSON.parse((await session.run(0, ['doctor', '--json'], { env })).stdout)
    for (const window of [0, 1]) await session.run(window, ['recipients'])
    expect(wrongIn(await doctor())).toEqual([])
    session.tmux('set-option', '-w', '-t', session.pane(1), 'automatic-rename', 'on')
    await eventually('it has another name', () =>
      session.tmux('list-windows', '-F', '#{window_name}').includes('cat'),
    )
    await session.run(1, ['recipients'])
    const report = await doctor()
    expect(said(report, 'window cat')).toEqual([
      expect.stringMatching(/^warn: tmux gives it another/),
    ])
    expect(said(report, 'tmux')).toEqual([expect.stringMatching(/^ok: .*pane %\d+/)])
  })
})

it('follows no link where it closes something to others', async () => {
  const machine = await DoctorMachine.open()
  const outside = machine.put('outside', 'mine', 0o644)
  mkdirSync(machine.at('shop/.agentmail'))
  symlinkSync(outside, machine.at('shop/.agentmail/mailboxes'))
  await machine.doctor({}, '--fix')
  expect(machine.mode('outside')).toBe('644')
})
