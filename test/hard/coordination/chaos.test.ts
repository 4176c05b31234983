/** The coordination server killed and out of space under load: nothing acknowledged is lost, nothing is stored twice or by halves. */
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { compare } from '../../support/compare.ts'
import { expectDamage } from '../../support/control-run.ts'
import { readStored } from '../../support/coordination/stored.ts'
import {
  makeWrite,
  type StormOptions,
  startHasty,
  type Write,
  WriteStorm,
} from '../../support/coordination/write-storm.ts'
import { canLimit, canMount, limitedProcess, smallDisk } from '../../support/full-disk.ts'
import { isLong } from '../../support/parts.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { callTool, TestServer, type ToolAnswer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 180_000 })

describe('a server killed at random moments under sixteen writers', () => {
  async function weather(kills: number, options: Partial<StormOptions> = {}) {
    const database = join(temporaryFolder(), 'agentmail.db')
    const imageFaults: string[] = []
    const afterKill = () => {
      imageFaults.push(...readStored(database).faults)
    }
    const storm = new WriteStorm({ database, afterKill, random: seededRandom(), ...options })
    const last = await storm.run(kills)
    const end = async () => {
      last.child.kill('SIGTERM')
      await last.ended
      const { entries, faults } = readStored(database)
      const names = storm.writes.flatMap((write) => write.names)
      const found = entries.map(({ name }) => name)
      return { entries, faults: [...imageFaults, ...faults], ...compare(names, found) }
    }
    return { storm, end, url: last.url }
  }

  it('keeps every acknowledged write once, and a retry with its key finds it', async () => {
    const { storm, end, url } = await weather(isLong ? 200 : 6)
    const uncertain = storm.writes.filter(({ lost }) => lost > 0)
    expect(uncertain.length).toBeGreaterThan(0)

    const keyed = storm.writes.filter(({ args }) => 'idempotency_key' in args)
    const repeated = [...new Set([...uncertain, ...keyed])].slice(0, isLong ? 10_000 : 400)
    for (let at = 0; at < repeated.length; at += 50) {
      const some = repeated.slice(at, at + 50)
      const ids = await Promise.all(some.map((write) => storm.repeat(write)))
      expect(ids).toEqual(some.map(({ id }) => id))
    }
    const sent = keyed.find(({ tool }) => tool === 'send_message')
    const other = await callTool(url, 'send_message', { ...sent?.args, body: 'other' })
    expect(other.text).toMatch(/^idempotency_key was used before with other content/)

    const { entries, ...damage } = await end()
    expect(damage).toEqual({ faults: [], missing: [], repeated: [] })
    const idOf = new Map(entries.map(({ name, id }) => [name, id]))
    expect(storm.writes.filter(({ names, id }) => idOf.get(names[0] ?? '') !== id)).toEqual([])
    const stored = (kind: string) => entries.filter(({ name }) => name.startsWith(`${kind} `))
    expect(storm.seen.messages).toEqual(stored('message'))
    expect(storm.seen.changes).toEqual(stored('change'))
    console.log(
      `${storm.writes.length} writes, ${uncertain.length} of them retried, ${repeated.length} repeated`,
    )
  })

  it('loses writes when it acknowledges before the commit (control)', async () => {
    await expectDamage(async () => {
      const { end } = await weather(3, { startVictim: startHasty })
      return (await end()).missing.length
    })
  })

  it('stores writes twice that are retried without a key (control)', async () => {
    await expectDamage(async () => {
      const { end } = await weather(3, { withKeys: false })
      return (await end()).repeated.length
    })
  })
})

const places = [
  { what: 'on a full disk', open: smallDisk, isThere: canMount(), next: 'The disk is full: ' },
  { what: 'that may not grow', open: limitedProcess, isThere: canLimit(), next: 'Check the file' },
]

describe.each(places)('a database $what', ({ what, open, isThere, next }) => {
  if (!isThere) console.warn(`Skipped, since nobody here may arrange for it: a database ${what}`)

  const words = `the database could not be written\nNothing of this call was stored. ${next}`
  const databaseText = /sqlite|errno|ENOSPC|EFBIG|I\/O|[a-z]\.[jt]s|\.db/i

  const tools = ['send_message', 'announce_change', 'claim_files'] as const
  /** Of every kind, in several sizes. */
  const someWrites = (agent_id: string, round: string) =>
    tools.flatMap((tool) =>
      [10, 500, 5_000, 40_000].map((length) =>
        makeWrite(tool, { agent_id, marker: `${round}-${tool}-${length}`, length }),
      ),
    )
  const callAll = (server: TestServer, writes: Write[]) =>
    Promise.all(writes.map(({ tool, args }) => server.call(tool, args)))
  const errorsIn = (answers: ToolAnswer[]) => answers.filter(({ isError }) => isError)

  it.skipIf(!isThere)('refuses in words, is read on, and recovers without a restart', async () => {
    const { folder, fill, free } = open()
    const db = join(folder, 'agentmail.db')
    let server = await TestServer.start({ db })
    const agent_id = await server.register('a')
    const readAll = async () => [
      await server.call('read_messages', { agent_id, after_id: 0, limit: 500 }),
      await server.call('get_changes', { after_id: 0, limit: 500 }),
      await server.call('get_file_claims'),
    ]
    const expectRefused = async (writes: Write[]) => {
      const before = await readAll()
      const answers = await callAll(server, writes)
      answers.push(await server.call('heartbeat', { agent_id }))
      answers.push(await server.call('register', { name: 'b', role: 'late' }))
      for (const { text } of answers) {
        expect(text.startsWith(words), text).toBe(true)
        expect(text).not.toMatch(databaseText)
      }
      expect(errorsIn(answers)).toEqual(answers)
      expect(await readAll()).toEqual(before)
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
    }

    const first = someWrites(agent_id, 'first')
    expect(errorsIn(await callAll(server, first))).toEqual([])
    const second = someWrites(agent_id, 'second')
    fill(server.pid)
    await expectRefused(second)
    free(server.pid)
    expect(errorsIn(await callAll(server, second))).toEqual([])

    const third = someWrites(agent_id, 'third')
    fill(server.pid)
    await expectRefused(third)
    server.child.kill('SIGKILL')
    await server.ended
    free(server.pid)
    server = await TestServer.start({ db })
    expect(errorsIn(await callAll(server, third))).toEqual([])

    expect(await server.stop()).toMatchObject({ exitCode: 0 })
    const { entries, faults } = readStored(db)
    expect(faults).toEqual([])
    const expected = [...first, ...second, ...third].flatMap(({ names }) => names)
    expect(entries.map(({ name }) => name).sort()).toEqual(expected.sort())
  })
})
