/** What a team left behind long ago, in whatever database. */
import { Config } from '../../../src/config.ts'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { namedDatabase } from '../../../src/store/database.ts'
import { staleMs, TestClock, upTo } from '../store/databases.ts'

export interface OldDays {
  /** So many messages, and half as many changes; with keys. */
  messages: number
  /** So many days ago. */
  days: number
  project?: string
}

/** Two agents: ann still holds a file, bob has left. */
export async function oldDays(
  db: string,
  { messages, days, project = '' }: OldDays,
): Promise<void> {
  const database = namedDatabase(new Config({}, {}), db)
  const clock = new TestClock()
  clock.ms = Date.now() - days * 24 * 3600_000
  const store = await database.open({ create: true })
  const coordination = await Coordination.open({ store, staleMs, clock })
  const { agents, claims, changes, messages: channel } = coordination.project(project)
  const { agent_id: ann } = await agents.register({ name: 'ann', role: 'coder' })
  const { agent_id: bob } = await agents.register({ name: 'bob', role: 'coder' })
  await claims.claim({ agent_id: ann, files: ['held.ts', 'released.ts'] })
  await claims.release({ agent_id: ann, files: ['released.ts'] })
  const letter = { channel: 'broadcast', subject: 'old', body: 'A long time ago. '.repeat(10) }
  const saying = upTo(messages).map((n) =>
    channel.send({ ...letter, agent_id: bob, idempotency_key: `${n}` }),
  )
  const announcing = upTo(Math.floor(messages / 2)).map(() =>
    changes.announce({ agent_id: bob, file_path: 'a.ts', summary: 'old' }),
  )
  await Promise.all([...saying, ...announcing])
  await agents.leave(bob)
  await coordination.close()
}
