/** The page's stream of events, from a server that runs. */
import { describe, expect, it } from 'vitest'
import { PageStream } from '../../support/server/page-stream.ts'
import { PageVisitor } from '../../support/server/page-visitor.ts'
import { sharedServer, TestServer } from '../../support/server/server.ts'

const server = sharedServer()
let projects = 0
const newProject = () => `project-${++projects}`

describe('GET /api/page/events', () => {
  it('says hello, then tells each entry of the journal as it comes, with the cursor after it', async () => {
    const project = newProject()
    const page = await PageStream.open(server().url)
    const [hello] = await page.until('hello')
    expect(page.names).toEqual(['hello'])
    const agent_id = await server().register('ann', 'coder', project)
    const letter = { agent_id, subject: 'Tea?', body: `${'é😀'.repeat(150)} the end` }
    await server().call('send_message', letter, project)
    await server().call('claim_files', { agent_id, files: ['a.ts'] }, project)
    await server().call('announce_change', { agent_id, file_path: 'a.ts', summary: 'new' }, project)
    const common = { project, agent: 'ann', agent_id, message: null, text: null, file: null }
    const at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(await page.until('entry', 4)).toEqual([
      { ...common, at, entry: 1, event: 'registered', text: 'coder' },
      {
        ...{ ...common, at, entry: 2, event: 'said' },
        message: { id: 1, channel: 'broadcast', subject: 'Tea?', excerpt: 'é😀'.repeat(100) },
      },
      { ...common, at, entry: 3, event: 'claimed', file: 'a.ts' },
      { ...common, at, entry: 4, event: 'announced', file: 'a.ts', text: 'new' },
    ])
    const ids = page.events.filter(({ name }) => name === 'entry').map(({ id }) => id)
    expect(ids.map((id) => id?.match(/project-1:(\d+)/)?.[1])).toEqual(['1', '2', '3', '4'])
    expect(hello).toMatchObject({ instance: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })

  it('goes on from a cursor, and rather from Last-Event-ID', async () => {
    const project = newProject()
    const before = await PageStream.open(server().url)
    await before.until('hello')
    const { cursor } = before
    for (const name of ['ann', 'bob']) await server().register(name, 'coder', project)
    await before.until('entry', 2)
    const lastEventId = before.events.find(({ name }) => name === 'entry')?.id
    const pages = [
      await PageStream.open(server().url, { cursor }),
      await PageStream.open(server().url, { cursor, lastEventId }),
    ]
    await pages[0]?.until('entry', 2)
    await pages[1]?.until('entry', 1)
    expect(pages.map((page) => page.entries.map(({ entry }) => entry))).toEqual([[1, 2], [2]])
  })

  it.each([
    ['that cannot be read', 'nonsense'],
    ['of another database', 'nowhere:7'],
    ['of too many projects', '*'],
    ['that is too long', `${'x'.repeat(8500)}:1`],
  ])('answers a cursor %s with a reset, and goes on', async (_, cursor) => {
    const page = await PageStream.open(server().url, { cursor })
    const [reset] = await page.until('reset')
    expect(page.names).toEqual(['hello', 'reset'])
    expect(reset).toEqual({ cursor: page.cursor })
    await server().register('ann', 'coder', newProject())
    await page.until('entry')
  })

  it('is no script’s to read, and is kept by nobody', async () => {
    const page = await PageStream.open(server().url)
    expect(page.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-content-type-options': 'nosniff',
    })
    const visitor = await PageVisitor.enter(server().url)
    expect((await visitor.post('/events')).status).toBe(405)
  })

  it('tells of what another server on the same file has stored', async () => {
    const other = await TestServer.start({ db: server().database })
    const page = await PageStream.open(server().url)
    await page.until('hello')
    const project = newProject()
    await other.register('ann', 'coder', project)
    expect(await page.until('entry')).toMatchObject([{ project, entry: 1, event: 'registered' }])
    await page.untilHint('agents')
  })
})

describe('a server that stops', () => {
  it('ends its streams, and another goes on where they were', async () => {
    const first = await TestServer.start()
    const agent = await first.register('ann', 'coder', 'one')
    const page = await PageStream.open(first.url)
    await page.until('hello')
    await first.call('send_message', { agent_id: agent, subject: 's', body: '1' }, 'one')
    await page.until('entry')
    const stopping = first.stop()
    await page.closed
    expect((await stopping).exitCode).toBe(0)
    const second = await TestServer.start({ db: first.database })
    await second.call('send_message', { agent_id: agent, subject: 's', body: '2' }, 'one')
    const again = await PageStream.open(second.url, { lastEventId: page.cursor })
    await again.until('entry')
    expect(again.entries).toMatchObject([{ project: 'one', entry: 3 }])
    expect(again.of('hello')[0]?.instance).not.toBe(page.of('hello')[0]?.instance)
  })
})

describe('streams', () => {
  it('are 200 at most, and one more when one has gone', async () => {
    const { url } = await TestServer.start()
    const pages = await Promise.all(Array.from({ length: 200 }, () => PageStream.open(url)))
    await expect(PageStream.open(url)).rejects.toThrow('refused with 503')
    pages[0]?.close()
    await pages[0]?.closed
    const isRoom = () => PageStream.open(url).then(...([() => true, () => false] as const))
    await expect.poll(isRoom, { timeout: 20_000 }).toBe(true)
  })
})
