/** read_messages with unread, over HTTP: what it refuses, waits for and tells, and what register and heartbeat say of it. */
import { expect, it } from 'vitest'
import { projectsOnOneServer } from '../support/coordination/projects.ts'

const newProject = projectsOnOneServer()

it('goes on by itself, and is refused with a cursor', async () => {
  const project = newProject()
  const [ann, bob] = [await project.register('ann'), await project.register('bob')]
  await project.send(bob, 'one', { channel: '@ann' })
  await project.send(bob, 'two')
  const unread = async (options: object = {}) => {
    const { structuredContent } = await project.call('read_messages', {
      ...{ agent_id: ann, unread: true, ...options },
    })
    return structuredContent
  }
  for (const cursor of [{ since: '2026-01-15T10:00:00Z' }, { after_id: 0 }]) {
    const args = { agent_id: ann, unread: true, ...cursor }
    expect(await project.refusal('read_messages', args)).toBe(
      'unread cannot be combined with since or after_id\nIt goes on by itself where you were: leave them out, or leave out unread.',
    )
  }
  for (const odd of ['yes', 1]) {
    const args = { agent_id: ann, unread: odd }
    expect(await project.refusal('read_messages', args)).toBe('unread must be true or false')
  }
  // What was refused, and what reads by a cursor or is false, has moved nothing.
  const { structuredContent: all } = await project.call('read_messages', {
    ...{ agent_id: ann, unread: false, after_id: 0 },
  })
  expect(all).toMatchObject({ messages: [{ body: 'one' }, { body: 'two' }] })
  expect(await project.heartbeat(ann)).toEqual({ ok: true, unread: 2 })
  expect(await unread({ limit: 1 })).toMatchObject({ messages: [{ body: 'one' }], has_more: true })
  expect(await project.heartbeat(ann)).toEqual({ ok: true, unread: 1 })
  expect(await unread()).toMatchObject({ messages: [{ body: 'two' }], has_more: false })
  expect(await unread()).toEqual({ messages: [], has_more: false })
  const waiting = unread({ wait_seconds: 50 })
  await project.send(bob, 'three', { channel: '@ann' })
  expect(await waiting).toMatchObject({ messages: [{ body: 'three' }] })
  expect(await project.refusal('read_messages', { agent_id: 'nobody', unread: true })).toMatch(
    /^agent "nobody" is not registered\n/,
  )
})

it('is told of by register, which names the others and who has one’s name', async () => {
  const project = newProject()
  const register = async (args: object) =>
    (await project.call('register', { role: 'coder', ...args })).structuredContent
  const ann = await project.register('ann')
  await project.send(ann, 'early', { channel: '@bob' })
  const first = Object(await register({ name: 'bob' }))
  expect(first).toEqual({
    ...{ agent_id: first.agent_id, agents: [{ name: 'ann', role: 'coder' }], unread: 1 },
  })
  const second = Object(await register({ name: 'bob', role: 'reviewer' }))
  expect(second).toMatchObject({ unread: 1, agents: [{ name: 'ann' }, { name: 'bob' }] })
  expect(second.note).toMatch(
    new RegExp(
      `^another living agent is called "bob": ${first.agent_id} \\(coder\\), silent for \\d+ s\\. .*agent_id "${first.agent_id}"`,
    ),
  )
  const third = Object(await register({ name: 'bob' }))
  expect(third.note).toMatch(/^2 other living agents are called "bob": .* register again with its/)
  for (const { agent_id } of [first, second]) expect(third.note).toContain(agent_id)
  expect(third.note).toContain('@bob reaches all of you')
  const resumed = Object(await register({ name: 'bob', agent_id: first.agent_id }))
  expect(resumed).toMatchObject({ agent_id: first.agent_id, unread: 1 })
  expect(resumed.note).toContain(second.agent_id)
  for (let n = 0; n < 55; n++) await project.register(`other ${n}`)
  expect(Object(await register({ name: 'last' })).agents).toHaveLength(50)
})
