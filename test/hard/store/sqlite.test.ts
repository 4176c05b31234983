/** SQLite under several processes at once, and after a kill at any statement of its migration. */
import { describe, expect, it } from 'vitest'
import { expectDamage } from '../../support/control-run.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import { upTo } from '../../support/store/databases.ts'
import { create, newPath, open, refusal, sql } from '../../support/store/sqlite-files.ts'
import { startSqlite } from '../../support/store/sqlite-processes.ts'

describe.each([
  ['one file', ['src/main.ts', 'src/main.ts', 'src/main.ts', 'src/main.ts']],
  ['a folder, what is in it, and what is above it', ['src/', 'src/main.ts', 'src/**', '.']],
])('four processes that claim %s', (_, files) => {
  async function claimAtOnce(rounds: number, ...safeguard: string[]): Promise<number> {
    const path = newPath()
    const workers = files.map((file) => startSqlite(path, 'claim', rounds, file, ...safeguard).over)
    const words = (await Promise.all(workers)).map(({ stdout, stderr }) => {
      expect(stderr).toBe('')
      return stdout.split('\n').slice(0, -1)
    })
    expect(words.map((said) => said.at(-1))).toEqual(Array(4).fill('done'))
    return words.flat().filter((word) => word === 'two holders').length
  }

  it('never hold it at the same time, and all get it in the end', async () => {
    expect(await claimAtOnce(isLong ? 500 : 15)).toBe(0)
  })

  it('meet when they do not claim it (control)', async () => {
    await expectDamage(() => claimAtOnce(15, 'no claim'))
  })
})

describe('a migration killed with SIGKILL', () => {
  it('is completed by the next start, whichever statement it was killed at', async () => {
    const { stdout } = await startSqlite(newPath(), 'migrate').over
    const statements = Number(stdout)
    expect(statements).toBeGreaterThan(15)
    // In the short version a third of them, always others: each start of a process takes its time.
    const random = seededChoice()
    const third = random(3)
    const chosen = upTo(statements).filter((n) => isLong || n % 3 === third)
    for (const statement of chosen) {
      const path = newPath()
      const { signal } = await startSqlite(path, 'migrate', statement).over
      expect(signal).toBe('SIGKILL')
      const { agents, messages } = await open(path)
      const { agent_id } = await agents.register({ name: 'a', role: 'b' })
      const letter = { channel: 'broadcast', subject: 's', body: 'b' }
      expect(await messages.send({ agent_id, ...letter })).toEqual({ message_id: 1 })
      expect(sql(path, 'PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }])
    }
  })

  it('is not completed where tables were left behind without their record (control)', async () => {
    const whole = newPath()
    await create(whole)
    const definitions = sql(whole, 'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 5')
    const path = newPath()
    sql(path, ...definitions.map((row) => String(row.sql)))
    expect((await refusal(path)).code).toBe('database_unreadable')
  })
})
