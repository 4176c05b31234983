/** A person releases what an agent holds: all of it or nothing, whoever else is at it. */
import { expect, it } from 'vitest'
import { AgentMailError } from '../../src/errors.ts'
import { releaseAsPerson } from '../../src/person/watching/releasing.ts'
import { sightScene } from '../support/person/sight-scene.ts'
import { listOf } from '../support/store/databases.ts'

type Scene = Awaited<ReturnType<typeof sightScene>>

const release = ({ sight }: Scene, path: string, agent_id: string) =>
  releaseAsPerson(sight, { project: 'p', path, agent_id })

const historyOf = async ({ project }: Scene, file: string) =>
  (await listOf(project.history({ file }))).map(
    ({ event, agent_name, text }) => `${event} ${agent_name}${text === null ? '' : ` ${text}`}`,
  )

it('takes it away, notes by whom, and tells the holder', async () => {
  const scene = await sightScene()
  const { project, register, agents, claims } = scene
  const ann = await register('ann')
  await project.claims.claim({ agent_id: ann, files: ['src/a.ts', 'lib/'] })
  expect(await release(scene, 'lib/**', ann)).toEqual({ released: true, message_id: '1' })
  expect(await claims()).toEqual(['src/a.ts ann'])
  expect(await historyOf(scene, 'lib/')).toEqual(['claimed ann', 'released ann by human'])
  expect((await project.unread.read({ agent_id: ann })).messages).toMatchObject([
    {
      ...{ channel: '@ann', sender_name: 'human' },
      subject: 'Your claim on lib/** was released by human',
      body: expect.stringContaining('claimed it again'),
    },
  ])
  expect(await agents()).toEqual(['ann'])
})

it('refuses what is not held by that agent, names who holds it now, and leaves no trace', async () => {
  const scene = await sightScene()
  const { project, register, claims } = scene
  const [ann, bob] = [await register('ann'), await register('bob')]
  await project.claims.claim({ agent_id: bob, files: ['src/a.ts'] })
  const before = await listOf(project.history({}))
  const refusals: [string, string, string][] = [
    ['src/a.ts', ann, 'src/a.ts is held by bob now'],
    ['src/b.ts', ann, 'nobody holds src/b.ts any more'],
    ['src/**', bob, 'nobody holds src/** any more'],
    ['src/a.ts', 'nobody', 'src/a.ts is held by bob now'],
  ]
  for (const [path, agent, words] of refusals) {
    const refusal = await release(scene, path, agent).catch((error: unknown) => error)
    expect(AgentMailError.is(refusal, 'conflict') && [refusal.message, refusal.httpStatus]).toEqual(
      [...[words, 409]],
    )
  }
  expect(await claims()).toEqual(['src/a.ts bob'])
  expect(await listOf(project.history({}))).toEqual(before)
})

it('tells the holder exactly once, or not at all, when it releases at the same moment', async () => {
  const scene = await sightScene()
  const { project, register } = scene
  const ann = await register('ann')
  for (let round = 0; round < 20; round++) {
    const path = `f${round}.ts`
    await project.claims.claim({ agent_id: ann, files: [path] })
    const own = () => project.claims.release({ agent_id: ann, files: [path] })
    const person = () =>
      release(scene, path, ann).then(
        () => true,
        (error: unknown) => {
          if (AgentMailError.is(error, 'conflict')) return false
          throw error
        },
      )
    const [isByPerson, { released }] = await (round % 2
      ? Promise.all([person(), own()])
      : Promise.all([own(), person()]).then(([one, two]) => [two, one] as const))
    expect(isByPerson).toBe(released.length === 0)
    const events = await historyOf(scene, path)
    expect(events).toEqual(['claimed ann', isByPerson ? 'released ann by human' : 'released ann'])
    const { messages } = await project.unread.read({ agent_id: ann })
    expect(messages).toHaveLength(isByPerson ? 1 : 0)
  }
})

it('never takes it from whoever claims it next', async () => {
  const scene = await sightScene()
  const { project, register, claims } = scene
  const [ann, bob] = [await register('ann'), await register('bob')]
  for (let round = 0; round < 20; round++) {
    const files = [`f${round}.ts`]
    await project.claims.claim({ agent_id: ann, files })
    const released = release(scene, `f${round}.ts`, ann)
    let isBobs = false
    while (!isBobs) {
      isBobs = (await project.claims.claim({ agent_id: bob, files })).claimed.length > 0
    }
    await released
    await expect(release(scene, `f${round}.ts`, ann)).rejects.toThrow('is held by bob now')
  }
  expect(new Set((await claims()).map((claim) => claim.split(' ')[1]))).toEqual(new Set(['bob']))
})

it('lets a guest that stayed for its files go with the last of them', async () => {
  const scene = await sightScene()
  const { project, agents } = scene
  const { agent_id } = await project.agents.register({ name: 'eve', role: 'x', isGuest: true })
  await project.claims.claim({ agent_id, files: ['a.ts'] })
  await project.agents.leave(agent_id)
  expect(await agents()).toEqual(['eve'])
  await release(scene, 'a.ts', agent_id)
  expect(await agents()).toEqual([])
})

it('says of a long path where it ends', async () => {
  const scene = await sightScene()
  const { project, register } = scene
  const ann = await register('ann')
  const path = `${'long/'.repeat(100)}end.ts`
  await project.claims.claim({ agent_id: ann, files: [path] })
  await release(scene, path, ann)
  const [message] = (await project.unread.read({ agent_id: ann })).messages
  expect(message?.subject).toMatch(/^Your claim on ….*long\/end\.ts was released by human$/)
  expect(message?.subject).toHaveLength(255)
  expect(message?.body).toContain(path)
})
