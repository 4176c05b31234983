/** What the person says arrives where its reader looks, and what they have read or answered waits no longer. */
import { expect, it } from 'vitest'
import { messagesPage } from '../../src/person/watching/messages-view.ts'
import { needsPage } from '../../src/person/watching/needs.ts'
import { readAsPerson, replyAsPerson, sendAsPerson } from '../../src/person/watching/speaking.ts'
import { sightScene } from '../support/person/sight-scene.ts'

type Scene = Awaited<ReturnType<typeof sightScene>>

const send = ({ sight }: Scene, channel: string, text: string) =>
  sendAsPerson(sight, { project: 'p', channel, text })

const targets = async ({ sight }: Scene) =>
  (await needsPage(sight)).needs.map(({ target }) => target).sort()

it('says something in the name of the person, who is there for that moment alone', async () => {
  const scene = await sightScene()
  const { register, agents, project, sight } = scene
  const ann = await register('ann')
  expect(await send(scene, '@ann', ' do it\nnow ')).toEqual({ message_id: '1', warning: null })
  expect((await project.unread.read({ agent_id: ann })).messages).toMatchObject([
    { subject: 'do it', body: ' do it\nnow ', sender_name: 'human', channel: '@ann' },
  ])
  expect(await agents()).toEqual(['ann'])
  expect(await send(scene, 'broadcast', 'all')).toEqual({ message_id: '2', warning: null })
  const { warning } = await send(scene, '@nobody', 'x')
  expect(warning).toContain('nobody called "nobody" is here')
  await project.agents.leave(ann)
  expect((await send(scene, '@ann', 'x')).warning).toContain('ann is not registered at present')
  const { messages } = await messagesPage(sight, { limit: 9, agent: 'human' })
  expect(messages).toHaveLength(4)
})

it('reaches a name that has a mailbox alone there, once', async () => {
  const scene = await sightScene()
  const { office, mail, register } = scene
  await register('ann')
  await mail('win', 'hello')
  await send(scene, '@win', 'look at this')
  const [, second] = office.mailbox('win').unread()
  expect(second).toMatchObject({ from: 'human', message: 'look at this' })
  expect((await messagesPage(scene.sight, { limit: 9 })).messages).toHaveLength(2)
})

it.each([
  ['nothing', '', 'no message provided'],
  ['blanks', ' \n ', 'no message provided'],
  ['too much', 'x'.repeat(65_537), 'message exceeds maximum size of 64KB'],
  ['a NUL', 'a\0b', 'message must not contain NUL characters'],
])('refuses to say %s, and nobody has come for it', async (_, text, words) => {
  const scene = await sightScene()
  await scene.register('ann')
  await expect(send(scene, '@ann', text)).rejects.toThrow(words)
  expect((await messagesPage(scene.sight, { limit: 9 })).messages).toEqual([])
})

it('answers a message to whoever said it, which is read by that', async () => {
  const scene = await sightScene()
  const { register, say, project, sight } = scene
  const ann = await register('ann')
  const id = await say(ann, '@human', 'may I?', 'a question')
  await say(ann, '@human', 'and this?')
  expect(await targets(scene)).toEqual(['1', '2'])
  await replyAsPerson(sight, { project: 'p', id: String(id), text: 'yes' })
  expect(await targets(scene)).toEqual(['2'])
  const { messages } = await project.unread.read({ agent_id: ann })
  expect(messages.map(({ body }) => body)).toEqual(['yes'])
  const { sent } = await project.sent({ from: 'ann', limit: 9 })
  expect(sent.map(({ state }) => state)).toEqual(['queued', 'read'])
})

it('answers mail where its sender has its mailbox', async () => {
  const scene = await sightScene()
  const { office, mail, register, sight } = scene
  await register('ann')
  await mail('win', 'mine')
  const id = await mail('human', 'a question')
  expect(await targets(scene)).toEqual([`human/${id}`])
  await replyAsPerson(sight, { project: 'p', id: `human/${id}`, text: 'an answer' })
  expect(office.mailbox('win').unread().at(-1)).toMatchObject({
    from: 'human',
    message: 'an answer',
  })
  expect(await targets(scene)).toEqual([])
  const [newest] = (await messagesPage(sight, { limit: 9, kind: 'mailbox' })).messages
  expect(newest).toMatchObject({ from: 'human', channel: '@win', kind: 'mailbox' })
})

it('marks as read what is to the person, and nothing else', async () => {
  const scene = await sightScene()
  const { office, mail, register, say, sight } = scene
  const ann = await register('ann')
  await say(ann, '@human')
  await say(ann, '@bob')
  const own = await mail('human', 'for you')
  const others = await mail('win', 'not for you')
  const ids = ['1', '2', `human/${own}`, `win/${others}`, '99', 'nobody/1']
  await readAsPerson(sight, { project: 'p', ids })
  expect(await targets(scene)).toEqual([])
  expect(office.mailbox('win').unread()).toHaveLength(1)
  const { messages } = await messagesPage(sight, { limit: 9 })
  const states = Object.fromEntries(messages.map(({ id, state }) => [id, state]))
  expect(states).toEqual({
    ...{ '1': 'read', '2': 'queued' },
    ...{ [`human/${own}`]: 'read', [`win/${others}`]: 'queued' },
  })
})
