/** A server wakes idle sessions of Codex by its command; where that fails nothing is noted, and one of several servers does it. The real one is in hard/hooks. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type ClientWindow, openWindow } from '../support/sessions/client-window.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** In the place of Codex: notes how it was called, and does what it is told. */
function standIn(does = 'exit 0') {
  const folder = temporaryFolder()
  const log = join(folder, 'calls')
  const program = join(folder, 'codex')
  const set = (script: string) => {
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\n${script}\n`)
    chmodSync(program, 0o755)
  }
  set(does)
  return {
    set,
    path: `${folder}:${process.env.PATH}`,
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  }
}

const send = ['send', 'ann', 'the build is red']
const post = ['post', '--channel', '@ann', 'news', 'the build is red']

async function idle(window: ClientWindow) {
  await window.tell('SessionStart')
  await window.tell('UserPromptSubmit')
  await window.tell('Stop')
}

const stateOf = async (window: ClientWindow) => (await window.sent('bob'))[0]

describe('an idle session of Codex', () => {
  it.each([
    ['mail', send],
    ['a message', post],
  ])('is told that %s waits, and from whom, once', async (_, command) => {
    const codex = standIn()
    const window = openWindow({ PATH: codex.path }, { client: 'codex' })
    await window.serve()
    await idle(window)
    await window.isWaitedFor()
    await window.as('bob', ...command)
    await eventually('codex is run', () => codex.calls().length === 1)
    expect(codex.calls()[0]).toMatch(
      new RegExp(
        `^queue --thread=${window.session} --message=AgentMail: mail waits for you, from "bob"\\. `,
      ),
    )
    expect(codex.calls()[0]).not.toContain('red')
    await eventually('it is noted', async () => (await stateOf(window))?.notified_by === 'codex')
    await pause(1500)
    expect(codex.calls()).toHaveLength(1)
    expect(JSON.stringify(await window.tell('UserPromptSubmit'))).toContain('the build is red')
    expect(await stateOf(window)).toMatchObject({ state: 'read', notified_by: 'codex' })
  })

  it('is found by a server that comes later', async () => {
    const codex = standIn()
    const window = openWindow({ PATH: codex.path }, { client: 'codex' })
    await idle(window)
    for (const command of [send, post]) await window.as('bob', ...command)
    expect(codex.calls()).toEqual([])
    const server = await window.serve()
    await eventually('codex is run', () => codex.calls().length === 1)
    await eventually('it is noted', async () => (await stateOf(window))?.state === 'notified')
    server.child.kill('SIGKILL')
    await server.ended
    await window.serve()
    await window.isWaitedFor()
    await window.as('bob', ...post)
    await eventually('codex is run again', () => codex.calls().length === 2)
  })

  it('is woken by one of two servers', async () => {
    const codex = standIn('sleep 1')
    const window = openWindow({ PATH: codex.path }, { client: 'codex' })
    await idle(window)
    await Promise.all([window.serve(), window.serve()])
    await window.isWaitedFor()
    await window.as('bob', ...post)
    await eventually('it is noted', async () => (await stateOf(window))?.state === 'notified')
    await pause(2500)
    expect(codex.calls()).toHaveLength(1)
  })

  it.each([
    ['is not there', undefined],
    ['fails', 'echo no such thread >&2; exit 1'],
  ])('stays as it is where its command %s, and nothing is noted', async (_, does) => {
    const codex = standIn(does)
    const PATH = does === undefined ? process.env.PATH : codex.path
    const window = openWindow({ PATH }, { client: 'codex' })
    const server = await window.serve()
    await idle(window)
    await window.isWaitedFor()
    await window.as('bob', ...post)
    await eventually('it is left to others', () => window.wakers().length === 0)
    expect(await stateOf(window)).toMatchObject({ state: 'queued' })
    await server.stop()
    expect((await server.ended).stderr).toMatch(/codex queue did not wake a session: /)
    expect(JSON.stringify(await window.tell('UserPromptSubmit'))).toContain('the build is red')
  })

  it('is not woken while it works or a person is asked', async () => {
    const codex = standIn()
    const window = openWindow({ PATH: codex.path }, { client: 'codex' })
    await window.serve()
    await idle(window)
    for (const event of ['UserPromptSubmit', 'PermissionRequest']) {
      await window.tell(event)
      await window.as('bob', ...post)
    }
    await pause(2500)
    expect(codex.calls()).toEqual([])
  })
})
