/** Messages and mail in pages, in both directions, while others write: nothing between two pages is missed. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { agentmail } from '../../support/agentmail.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { PageVisitor } from '../../support/server/page-visitor.ts'
import { TestServer } from '../../support/server/server.ts'
import { upTo } from '../../support/store/databases.ts'
import { addMessages } from '../../support/store/many-rows.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const pageSchema = z.object({
  messages: z.array(z.object({ cursor: z.string(), id: z.string() })),
  has_more: z.boolean(),
})
type Head = z.infer<typeof pageSchema>['messages'][number]

const ids = (heads: Head[]): string[] => heads.map(({ id }) => id)

async function page(visitor: PageVisitor, query: string) {
  const reply = await visitor.get(`/messages?${query}`)
  return pageSchema.parse(JSON.parse(reply.text))
}

/** All of them, newest first: down from the newest, or up from the oldest. */
async function walk(visitor: PageVisitor, query: string, start?: string): Promise<Head[]> {
  const found: Head[] = []
  for (let cursor = start; ; ) {
    const way = start === undefined ? 'before' : 'after'
    const given = cursor === undefined ? '' : `&${way}=${cursor}`
    const { messages, has_more } = await page(visitor, `${query}${given}`)
    if (start === undefined) found.push(...messages)
    else found.unshift(...messages)
    cursor = (start === undefined ? found.at(-1) : found[0])?.cursor
    if (!has_more) return found
  }
}

it('gives the next ones after a cursor, so that whoever goes on from page to page meets each once', async () => {
  const data = temporaryFolder()
  mkdirSync(join(data, 'agentmail'))
  const env = { XDG_DATA_HOME: data }
  const folder = repository()
  const db = join(data, 'agentmail/agentmail.db')
  const server = await TestServer.start({ db, cwd: folder, env })
  const own = await server.register('ann')
  const other = await server.register('zoe', 'coder', 'elsewhere')
  const as = (name: string, ...args: string[]) =>
    agentmail(args, { cwd: folder, env: { ...env, AGENTMAIL_AGENT: name } })
  await as('pane', 'status', 'ready')
  for (const n of upTo(9)) {
    const channel = n % 3 === 0 ? '@bob' : n % 3 === 1 ? 'builds' : 'broadcast'
    const letter = { channel, subject: `s ${n}`, body: 'b' }
    await Promise.all(upTo(3).map(() => server.call('send_message', { agent_id: own, ...letter })))
    await server.call('send_message', { agent_id: other, ...letter }, 'elsewhere')
    if (n % 3 === 0)
      expect(await as('win', 'send', 'pane', `mail ${n}`)).toMatchObject({ exitCode: 0 })
  }
  const visitor = await PageVisitor.enter(server.url)
  const counts = { '': 39, 'kind=direct&': 15, 'kind=mailbox&': 3, 'agent=ann&': 27 }
  for (const [query, count] of Object.entries(counts)) {
    const down = await walk(visitor, `${query}limit=4`)
    expect([query, down.length]).toEqual([query, count])
    expect(new Set(down.map(({ cursor }) => cursor)).size).toBe(count)
    const oldest = down.at(-1)?.cursor
    const up = await walk(visitor, `${query}limit=4`, oldest)
    expect([...ids(up), down.at(-1)?.id]).toEqual(ids(down))
    const between = await page(visitor, `${query}after=${oldest}&before=${down[0]?.cursor}`)
    expect(ids(between.messages)).toEqual(ids(down.slice(1, -1)))
  }
})

it('finds the next messages to names among many others', async () => {
  const server = await TestServer.start()
  await server.register('ann')
  const store = await openSqlite(server.database)
  const isDirect = (n: number) => n < 5 || n % 20_000 === 0
  await addMessages(store, 60_000, (n) => (isDirect(n) ? '@bob' : 'broadcast'))
  await store.close()
  const visitor = await PageVisitor.enter(server.url)
  const down = await walk(visitor, 'kind=direct&limit=2')
  expect(ids(down)).toEqual(['60000', '40000', '20000', '4', '3', '2', '1'])
  const up = await walk(visitor, 'kind=direct&limit=2', down.at(-1)?.cursor)
  expect(ids(up)).toEqual(ids(down).slice(0, -1))
})
