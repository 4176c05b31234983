/** An orchestrator that is killed around its digest sends it once a date, or says that nobody knows. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Env } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { loading } from '../../support/loading.ts'
import { noonZone } from '../../support/noon.ts'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'
import { isLong } from '../../support/parts.ts'

vi.setConfig({ testTimeout: isLong ? 900_000 : 180_000 })

const dayMs = 24 * 3600_000
const command = ['orchestrate', '--once', '--digest', '00:00', '--json']

/** As of so many days from now; killed before this change of a file, if any. */
const onDay = (days: number, killAt?: number): Env =>
  loading(killAt === undefined ? ['odd-time'] : ['odd-time', 'killed-call'], {
    // Whoever goes on comes later than any sender may take.
    TIME_SHIFT_MS: String(days * dayMs + (killAt === undefined ? 120_000 : 0)),
    ...(killAt !== undefined && { KILL_AT: String(killAt) }),
  })

const dateOf = (subject = ''): string | undefined => /^AgentMail digest (\S+):/.exec(subject)?.[1]

/** How often the digest of each date has left. */
async function digests(home: OrchestratorHome): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const subject of await home.sentSubjects()) {
    const date = dateOf(subject)
    if (date !== undefined) counts.set(date, (counts.get(date) ?? 0) + 1)
  }
  return counts
}

describe('an orchestrator that is killed around its digest', () => {
  it('has sent it once for each date, at whatever change of a file', async () => {
    const home = await OrchestratorHome.make([], { TZ: noonZone() })
    home.drop({ subject: 'waits' })
    await home.run(command, onDay(0))
    let killed = 0
    let unknown = 0
    const last = isLong ? 40 : 18
    for (let change = 1; change <= last; change++) {
      const { exitCode } = await home.run(command, onDay(change, change))
      if (exitCode !== 0) killed++
      const before = await digests(home)
      const { stdout } = await home.run(command, onDay(change))
      const isUnknown = stdout.includes('"event":"unknown"')
      if (isUnknown) unknown++
      const after = await digests(home)
      expect(Math.max(...after.values()), `change ${change}`).toBe(1)
      expect(after.size, `change ${change}`).toBe(change + 1 - unknown)
      expect(after.size - before.size).toBeLessThanOrEqual(1)
    }
    console.log(`${killed} killed, ${unknown} of which nobody knows`)
    expect(killed).toBeGreaterThan(last / 3)
    expect(unknown).toBeLessThanOrEqual(3)
  })

  it('would have sent it twice without the ledger and the state', async () => {
    await expectDamage(async (attempt) => {
      const home = await OrchestratorHome.make([], { TZ: noonZone() })
      home.drop({ subject: 'waits' })
      await home.run(command, onDay(attempt))
      home.remove('Logs/orchestrator_state.json')
      rmSync(join(home.folder, 'state'), { recursive: true })
      await home.run(command, onDay(attempt))
      return Math.max(...(await digests(home)).values()) - 1
    })
  })
})
