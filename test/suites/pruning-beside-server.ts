/** Pruning beside a running server, killed again and again: writers and readers notice nothing of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { ended, type Ran, start } from '../support/agentmail.ts'
import { oldDays } from '../support/coordination/old-days.ts'
import { isLong } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { upTo } from '../support/store/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const pageSchema = z.object({
  messages: z.array(z.object({ id: z.number(), subject: z.string() })),
  has_more: z.boolean(),
})
const sentSchema = z.object({ message_id: z.number() })
const days = 100

/** @param old so many messages of long ago. */
export function besideServerSuite(newDatabase: () => Promise<string>, old: number): void {
  it('loses, repeats and changes nothing that is not old, though it is killed on its way', async () => {
    const db = await newDatabase()
    await oldDays(db, { messages: old, days })
    const server = await TestServer.start({ db, env: { AGENTMAIL_STALE_SECONDS: '3600' } })
    const work = new Work(server)
    const writers = upTo(3).map((n) => work.write(`writer ${n}`))
    const readers = upTo(3).map((n) => work.read(`reader ${n}`, (n - 1) * Math.floor(old / 2)))
    let first = 1
    /** Whether more went than before. */
    const hasGoneOn = async () => {
      const { messages } = await work.page({ after_id: 0, limit: 1 })
      const before = first
      first = messages[0]?.id ?? first
      return first > before
    }
    for (const _ of upTo(isLong ? 20 : 2)) await prune(db, hasGoneOn)
    const { exitCode, stdout, stderr } = await prune(db)
    expect([exitCode, stderr]).toEqual([0, ''])
    const { removed } = z
      .object({ removed: z.record(z.string(), z.number()) })
      .parse(JSON.parse(stdout))
    work.isOver = true
    const sent = (await Promise.all(writers)).flat().sort((a, b) => a - b)
    work.isWritten = true
    const seen = await Promise.all(readers)
    expect(removed.messages).toBeLessThanOrEqual(old)

    expect(sent).toEqual(upTo(sent.length).map((n) => old + n)) // gap-free, none given twice
    for (const ids of seen) {
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
      expect(ids.filter((id) => id > old)).toEqual(sent)
    }
    const { messages } = await work.page({ after_id: 0, limit: 500 })
    expect(messages[0]).toEqual({ id: old + 1, subject: 'new' })
    const held = await server.call('get_file_claims', {})
    expect(held.structuredContent).toMatchObject({ claims: [{ file_path: 'held.ts' }] })
    expect((await prune(db)).stdout).toContain(
      '"removed":{"messages":0,"changes":0,"journal_entries":0',
    )
  })
}

/** @param isTime whether it is to be killed now. */
async function prune(db: string, isTime?: () => Promise<boolean>): Promise<Ran> {
  const child = start(['db', 'prune', '--older-than', '90d', '--json'], {
    cwd: temporaryFolder(),
    env: { AGENTMAIL_DB: db, AGENTMAIL_PROJECT: undefined },
  })
  child.stdin.end()
  const over = ended(child)
  while (isTime && child.exitCode === null && child.signalCode === null) {
    if (await isTime()) child.kill('SIGKILL')
    await Promise.race([over, sleep(20)])
  }
  return over
}

class Work {
  readonly #server: TestServer
  readonly #looker: Promise<string>
  isOver = false
  /** Whether every writer has heard of its last message. */
  isWritten = false

  constructor(server: TestServer) {
    this.#server = server
    this.#looker = server.register('looker')
  }

  /** Gives the ids that it was told. */
  async write(name: string): Promise<number[]> {
    const agent_id = await this.#server.register(name)
    const ids: number[] = []
    while (!this.isOver) {
      const said = await this.#server.call('send_message', { agent_id, subject: 'new', body: 'b' })
      ids.push(sentSchema.parse(said.structuredContent).message_id)
    }
    return ids
  }

  /** Gives the ids that it was handed, up to the last. */
  async read(name: string, after: number): Promise<number[]> {
    const agent_id = await this.#server.register(name)
    const ids: number[] = []
    for (;;) {
      const isLast = this.isWritten
      const after_id = ids.at(-1) ?? after
      const request = { agent_id, after_id, wait_seconds: isLast ? 0 : 1 }
      const { messages, has_more } = await this.page(request)
      ids.push(...messages.map(({ id }) => id))
      if (isLast && !has_more && messages.length === 0) return ids
    }
  }

  async page(request: object) {
    const agent_id = await this.#looker
    const page = await this.#server.call('read_messages', { agent_id, limit: 50, ...request })
    return pageSchema.parse(page.structuredContent)
  }
}
