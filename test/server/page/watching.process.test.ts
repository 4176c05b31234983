/** The routes by which the page shows agents, messages and files, at a real server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../../support/agentmail.ts'
import { openAgent } from '../../support/coordination/coordination.ts'
import { eventually } from '../../support/eventually.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { ask, errorIn } from '../../support/server/http.ts'
import { PageVisitor } from '../../support/server/page-visitor.ts'
import { sharedServer, TestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const pageSchema = z.object({
  messages: z.array(
    z.object({ cursor: z.string(), id: z.string(), project: z.string(), subject: z.string() }),
  ),
  has_more: z.boolean(),
})

/** One session a server. */
const visitors = new Map<string, Promise<PageVisitor>>()
function visitorAt({ url }: TestServer): Promise<PageVisitor> {
  const visitor = visitors.get(url) ?? PageVisitor.enter(url)
  visitors.set(url, visitor)
  return visitor
}

const get = async (server: TestServer, path: string): Promise<unknown> => {
  const reply = await (await visitorAt(server)).get(path)
  if (reply.status !== 200) throw new Error(`${path} gave ${reply.status}: ${reply.text}`)
  return JSON.parse(reply.text)
}

const post = async (server: TestServer, path: string, body: object) => {
  const reply = await (await visitorAt(server)).post(path, body)
  const answer: unknown = JSON.parse(reply.text)
  return { status: reply.status, answer, reply }
}

describe('the page', () => {
  const server = sharedServer()

  it('is answered in the shapes that it knows, and with texts of others as they are', async () => {
    const hostile = '</script><img src=x onerror=alert(1)>\u202e\u0007"\\\u2028'
    const ann = await server().register('ann', 'coder', 'shapes')
    const bob = await server().register('bob', 'coder', 'shapes')
    const call = (tool: string, args: object) => server().call(tool, args, 'shapes')
    await call('claim_files', { agent_id: ann, files: ['<b>.ts', 'lib/'] })
    await call('claim_files', { agent_id: bob, files: ['<b>.ts'] })
    await call('send_message', {
      agent_id: ann,
      channel: '@human',
      subject: hostile,
      body: hostile,
    })
    await call('announce_change', { agent_id: ann, file_path: '<b>.ts', summary: hostile })
    const of = (path: string) => get(server(), `${path}project=shapes`)
    expect(await of('/agents?')).toMatchObject({
      agents: [
        { name: 'ann', state: 'here', claims: 2, files: ['<b>.ts', 'lib/**'] },
        { name: 'bob', state: 'here', last_words: null },
      ],
    })
    expect(await of('/messages?')).toMatchObject({
      messages: [{ id: '1', subject: hostile, channel: '@human', state: 'queued' }],
    })
    expect(await of('/message?id=1&')).toMatchObject({ body: hostile })
    expect(await of('/channels?')).toMatchObject({ channels: [{ name: '@human' }] })
    expect(await of('/claims?')).toMatchObject({ claims: [{ path: '<b>.ts' }, { path: 'lib/**' }] })
    expect(await of('/file?path=%3Cb%3E.ts&')).toMatchObject({
      claims: [{ agent: 'ann', by_hook: false }],
      entries: [{ event: 'announced', text: hostile }, { event: 'claimed' }],
    })
    expect(await of('/journal?event=x&')).toMatchObject({ cut_at: null, mails: [] })
    expect(await get(server(), '/needs')).toMatchObject({
      needs: expect.arrayContaining([
        expect.objectContaining({ kind: 'message', project: 'shapes', target: '1' }),
        expect.objectContaining({ kind: 'conflict', title: 'bob waits for <b>.ts' }),
      ]),
      faults: [],
    })
    expect(await of('/search?words=onerror&')).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ kind: 'message', target: '1' })]),
    })
  })

  it('lets the person say, answer, read and release, and tells what cannot be done', async () => {
    const project = 'acts'
    const ann = await server().register('ann', 'coder', project)
    const call = (tool: string, args: object) =>
      server().call(tool, { agent_id: ann, ...args }, project)
    await call('claim_files', { files: ['a.ts'] })
    await call('send_message', { channel: '@human', subject: 'q', body: 'may I?' })
    const text = 'yes'
    expect((await post(server(), '/reply', { project, id: '1', text })).answer).toEqual({
      ...{ message_id: '2', warning: null },
    })
    const sent = await post(server(), '/send', { project, channel: '@ann', text: 'and more' })
    expect(sent.answer).toEqual({ message_id: '3', warning: null })
    const read = await call('read_messages', { unread: true, channel: '@ann' })
    expect(read.structuredContent).toMatchObject({
      messages: [{ body: 'yes', sender_name: 'human' }, { body: 'and more' }],
    })
    await call('send_message', { channel: '@human', subject: 'again', body: 'again' })
    const needs = async () =>
      z
        .object({
          needs: z.array(z.object({ project: z.string().nullable(), target: z.string() })),
        })
        .parse(await get(server(), '/needs?project=shapes'))
        .needs.filter((need) => need.project === project)
    expect(await needs()).toEqual([{ project, target: '4' }])
    expect((await post(server(), '/read', { project, ids: ['4'] })).answer).toEqual({ ok: true })
    expect(await needs()).toEqual([])
    const claim = { project, path: 'a.ts', agent_id: ann }
    expect((await post(server(), '/release', claim)).answer).toEqual({
      ...{ released: true, message_id: '5' },
    })
    const again = await post(server(), '/release', claim)
    expect([again.status, errorIn(again.reply).message]).toEqual([
      ...[409, expect.stringContaining('nobody holds a.ts any more')],
    ])
  })

  it('answers a question that is wrong with its status and words', async () => {
    const wrong: [path: string, status: number, words: string][] = [
      ['/agents?project=nowhere', 404, 'there is no project "nowhere"'],
      [`/agents?project=${'x'.repeat(300)}`, 404, 'there is no project'],
      ['/messages?limit=0', 400, 'limit must be a whole number from 1 to 200'],
      ['/messages?limit=201', 400, 'limit must be a whole number from 1 to 200'],
      ['/messages?limit=some', 400, 'limit must be a whole number from 1 to 200'],
      ['/messages?kind=other', 400, 'kind must be direct or mailbox'],
      ['/messages?before=x', 400, 'before and after must be the cursor of a message'],
      ['/message?id=1', 400, 'project is required'],
      ['/message?project=default&id=77', 404, 'there is no message "77" in default'],
      ['/message?project=default&id=..%2F..%2Fetc%2Fpasswd', 404, 'there is no message'],
      ['/claims?limit=501', 400, 'limit must be a whole number from 1 to 500'],
      ['/file?project=default&path=..%2Fx', 400, 'is outside the project'],
      ['/journal?since=never', 400, 'is not RFC 3339'],
      ['/journal?limit=20001', 400, 'limit must be a whole number from 1 to 20000'],
      ['/search', 400, 'words is required'],
      [`/search?words=${'x'.repeat(1001)}`, 400, 'words must be at most'],
    ]
    for (const [path, status, words] of wrong) {
      const reply = await (await visitorAt(server())).get(path)
      const told = [status, expect.stringContaining(words)]
      expect([reply.status, errorIn(reply).message], path).toEqual(told)
    }
  })

  it('refuses to do what cannot be done, with words', async () => {
    const wrong: [path: string, body: object, status: number, words: string][] = [
      ['/send', { project: 'default', channel: '@ann', text: '' }, 400, 'no message provided'],
      ['/send', { project: 'default', channel: ' ', text: 'x' }, 400, 'channel is required'],
      ['/send', { project: 'default', channel: 'x'.repeat(256), text: 'x' }, 400, '255 characters'],
      ['/send', { project: 'none', channel: '@ann', text: 'x' }, 404, 'there is no project "none"'],
      ['/send', { project: 'default', channel: '@a', text: 'x'.repeat(65_537) }, 400, '64KB'],
      ['/reply', { project: 'default', id: '99', text: 'x' }, 404, 'there is no message "99"'],
      ['/read', { project: 'default', ids: Array(501).fill('1') }, 400, 'ids must be at most 500'],
      [
        '/release',
        { project: 'default', path: 'x', agent_id: 'y' },
        409,
        'nobody holds x any more',
      ],
    ]
    for (const [path, body, status, words] of wrong) {
      const { status: given, reply } = await post(server(), path, body)
      const told = [status, expect.stringContaining(words)]
      expect([given, errorIn(reply).message], path).toEqual(told)
    }
  })

  it('is paged through while others write, with nothing missed or twice', async () => {
    const project = 'pages'
    const ann = await server().register('ann', 'coder', project)
    const say = (body: string) =>
      server().call('send_message', { agent_id: ann, subject: body, body }, project)
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => say(`m ${round * 20 + n}`)))
    }
    let isOver = false
    const writing = (async () => {
      while (!isOver) await say('late')
    })()
    const found: string[] = []
    for (let before = ''; ; ) {
      const path = `/messages?project=${project}&limit=30&before=${before}`
      const { messages, has_more } = pageSchema.parse(await get(server(), path))
      found.push(...messages.map(({ subject }) => subject))
      before = messages.at(-1)?.cursor ?? ''
      if (!has_more) break
    }
    isOver = true
    await writing
    const early = found.filter((subject) => subject !== 'late')
    expect(early).toHaveLength(400)
    expect(new Set(early).size).toBe(400)
  })
})

it('has the mail of a repository, and reaches a window in its mailbox', async () => {
  const data = temporaryFolder()
  mkdirSync(join(data, 'agentmail'))
  const env = { XDG_DATA_HOME: data }
  const folder = repository()
  const db = join(data, 'agentmail/agentmail.db')
  const server = await TestServer.start({ db, cwd: folder, env })
  const project = basename(folder)
  const as = (name: string, args: string[]) =>
    agentmail(args, { cwd: folder, env: { ...env, AGENTMAIL_AGENT: name } })
  await as('win', ['status', 'ready'])
  await as('pane', ['status', 'work'])
  expect(await as('win', ['send', 'pane', 'hello pane'])).toMatchObject({ exitCode: 0 })
  const page = pageSchema.parse(await get(server, `/messages?project=${project}`))
  expect(page.messages).toMatchObject([{ subject: 'hello pane', project }])
  await post(server, '/send', { project, channel: '@win', text: 'from the page' })
  const received = await as('win', ['receive'])
  expect(received.stdout).toContain('from the page')
  const read = await get(server, `/messages?project=${project}&channel=%40win`)
  expect(read).toMatchObject({ messages: [{ subject: 'from the page', state: 'read' }] })
  const place = { repository: folder, env }
  const ann = await openAgent(place, 'ann')
  await ann.say('here')
  await eventually('all three are listed', async () => {
    const { agents } = z
      .object({ agents: z.array(z.object({ name: z.string(), state: z.string() })) })
      .parse(await get(server, `/agents?project=${project}`))
    const states = Object.fromEntries(agents.map(({ name, state }) => [name, state]))
    return states.win === 'ready' && states.pane === 'working' && states.ann === 'here'
  })
  writeFileSync(join(folder, '.agentmail/mailboxes/pane.jsonl'), 'no message\n{"half":')
  expect(await get(server, `/messages?project=${project}&kind=mailbox`)).toMatchObject({
    messages: [],
  })
})

it('does not take what keeps an open connection alive for something that its agent does', async () => {
  const data = temporaryFolder()
  mkdirSync(join(data, 'agentmail'))
  const env = { XDG_DATA_HOME: data, AGENTMAIL_STALE_SECONDS: '8' }
  const folder = repository()
  const db = join(data, 'agentmail/agentmail.db')
  const server = await TestServer.start({ db, cwd: folder, env })
  const ann = await openAgent({ repository: folder, env }, 'ann')
  await ann.say('here')
  const agentSchema = z.object({ agents: z.array(z.record(z.string(), z.unknown())) })
  const [seen, heard] = [
    async () => {
      const { text } = await ask(server.url, { path: `/api/agents?project=${basename(folder)}` })
      return String(agentSchema.parse(JSON.parse(text)).agents[0]?.last_seen)
    },
    async () => agentSchema.parse(await get(server, '/agents')).agents[0]?.last_heard,
  ]
  const first = await seen()
  await eventually('its connection kept it alive', async () => (await seen()) > first)
  const before = await heard()
  const then = await seen()
  await eventually('its connection kept it alive again', async () => (await seen()) > then)
  expect(await heard()).toBe(before)
  await ann.call('get_changes')
  await ann.call('heartbeat')
  await eventually('it called itself', async () => (await heard()) !== before)
})
