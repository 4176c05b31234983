/** A search over very many messages: readers and writers are served while it runs, however many search. */
import { expect, it, vi } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { isLong } from '../../support/parts.ts'
import { TestDatabase, upTo } from '../../support/store/databases.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

vi.setConfig({ testTimeout: 300_000 })

const many = isLong ? 2_000_000 : 200_000
/** A call waits for a few turns of the loop, and each of them for a piece of the search at most. */
const served = 5

async function open() {
  const path = newPath()
  const database = await TestDatabase.create(async () => () => openSqlite(path))
  const { project } = await database.server()
  const { agent_id } = await project.agents.register({ name: 'ann', role: 'coder' })
  const store = await database.store()
  await store.transaction(async (transaction) => {
    await transaction.run(
      `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
        INSERT INTO messages (project, id, created_us, sender_id, sender_name, channel, subject, body)
        SELECT '', id, id, 'sender', 'sender', 'dev', 'Parser', CASE WHEN id = 7 THEN 'needle' ELSE 'The tests are green.' END FROM ids`,
      many,
    )
    await transaction.run("UPDATE projects SET last_message = ?, token = 'filled'", many)
  })
  const read = () => project.messages.look({ limit: 1 })
  const write = () =>
    project.messages.send({
      agent_id,
      channel: 'dev',
      subject: 'Parser',
      body: 'The tests are red.',
    })
  /** How many calls are answered, one after the other, while something else is done. */
  async function besides(call: () => Promise<unknown>, work: () => Promise<unknown>) {
    let isOver = false
    let calls = 0
    const calling = (async () => {
      for (await call(); !isOver; await call()) {
        calls++
        await new Promise((resolve) => setImmediate(resolve)) // as one that comes from outside
      }
    })()
    await work()
    isOver = true
    await calling
    return calls
  }
  const search = async (word = 'needle') =>
    (await project.search({ words: [word], limit: 50 })).results
  return { besides, read, write, search, store }
}

it('serves a reader and a writer while it looks through everything', async () => {
  const { besides, read, write, search } = await open()
  const needle = expect.objectContaining({ id: 7, text: 'Parser\nneedle' })
  const search1 = async () => expect(await search()).toEqual([needle])
  const nothing = async () => expect(await search('nowhere')).toEqual([])
  const counts = {
    reads: await besides(read, search1),
    writes: await besides(write, search1),
    'reads beside nothing found': await besides(read, nothing),
    'writes beside eight searches': await besides(write, () => Promise.all(upTo(8).map(nothing))),
  }
  console.log('answered meanwhile:', counts)
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(served)
})

it('serves nobody where all is read at once (control)', async () => {
  const { besides, read, store } = await open()
  const atOnce = () =>
    store.all(
      "SELECT COUNT(*) AS n FROM messages WHERE project = '' AND INSTR(LOWER(body), 'needle') > 0",
    )
  expect(await besides(read, atOnce)).toBeLessThanOrEqual(served)
})
