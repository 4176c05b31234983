/** What was said, of all kinds in one list that is read page by page. */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lineOf } from '../../src/mailbox/message.ts'
import type { MessageHead } from '../../src/person/shapes.ts'
import {
  channelsView,
  type MessagesQuestion,
  messagesPage,
  messageView,
} from '../../src/person/watching/messages-view.ts'
import { rfc3339 } from '../../src/system/clock.ts'
import { sightScene } from '../support/person/sight-scene.ts'

type Scene = Awaited<ReturnType<typeof sightScene>>

const idsOf = async ({ sight }: Scene, question: Partial<MessagesQuestion> = {}) =>
  (await messagesPage(sight, { limit: 100, ...question })).messages.map(({ id }) => id)

/** Every page, from the newest on. */
async function pages({ sight }: Scene, question: MessagesQuestion, between = async () => {}) {
  const all: MessageHead[] = []
  for (let before: string | undefined; ; ) {
    const { messages, has_more } = await messagesPage(sight, { ...question, before })
    all.push(...messages)
    before = messages.at(-1)?.cursor
    if (!has_more) return all
    await between()
  }
}

it('has messages and mail in one list, newest first, and each only once', async () => {
  const scene = await sightScene()
  const { register, say, mail, clock, sight } = scene
  const ann = await register('ann')
  await say(ann, 'broadcast', 'line\r\nand line')
  await mail('win', 'a mail\nof two lines')
  clock.pass(1)
  await say(ann, '@bob')
  const { messages, has_more } = await messagesPage(sight, { limit: 100 })
  expect(has_more).toBe(false)
  expect(messages).toMatchObject([
    { id: '2', kind: 'message', channel: '@bob', state: 'queued', project: 'p' },
    {
      ...{ id: 'win/mail1', kind: 'mailbox', channel: '@win', subject: 'a mail', from: 'win' },
      ...{ excerpt: 'a mail of two lines', state: 'queued', project: 'p' },
    },
    { id: '1', channel: 'broadcast', excerpt: 'line and line', state: null, state_at: null },
  ])
})

it('tells a message that lies in a mailbox too as a message, with what became of it there', async () => {
  const scene = await sightScene()
  const { register, book, project, office, mail, sight } = scene
  const ann = await register('ann')
  await mail('win', 'hello')
  const letter = { agent_id: ann, channel: '@win', subject: 's', body: 'b' }
  await book.post(project, letter)
  expect(await idsOf(scene)).toEqual(expect.arrayContaining(['1', 'win/mail1']))
  expect(await idsOf(scene)).toHaveLength(2)
  expect(await idsOf(scene, { kind: 'mailbox' })).toEqual(['win/mail1'])
  const stateOf = async () =>
    (await messagesPage(sight, { limit: 9 })).messages.find(({ id }) => id === '1')?.state
  expect(await stateOf()).toBe('queued')
  const taken = [await office.mailbox('win').take(), await office.mailbox('win').take()]
  expect(taken.map((one) => one?.message)).toContain('s\n\nb')
  expect(await stateOf()).toBe('read')
  expect(await messageView(sight, 'p', '1')).toMatchObject({ state: 'read', body: 'b' })
})

it.each([
  ['a channel', { channel: 'broadcast' }, ['1', '6']],
  ['a channel of a name', { channel: '@bob' }, ['2', '4', 'bob/mail1']],
  ['who said it, or to whom it is', { agent: 'bob' }, ['2', '3', '4', 'bob/mail1', 'win/mail2']],
  ['who said it in a channel', { agent: 'bob', channel: '@ann' }, ['3']],
  ['all to names', { kind: 'direct' as const }, ['2', '3', '4', 'bob/mail1', 'win/mail2']],
  ['all of one to names', { kind: 'direct' as const, agent: 'ann' }, ['2', '3', '4']],
  ['mailboxes', { kind: 'mailbox' as const }, ['bob/mail1', 'win/mail2']],
  ['nobody', { agent: 'nobody' }, []],
])('is narrowed down to %s', async (_, question, ids) => {
  const scene = await sightScene()
  const { register, say, mail } = scene
  const [ann, bob] = [await register('ann'), await register('bob')]
  await say(ann, 'broadcast')
  await say(ann, '@bob')
  await say(bob, '@ann')
  await say(ann, '@bob')
  await say(bob, 'Aside')
  await say(ann, 'broadcast')
  await mail('bob', 'one')
  await mail('win', 'two', { from: 'bob' })
  const wanted = ids.includes('3') && 'agent' in question && question.agent === 'bob'
  const extra = wanted && !('channel' in question) ? ['5'] : []
  expect((await idsOf(scene, question)).sort()).toEqual([...ids, ...extra].sort())
})

it('pages through thousands of both kinds and two projects, none missed or twice, while more come', async () => {
  const scene = await sightScene()
  const { register, say, other, office, clock } = scene
  const ann = await register('ann')
  const zoe = (await other.agents.register({ name: 'zoe', role: 'coder' })).agent_id
  office.create()
  const lines: Buffer[] = []
  for (let number = 0; number < 300; number++) {
    // Many of one moment, also of both kinds.
    if (number % 7 === 0) clock.pass(1)
    await Promise.all(Array.from({ length: 5 }, () => say(ann, number % 2 ? '@bob' : 'broadcast')))
    await other.messages.send({ agent_id: zoe, channel: 'broadcast', subject: 's', body: 'b' })
    const at = { read_flag: false, created_at: rfc3339(clock.now()) }
    for (const part of ['a', 'b', 'c', 'd']) {
      lines.push(lineOf({ id: `${part}${number}`, from: 'x', to: 'win', message: 'm', ...at }))
    }
  }
  appendFileSync(join(office.mailboxesDir, 'win.jsonl'), Buffer.concat(lines))
  const late = { limit: 37 }
  const all = await pages(scene, late, async () => {
    clock.pass(1)
    await say(ann, 'broadcast', 'late')
  })
  const keys = all.map(({ project, id }) => `${project} ${id}`)
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys).toHaveLength(300 * 10)
  const times = all.map(({ at }) => at)
  expect(times).toEqual([...times].sort().reverse())
  const first = all[0]
  const news = await messagesPage(scene.sight, { limit: 200, after: first?.cursor })
  expect(news.messages.every(({ excerpt }) => excerpt === 'late')).toBe(true)
  expect(news.messages).toHaveLength(Math.ceil(3000 / 37) - 1)
})

it('gives the next ones after a cursor, newest first, and says where there are more', async () => {
  const scene = await sightScene()
  const { register, say, sight } = scene
  const ann = await register('ann')
  for (let number = 0; number < 5; number++) await say(ann, 'broadcast')
  const { messages } = await messagesPage(sight, { limit: 5 })
  const [newest, , , , oldest] = messages
  const page = await messagesPage(sight, { limit: 2, after: oldest?.cursor })
  expect(page.messages.map(({ id }) => id)).toEqual(['3', '2'])
  expect(page.has_more).toBe(true)
  expect(await idsOf(scene, { after: oldest?.cursor, before: newest?.cursor })).toEqual([
    ...['4', '3', '2'],
  ])
  for (const before of ['', 'x', Buffer.from('[1,2]').toString('base64url')]) {
    await expect(messagesPage(sight, { limit: 2, before })).rejects.toThrow(
      'the cursor of a message',
    )
  }
})

it('finds messages to names among many others', async () => {
  const scene = await sightScene()
  const { register, project, say } = scene
  const ann = await register('ann')
  await say(ann, '@bob')
  const letter = { agent_id: ann, channel: 'broadcast', subject: 's', body: 'b' }
  for (let piece = 0; piece < 60; piece++) {
    await Promise.all(Array.from({ length: 1000 }, () => project.messages.send(letter)))
  }
  await say(ann, '@bob')
  expect(await idsOf(scene, { kind: 'direct' })).toEqual(['60002', '1'])
})

it('reads the newest of a long mailbox, and again what was written since', async () => {
  const scene = await sightScene()
  const { office, mail, register } = scene
  await register('ann')
  await mail('win', 'first')
  const file = join(office.mailboxesDir, 'win.jsonl')
  const at = { from: 'x', to: 'win', message: 'm', read_flag: false }
  const lines = Array.from({ length: 20_000 }, (_, number) =>
    lineOf({ id: `n${number}`, ...at, created_at: rfc3339(Date.UTC(2026, 1, 1) + number) }),
  )
  appendFileSync(file, Buffer.concat(lines))
  expect(await idsOf(scene, { limit: 2 })).toEqual(['win/n19999', 'win/n19998'])
  const all = await pages(scene, { limit: 200 })
  expect(all).toHaveLength(5000)
  await mail('win', 'and now', { id: 'late', created_at: rfc3339(Date.UTC(2026, 2, 1)) })
  expect(await idsOf(scene, { limit: 2 })).toEqual(['win/late', 'win/n19999'])
  expect(await messageView(scene.sight, 'p', 'win/mail1')).toMatchObject({ body: 'first' })
})

it('takes texts, names and ids of others as they are', async () => {
  const scene = await sightScene()
  const { register, mail, project, sight } = scene
  const hostile = '</script><img src=x onerror=alert(1)>\u202e\ud83d\ude00"\\'
  const ann = await register(hostile)
  await project.messages.send({ agent_id: ann, channel: hostile, subject: hostile, body: hostile })
  const odd = { from: hostile, id: 'a/b "c"', created_at: '+275760-09-13T00:00:00.000Z' }
  await mail('win/dow', hostile, odd)
  const { messages } = await messagesPage(sight, { limit: 9 })
  expect(messages).toMatchObject([
    { id: 'win/dow/a/b "c"', from: hostile, excerpt: hostile, at: '9999-12-31T23:59:59.999000Z' },
    { id: '1', from: hostile, channel: hostile, subject: hostile, excerpt: hostile },
  ])
  expect(await messageView(sight, 'p', 'win/dow/a/b "c"')).toMatchObject({ body: hostile })
  for (const id of ['9', 'win/dow/x', 'nobody/1', '../p']) {
    await expect(messageView(sight, 'p', id)).rejects.toMatchObject({ code: 'not_found' })
  }
})

it('names the channels of late, and nothing of another project', async () => {
  const scene = await sightScene()
  const { register, say, other, sight } = scene
  const ann = await register('ann')
  const zoe = (await other.agents.register({ name: 'zoe', role: 'coder' })).agent_id
  for (const channel of ['build', '@bob', 'build']) await say(ann, channel)
  await other.messages.send({ agent_id: zoe, channel: 'secret', subject: 's', body: 'b' })
  const names = async (project?: string) =>
    (await channelsView(sight, project)).channels.map(({ name }) => name)
  expect(await names('p')).toEqual(['build', '@bob'])
  expect((await names()).sort()).toEqual(['@bob', 'build', 'secret'])
  expect(await idsOf(scene, { project: 'p' })).toEqual(['3', '2', '1'])
  expect(await idsOf(scene, { project: 'q' })).toEqual(['1'])
})
