/** What hooks have claimed for a session that nothing is heard of any more, while something else keeps its agent alive. */
import { expect, it, onTestFinished } from 'vitest'
import type { Moment } from '../../src/sessions/moment.ts'
import { edit, prompt, start, stop } from '../support/sessions/moments.ts'
import { sessionScene } from '../support/sessions/session-scene.ts'

const minuteMs = 60_000
const shell: Moment = { kind: 'before-shell', command: 'make' }
const shellEnd: Moment = { kind: 'after-shell', command: 'make' }

/** A session in the middle of a turn that holds a.ts by its hook, and own.ts by itself. */
async function stoppedScene(autoClaim?: string) {
  const scene = await sessionScene()
  const { session, project, clock, coordination, claims, agents } = scene
  const one = session('claude', 's1', { autoClaim })
  await one(start)
  await one(prompt)
  await one(edit('a.ts'))
  const agent = await project.sessions.find({ client: 'claude', session: 's1' })
  const agent_id = agent?.agent_id ?? ''
  await project.claims.claim({ agent_id, files: ['own.ts'] })
  onTestFinished(project.hold(agent_id)) // as a server of tools does that its client has started
  const heldAfter = async (minutes: number) => {
    clock.pass(minutes * minuteMs)
    await coordination.sweep()
    expect(await agents()).toEqual(['claude-1'])
    return (await claims()).map((claim) => claim.split(' ')[0]).sort()
  }
  return { one, heldAfter }
}

it('is released after 15 minutes, and nothing else', async () => {
  const { heldAfter } = await stoppedScene()
  expect(await heldAfter(14)).toEqual(['a.ts', 'own.ts'])
  expect(await heldAfter(2)).toEqual(['own.ts'])
})

it('is kept while signs of life come, even such as change nothing', async () => {
  const { one, heldAfter } = await stoppedScene()
  for (let minutes = 0; minutes < 40; minutes += 10) {
    expect(await heldAfter(10)).toEqual(['a.ts', 'own.ts'])
    await one({ kind: 'sign-of-life', tool: 'end' })
  }
})

it('is kept while a call takes long, until the next prompt at most', async () => {
  const { one, heldAfter } = await stoppedScene()
  await one(shell)
  for (let minutes = 0; minutes < 50; minutes += 10) {
    expect(await heldAfter(10)).toEqual(['a.ts', 'own.ts'])
  }
  await one(prompt) // the call was stopped, and nobody told of its end
  expect(await heldAfter(14)).toEqual(['a.ts', 'own.ts'])
  expect(await heldAfter(2)).toEqual(['own.ts'])
})

it('is counted from the end of a call', async () => {
  const { one, heldAfter } = await stoppedScene()
  await one(shell)
  await one(shell)
  await one(shellEnd)
  expect(await heldAfter(20)).toEqual(['a.ts', 'own.ts'])
  await one(shellEnd)
  expect(await heldAfter(20)).toEqual(['own.ts'])
})

it('is kept by an idle session that keeps what it has edited', async () => {
  const { one, heldAfter } = await stoppedScene('session')
  await one(stop)
  expect(await heldAfter(60)).toEqual(['a.ts', 'own.ts'])
})

/** A session that holds a.ts by its hook, while nothing else keeps its agent alive. */
async function askingScene() {
  const scene = await sessionScene()
  const one = scene.session('copilot', 's1', {})
  await one(start)
  await one(prompt)
  await one(edit('a.ts'))
  const heldAfter = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed++) {
      scene.clock.pass(minuteMs)
      await scene.coordination.sweep()
    }
    return scene.claims()
  }
  return { ...scene, one, heldAfter }
}

it('is kept while the edit waits for its user, a quarter of an hour without a word', async () => {
  const { heldAfter } = await askingScene()
  expect(await heldAfter(10)).toEqual(['a.ts copilot-1'])
  expect(await heldAfter(6)).toEqual([])
})

it('is kept for an hour where the client says that its user is asked, also without a server', async () => {
  const { one, heldAfter, holds, agents } = await askingScene()
  await one({ kind: 'permission' })
  holds.close()
  expect(await heldAfter(58)).toEqual(['a.ts copilot-1'])
  expect(await agents()).toEqual(['copilot-1'])
  expect(await heldAfter(4)).toEqual([])
})

it('goes with its agent where nobody is asked and nothing is under way (control)', async () => {
  const { one, heldAfter } = await askingScene()
  await one({ kind: 'after-edit', paths: ['a.ts'] })
  expect(await heldAfter(4)).toEqual([])
})
