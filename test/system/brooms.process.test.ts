/** What was left in the state folder goes where something new is made, and by doctor --fix. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { holdOwnWay } from '../../src/mailbox/mailman/own-ways.ts'
import { keepRecord } from '../../src/server/server-record.ts'
import { keepSetupRecord } from '../../src/setup/record.ts'
import { databaseOf } from '../../src/store/database.ts'
import { DoctorMachine } from '../support/cli/doctor-machine.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const monthAgo = Date.now() / 1000 - 40 * 24 * 3600

/** As those have left it that were killed, and what is still of use. */
function litter(state: string): { left: string[]; useful: string[] } {
  const put = (path: string, text: string, isOld = true) => {
    const file = join(state, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, text, { mode: 0o600 })
    if (isOld) for (const one of [file, dirname(file)]) utimesSync(one, monthAgo, monthAgo)
    return file
  }
  const record = (target: string) =>
    JSON.stringify({ version: 1, target, before: null, after: [], folders: [] })
  const [old, recent] = ['0'.repeat(16), '1'.repeat(16)]
  return {
    left: [
      put('wakers/dead.waker', '{}'),
      dirname(put(`servers/${old}/server.log`, 'words')),
      put(`setup/${'0'.repeat(32)}.json`, record('/nowhere/at/all')),
    ],
    useful: [
      put(`servers/${recent}/server.log`, 'words', false),
      put(`setup/${'1'.repeat(32)}.json`, record(state)),
      put(`setup/${'2'.repeat(32)}.json`, record('/nowhere/yet'), false),
    ],
  }
}

const there = (paths: string[]) => paths.filter((path) => existsSync(path))

describe('what was left', () => {
  it('goes where something new is made', async () => {
    const home = temporaryFolder()
    const config = new Config(
      {},
      { XDG_STATE_HOME: home, AGENTMAIL_DB: join(home, 'agentmail.db') },
    )
    const { left, useful } = litter(join(home, 'agentmail'))
    const held = await holdOwnWay(config, 'living', 100)
    const other = await holdOwnWay(config, 'other', 100)
    const server = { url: 'http://127.0.0.1:1', instance: 'abcdefgh' }
    const kept = await keepRecord(config, databaseOf(config), server)
    keepSetupRecord(config, join(home, 'new'), { before: undefined, after: [], folders: [] })
    expect(readdirSync(join(home, 'agentmail/wakers')).sort()).toEqual([
      'living.waker',
      'other.waker',
    ])
    for (const one of [held, other, kept]) one?.end()
    expect([there(left), there(useful)]).toEqual([[], useful])
  })

  it('is told by doctor, and removed with --fix', async () => {
    const machine = await DoctorMachine.open()
    const { left, useful } = litter(machine.at('.local/state/agentmail'))
    const { stdout } = await machine.run(['doctor'])
    for (const path of left) expect(stdout).toContain(path)
    for (const path of useful) expect(stdout).not.toContain(path)
    expect(there(left)).toEqual(left)
    await machine.run(['doctor', '--fix'])
    expect([there(left), there(useful)]).toEqual([[], useful])
  })
})
