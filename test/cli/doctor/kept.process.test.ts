/** What agentmail doctor says of what is kept on the disk: who can read it, what the dead have left, what is damaged. */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DoctorMachine, said } from '../../support/cli/doctor-machine.ts'
import { canMount, smallDisk } from '../../support/full-disk.ts'

describe('what is kept', () => {
  it('is closed to others by --fix, and by nothing else', async () => {
    const machine = await DoctorMachine.open()
    await machine.ok(['post', 'one', 'body', '--as', 'ann'])
    const data = machine.at('.local/share/agentmail')
    chmodSync(data, 0o755)
    const secret = machine.put('.config/agentmail/config.toml', 'token = "very-secret"\n', 0o644)
    const token = machine.put('.config/agentmail/gmail/token-me.json', '{}', 0o640)
    const state = machine.at('.local/state/agentmail')
    mkdirSync(state, { recursive: true, mode: 0o755 })
    const report = await machine.doctor()
    expect(said(report, secret)).toEqual([
      expect.stringMatching(/^problem: line 1.*others can read/),
    ])
    expect(said(report, token)).toEqual([expect.stringMatching(/^problem: .*secret/)])
    expect(said(report, state)).toEqual([expect.stringMatching(/^warn: others/)])
    expect(machine.mode('.config/agentmail/config.toml')).toBe('644')
    expect(said(report, data)).toEqual([expect.stringMatching(/^warn: others/)])
    expect(machine.mode('.local/share/agentmail')).toBe('755')
    const mended = await machine.doctor({}, '--fix')
    expect(mended.fixed.toSorted()).toEqual(
      [secret, token, data, state].map((path) => `closed ${path} to all but you`),
    )
    expect(said(mended, 'permissions')).toEqual([expect.stringMatching(/^ok: /)])
    for (const path of [secret, token])
      expect(machine.mode(path.slice(machine.home.length))).toBe('600')
    expect(machine.mode('.local/state/agentmail')).toBe('700')
    expect((await machine.doctor({}, '--fix')).fixed).toEqual([])
  })

  it('is freed of what the dead have left, and of nothing that the living hold', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    const left = machine.put('.local/state/agentmail/servers/0123/1-a.pid', '1\n{}\n')
    const mailman = machine.put('shop/.agentmail/mailman.pid', '999999\n')
    const note = machine.at('elsewhere.db.server')
    writeFileSync(note, JSON.stringify({ url: 'http://127.0.0.1:1', instance: 'x', pid: 999_999 }))
    const elsewhere = { AGENTMAIL_DB: machine.at('elsewhere.db') }
    const report = await machine.doctor(elsewhere)
    for (const path of [left, mailman, note]) {
      expect(said(report, path)).toEqual([expect.stringMatching(/^warn: .*has ended/)])
      expect(existsSync(path)).toBe(true)
    }
    const mended = await machine.doctor(elsewhere, '--fix')
    expect(mended.fixed).toHaveLength(3)
    for (const path of [left, mailman, note]) expect(existsSync(path)).toBe(false)
    expect((await machine.doctor({}, '--fix')).fixed).toEqual([])
    expect(said(await machine.doctor(), 'server')).toEqual([expect.stringMatching(/^ok: /)])
  })

  it('tells of the end of a database that was taken away, and leaves it alone', async () => {
    const machine = await DoctorMachine.open()
    await machine.ok(['post', 'one', 'body', '--as', 'ann'])
    const aside = machine.put('.local/share/agentmail/agentmail.db-wal.lost-1-2', 'frames')
    const report = await machine.doctor({}, '--fix')
    expect(said(report, aside)).toEqual([expect.stringMatching(/^warn: is the end of a database/)])
    expect(existsSync(aside)).toBe(true)
    for (const end of ['', '-wal', '-shm']) {
      rmSync(machine.at(`.local/share/agentmail/agentmail.db${end}`), { force: true })
    }
    expect(said(await machine.doctor(), aside)).toHaveLength(1) // above all where the file is gone
  })

  it.runIf(canMount())('needs room on its disk', async () => {
    const machine = await DoctorMachine.open()
    const { folder } = smallDisk()
    const report = await machine.doctor({ XDG_DATA_HOME: folder })
    const [words] = said(report, join(folder, 'agentmail'))
    expect(words).toMatch(/^problem: [34] MB are left on its disk/)
  })

  it('tells of damaged mail', async () => {
    const machine = await DoctorMachine.open()
    await machine.ok(['recipients'], { AGENTMAIL_AGENT: 'bob' })
    await machine.ok(['send', 'bob', 'hello'], { AGENTMAIL_AGENT: 'ann' })
    writeFileSync(machine.at('shop/.agentmail/mailboxes/bob.jsonl'), '{"torn\n', { flag: 'a' })
    const report = await machine.doctor()
    expect(said(report, 'mailbox bob')).toEqual([expect.stringMatching(/^problem: line 2/)])
    expect(report.findings).toMatchObject([{ subject: 'mailbox bob' }])
  })
})
