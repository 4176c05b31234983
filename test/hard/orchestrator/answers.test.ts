/** An answer reaches the agent that asked once, wherever the orchestrator is killed while it hands it over. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { usualDatabase } from '../../../src/store/usual-database.ts'
import { type Env, start } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { loading } from '../../support/loading.ts'
import { AskedHome, toAgents } from '../../support/orchestrator/asked-home.ts'
import { isLong } from '../../support/parts.ts'

vi.setConfig({ testTimeout: isLong ? 1800_000 : 180_000 })
const kills = isLong ? 200 : 24

/** Runs an orchestrator until it is killed, or done. Gives whether it was killed. */
async function run({ home }: AskedHome, env: Env): Promise<boolean> {
  const child = start(['orchestrate', '--once', '--json'], {
    env: { ...home.env, ...env },
    cwd: home.folder,
  })
  child.stdin.end()
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'exit')
  return child.signalCode === 'SIGKILL'
}

const atChange = (count: number): Env => loading(['killed-call'], { KILL_AT: String(count) })
const whenMarking = loading(['killed-file'], { KILL_WHEN: 'before rename Needs_Action/re-' })

async function scene(): Promise<AskedHome> {
  const asked = await AskedHome.make([], toAgents)
  await asked.register('ann')
  await asked.send('ann', 'Delivery')
  return asked
}

describe('an answer to the mail of an agent', () => {
  it(`is handed over once, with the orchestrator killed up to ${kills} times at any change of a file`, async () => {
    const asked = await scene()
    const { home } = asked
    let killed = 0
    for (let answers = 1, change = 1; killed < kills; answers++) {
      await asked.answer('Delivery', `Answer ${answers}.`)
      // Each run gets a little further than the one before, until one is done.
      while (await run(asked, atChange(change))) {
        killed++
        change += 3
      }
      change = 1 + (answers % 3)
      await home.retryNow()
      await home.once()
      const texts = (await asked.messages()).map(({ body }) => /Answer \d+\./.exec(body)?.[0])
      expect(texts).toEqual(Array.from({ length: answers }, (_, at) => `Answer ${at + 1}.`))
      expect([home.list('Needs_Action'), home.list('Done').length]).toEqual([[], answers])
    }
    expect(killed).toBeGreaterThanOrEqual(kills)
  })

  it('would be handed over twice by one that forgets what it has done (control)', async () => {
    await expectDamage(async () => {
      const asked = await scene()
      await asked.answer('Delivery')
      expect(await run(asked, whenMarking)).toBe(true)
      const { home } = asked
      rmSync(join(home.root, 'Logs/orchestrator_state.json'))
      const rows = await forget(asked)
      expect(rows).toBe(1)
      await home.once()
      return (await asked.messages()).length - 1
    })
  })
})

/** Gives what the ledger had of it; the coordination has its key. */
async function forget({ home }: AskedHome): Promise<number> {
  const config = new Config({}, { ...process.env, ...home.env })
  const coordination = await openSqlite(usualDatabase(config))
  await coordination.transaction((write) => write.run('DELETE FROM idempotency_keys'))
  await coordination.close()
  const ledger = await openLedger(config)
  try {
    return await ledger.queue.write((write) =>
      write.run("DELETE FROM sends WHERE provider = 'agent'"),
    )
  } finally {
    await ledger.close()
  }
}
