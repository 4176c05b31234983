/** Pages that look on while servers are killed and started, much happens, and others do not read. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { integer, text } from '../../../src/store/store.ts'
import { expectDamage } from '../../support/control-run.ts'
import { agentIdOf, Caller } from '../../support/coordination/caller.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryInUse, tellsMemory } from '../../support/mcp/memory-in-use.ts'
import { isLong } from '../../support/parts.ts'
import { PageStream } from '../../support/server/page-stream.ts'
import { callTool, TestServer } from '../../support/server/server.ts'
import { upTo } from '../../support/store/databases.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

const projects = ['one', 'two', 'three']
/** So many at least come to a page between two restarts. */
const entriesBetween = 50

/** A page that comes back whenever its stream ends. */
class LastingPage {
  readonly entries: string[] = []
  resets = 0
  times = 0
  #cursor: string | undefined
  #isOver = false
  readonly #keepsCursor: boolean

  constructor(keepsCursor: boolean) {
    this.#keepsCursor = keepsCursor
  }

  async look(url: () => string): Promise<void> {
    while (!this.#isOver) {
      const cursor = this.#keepsCursor ? this.#cursor : undefined
      const stream = await PageStream.open(url(), { lastEventId: cursor }).catch(() => undefined)
      if (!stream) {
        await sleep(5)
        continue
      }
      this.times++
      this.#stream = stream
      await stream.closed
      this.#take()
    }
  }

  #stream: PageStream | undefined

  /** What has come so far. */
  get soFar(): string[] {
    const open = this.#stream?.entries ?? []
    return [...this.entries, ...open.map(({ project, entry }) => `${project} ${entry}`)]
  }

  end(): void {
    this.#isOver = true
    this.#stream?.close()
  }

  #take(): void {
    this.entries.push(...this.soFar.slice(this.entries.length))
    this.#cursor = this.#stream?.cursor ?? this.#cursor
    this.resets += this.#stream?.of('reset').length ?? 0
    this.#stream = undefined
  }
}

/** Eight writers while a server is ended and started again, and what a page saw of it and what there was. */
async function restarts(times: number, keepsCursor = true) {
  const db = newPath()
  let server = await TestServer.start({ db })
  const page = new LastingPage(keepsCursor)
  const looking = page.look(() => server.url)
  await eventually('the page looks on', () => page.times > 0)
  let isOver = false
  const writers = upTo(8).map(async (writer) => {
    const project = projects[writer % projects.length] ?? ''
    const call = async (tool: string, args: object) => {
      for (;;) {
        const answer = await callTool(server.url, tool, args, project).catch(() => undefined)
        if (answer?.structuredContent) return answer.structuredContent
        await sleep(5)
      }
    }
    const agent_id = agentIdOf(await call('register', { name: `writer ${writer}`, role: 'w' }))
    for (let count = 0; !isOver; count++) {
      const idempotency_key = `${writer} ${count}`
      await call('send_message', { agent_id, subject: 's', body: 'b', idempotency_key })
    }
  })
  for (const time of upTo(times)) {
    const { length } = page.soFar
    await eventually('the page is told more', () => page.soFar.length > length + entriesBetween)
    server.child.kill(time % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
    await server.ended
    server = await TestServer.start({ db })
  }
  isOver = true
  await Promise.all(writers)
  const store = await openSqlite(db)
  onTestFinished(() => store.close())
  const rows = await store.all('SELECT project, entry FROM journal ORDER BY project, entry')
  const stored = rows.map((row) => `${text(row.project)} ${integer(row.entry)}`)
  return { page, looking, stored }
}

describe('a page', () => {
  it('misses nothing and is told nothing twice over 20 restarts under eight writers', async () => {
    const { page, looking, stored } = await restarts(isLong ? 100 : 20)
    await eventually('the page has caught up', () => page.soFar.length >= stored.length)
    page.end()
    await looking
    console.log(`${stored.length} entries over ${page.times} streams`)
    expect(page.resets).toBe(0)
    expect(page.times).toBeGreaterThan(20)
    const inOrder = projects.flatMap((project) =>
      page.entries.filter((entry) => entry.startsWith(`${project} `)),
    )
    expect(inOrder.toSorted()).toEqual(stored.toSorted())
    for (const project of projects) {
      const own = inOrder.filter((entry) => entry.startsWith(`${project} `))
      expect(own).toEqual(upTo(own.length).map((entry) => `${project} ${entry}`))
    }
  }, 300_000)

  it(
    'misses something where it does not say where it was (control)',
    () =>
      expectDamage(async () => {
        const { page, looking, stored } = await restarts(3, false)
        await sleep(1000)
        page.end()
        await looking
        return stored.length - page.entries.length
      }),
    120_000,
  )
})

describe('ten thousand events', () => {
  const rounds = 25
  const atOnce = 400
  const events = rounds * atOnce

  /** Says so much that each event has 4 KB. */
  async function announcing({ url }: TestServer) {
    const caller = new Caller()
    const agent_id = agentIdOf(await caller.call(url, 'register', { name: 'ann', role: 'r' }))
    const change = { agent_id, file_path: 'a.ts', summary: '😀'.repeat(1200) }
    return async (times: number) => {
      for (const _ of upTo(times)) {
        await Promise.all(upTo(atOnce).map(() => caller.call(url, 'announce_change', change)))
      }
    }
  }

  it('come to a page that reads, leave the memory of the server flat, and one that does not read is let go', async () => {
    const server = await TestServer.start({ env: tellsMemory })
    const announce = await announcing(server)
    await announce(5) // what is kept for the next ones is kept already
    const [page, deaf] = [await PageStream.open(server.url), await PageStream.open(server.url)]
    await Promise.all([page.until('hello'), deaf.until('hello')])
    const { cursor } = page
    deaf.pause()
    const before = await memoryInUse(server)
    await announce(rounds)
    await page.until('entry', events)
    const first = 5 * atOnce + 2
    const told = (entries: { entry: number }[]) => entries.map(({ entry }) => entry - first + 1)
    expect(told(page.entries)).toEqual(upTo(events))
    const after = await memoryInUse(server)
    console.log(`${before.used.toFixed(1)} MiB before, ${after.used.toFixed(1)} MiB after`)
    expect(after.used - before.used).toBeLessThan(8)
    deaf.resume()
    await deaf.closed
    expect(deaf.entries.length).toBeLessThan(events)
    const again = await PageStream.open(server.url, { lastEventId: deaf.cursor })
    await again.until('entry', events - deaf.entries.length)
    expect(told([...deaf.entries, ...again.entries])).toEqual(upTo(events))
    const late = await PageStream.open(server.url, { cursor })
    await late.until('entry', events)
    expect(told(late.entries)).toEqual(upTo(events))
  }, 300_000)
})
