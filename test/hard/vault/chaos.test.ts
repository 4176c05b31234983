/** A vault whose servers are killed at random moments. Each promise is also tried with its safeguard off. */
import { describe, expect, it, vi } from 'vitest'
import { expectDamage } from '../../support/control-run.ts'
import { loading } from '../../support/loading.ts'
import { isLong } from '../../support/parts.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { type Kills, killMovers, killWriters } from '../../support/vault/vault-kills.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 240_000 })

/** Several at a time, each with vaults of its own. */
async function inSlots(count: number, run: (share: number) => Promise<Kills>): Promise<Kills[]> {
  const slots = 4
  return Promise.all(Array.from({ length: slots }, () => run(Math.ceil(count / slots))))
}

const sum = (runs: Kills[], what: 'kills' | 'acknowledged' | 'interrupted') =>
  runs.reduce((total, run) => total + run[what], 0)

function expectWhole(runs: Kills[]): void {
  for (const { torn, lost, strays, mislisted } of runs) {
    expect({ torn, lost, strays, mislisted }).toEqual({
      torn: [],
      lost: [],
      strays: [],
      mislisted: [],
    })
  }
  console.log(
    `${sum(runs, 'kills')} kills, ${sum(runs, 'acknowledged')} acknowledged, ${sum(runs, 'interrupted')} cut short`,
  )
  expect(sum(runs, 'acknowledged')).toBeGreaterThanOrEqual(sum(runs, 'kills'))
}

describe('a server killed at random moments', () => {
  it('leaves every note whole, and as new as was acknowledged', async () => {
    const random = seededRandom()
    const runs = await inSlots(isLong ? 200 : 8, (kills) => killWriters({ kills, random }))
    expectWhole(runs)
    if (isLong) expect(sum(runs, 'interrupted')).toBeGreaterThan(0)
  })

  it('leaves torn notes when it writes them in place (control)', async () => {
    const random = seededRandom()
    const env = loading(['careless-files'], { CARELESS: 'in place' })
    await expectDamage(async () => {
      const runs = await inSlots(8, (kills) => killWriters({ kills, random, env, isSlow: true }))
      return runs.flatMap(({ torn }) => torn).length
    })
  })

  it('leaves a note that it was moving at one of its places, or at both as one file', async () => {
    const random = seededRandom()
    expectWhole(await inSlots(isLong ? 200 : 4, (kills) => killMovers({ kills, random })))
  })
})
