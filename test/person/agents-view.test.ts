/** Everybody in one list, and how each is. */
import { expect, it } from 'vitest'
import { agentsView } from '../../src/person/watching/agents-view.ts'
import { minuteMs, sightScene } from '../support/person/sight-scene.ts'
import { edit, end, prompt, start, stop } from '../support/sessions/moments.ts'

type Scene = Awaited<ReturnType<typeof sightScene>>

const statesIn = async ({ sight }: Scene, project?: string) =>
  Object.fromEntries(
    (await agentsView(sight, project)).agents.map(({ name, state }) => [name, state]),
  )

it('tells of a session that it works, is ready or waits, and that one at work has gone silent', async () => {
  const scene = await sightScene()
  const { session, clock } = scene
  const one = session('claude', 's1')
  await one(start)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'ready' })
  clock.pass(60 * minuteMs)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'ready' })
  await one(prompt)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'working' })
  clock.pass(4 * minuteMs)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'working' })
  clock.pass(minuteMs)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'silent' })
  await one({ kind: 'permission' })
  const asked = clock.now()
  clock.pass(600 * minuteMs)
  const [agent] = (await agentsView(scene.sight, 'p')).agents
  expect(agent).toMatchObject({ state: 'waits', client: 'claude', name: 'claude-1' })
  expect(Date.parse(agent?.since ?? '')).toBe(asked)
  await one(stop)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'ready' })
  await one(end)
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'gone' })
})

it('takes an open connection for no sign, and a call of any kind for one', async () => {
  const scene = await sightScene()
  const { register, hold, clock, coordination, project, say } = scene
  const ann = await register('ann')
  const letGo = hold(ann)
  expect(await statesIn(scene)).toEqual({ ann: 'here' })
  clock.pass(6 * minuteMs)
  await coordination.sweep() // which writes the signs of life of whoever is held
  expect(await statesIn(scene)).toEqual({ ann: 'silent' })
  await project.messages.read({ agent_id: ann })
  expect(await statesIn(scene)).toEqual({ ann: 'here' })
  clock.pass(6 * minuteMs)
  await project.agents.heartbeat({ agent_id: ann, isKept: true })
  expect(await statesIn(scene)).toEqual({ ann: 'silent' })
  await project.agents.heartbeat({ agent_id: ann })
  expect(await statesIn(scene)).toEqual({ ann: 'here' })
  clock.pass(6 * minuteMs)
  await say(ann, 'broadcast')
  expect(await statesIn(scene)).toEqual({ ann: 'here' })
  letGo()
})

it('does not take what was taken away from an agent for a sign of it', async () => {
  const scene = await sightScene()
  const { session, clock, hold, coordination, project } = scene
  const one = session('claude', 's1')
  await one(start)
  await one(prompt)
  await one(edit('a.ts'))
  const found = await project.sessions.find({ client: 'claude', session: 's1' })
  hold(found?.agent_id ?? '')
  clock.pass(16 * minuteMs)
  await coordination.sweep()
  expect(await scene.claims()).toEqual([])
  expect(await statesIn(scene)).toEqual({ 'claude-1': 'silent' })
})

it('keeps a connection elsewhere apart from calls for as long as it says so', async () => {
  const scene = await sightScene()
  const { register, clock, project } = scene
  const ann = await register('ann')
  for (let minutes = 0; minutes < 6; minutes++) {
    clock.pass(minuteMs)
    await project.agents.heartbeat({ agent_id: ann, isKept: true })
  }
  expect(await statesIn(scene)).toEqual({ ann: 'silent' })
})

it('has windows and mailboxes beside the registered, each with what is known of it', async () => {
  const scene = await sightScene()
  const { office, mail, clock, register, project, say, sight } = scene
  const ann = await register('ann')
  await project.claims.claim({ agent_id: ann, files: ['d.ts', 'b.ts', 'c.ts', 'a.ts'] })
  await say(ann, 'broadcast', 'body', 'first')
  clock.pass(1)
  await say(ann, '@win', 'second line', '')
  await mail('win', 'for you')
  await office.recipients.setStatus('win', 'work', null, clock.now())
  clock.pass(1000)
  await mail('ann', 'said by mail\nand more')
  const { agents } = await agentsView(sight, 'p')
  expect(agents).toMatchObject([
    {
      ...{ name: 'ann', agent_id: ann, role: 'coder', state: 'here', project: 'p', claims: 4 },
      ...{ files: ['a.ts', 'b.ts', 'c.ts'], client: null, where: 'registered' },
      last_words: { id: '2', text: 'second line' },
    },
    {
      ...{ name: 'win', agent_id: null, state: 'working', role: null, unread: 1, claims: 0 },
      last_words: { id: 'ann/mail2', text: 'said by mail' },
    },
    {
      ...{ name: 'ann', agent_id: null, where: 'mailbox', unread: 1, state: 'silent', since: null },
    },
  ])
  await office.recipients.setStatus('win', 'offline', null, clock.now())
  expect((await agentsView(sight, 'p')).agents[1]).toMatchObject({ name: 'win', state: 'gone' })
})

it('names who left or went stale within a day, once, and not while another has the name', async () => {
  const scene = await sightScene()
  const { register, project, clock, coordination, sight } = scene
  await project.agents.leave(await register('ann'))
  await project.agents.leave(await register('ann'))
  await register('bob')
  clock.pass()
  await coordination.sweep()
  const { agents } = await agentsView(sight, undefined)
  expect(agents.map(({ name, state, role }) => [name, state, role])).toEqual([
    ['bob', 'gone', 'coder'],
    ['ann', 'gone', 'coder'],
  ])
  await register('bob')
  expect(await statesIn(scene)).toEqual({ bob: 'here', ann: 'gone' })
  clock.pass(24 * 60 * minuteMs)
  expect(Object.keys(await statesIn(scene))).toEqual(['bob'])
})

it('never lists the person, nor what belongs to another project', async () => {
  const scene = await sightScene()
  const { project, other, register } = scene
  await register('ann')
  await other.agents.register({ name: 'zoe', role: 'coder' })
  await project.agents.register({ name: 'human', role: 'person', isGuest: true })
  expect(await statesIn(scene, 'p')).toEqual({ ann: 'here' })
  expect(await statesIn(scene, 'q')).toEqual({ zoe: 'here' })
  expect(await statesIn(scene)).toEqual({ ann: 'here', zoe: 'here' })
  const refusal = agentsView(scene.sight, 'pp').catch((error: unknown) => error)
  expect(await refusal).toMatchObject({ code: 'not_found' })
  await expect(agentsView(scene.sight, 'pp')).rejects.toThrow('there is no project "pp"')
})
