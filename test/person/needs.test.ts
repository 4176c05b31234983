/** What waits for the person: of every kind, in all projects, and no longer than it does. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { needsPage } from '../../src/person/watching/needs.ts'
import { needsPerson } from '../../src/person/watching/needs-person.ts'
import { minuteMs, sightScene } from '../support/person/sight-scene.ts'
import { edit, prompt, start } from '../support/sessions/moments.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Scene = Awaited<ReturnType<typeof sightScene>>

const needsOf = async ({ sight }: Scene) => (await needsPage(sight)).needs
const titles = async (scene: Scene) => (await needsOf(scene)).map(({ title }) => title)

it('has messages and mail to the person of all projects, the newest first', async () => {
  const scene = await sightScene()
  const { register, say, mail, other, clock } = scene
  const ann = await register('ann')
  await say(ann, '@human', 'the body\nof it', 'a subject')
  await say(ann, '@bob')
  await mail('human', 'by mail\nand more')
  const zoe = (await other.agents.register({ name: 'zoe', role: 'coder' })).agent_id
  clock.pass(1)
  const letter = { agent_id: zoe, channel: '@human', subject: 'elsewhere', body: 'elsewhere' }
  await other.messages.send(letter)
  expect(await needsOf(scene)).toMatchObject([
    { kind: 'message', project: 'q', from: 'zoe', title: 'elsewhere', target: '1' },
    { kind: 'mailbox', project: 'p', from: 'win', title: 'by mail', target: 'human/mail1' },
    {
      kind: 'message',
      project: 'p',
      from: 'ann',
      title: 'a subject',
      text: 'a subject the body of it',
    },
  ])
  const keys = (await needsOf(scene)).map(({ key }) => key)
  expect(new Set(keys).size).toBe(3)
  expect((await needsOf(scene)).map(({ key }) => key)).toEqual(keys)
})

it('has agents that ask, and silent ones that hold files', async () => {
  const scene = await sightScene()
  const { session, register, project, clock } = scene
  const one = session('claude', 's1')
  await one(start)
  await one(prompt)
  const ann = await register('ann')
  await project.claims.claim({ agent_id: ann, files: ['b.ts', 'a.ts'] })
  expect(await needsOf(scene)).toEqual([])
  await one({ kind: 'permission' })
  expect(await needsOf(scene)).toMatchObject([
    { kind: 'waits', from: 'claude-1', target: 'claude-1' },
  ])
  clock.pass(6 * minuteMs)
  expect(await needsOf(scene)).toMatchObject([
    { kind: 'waits', title: 'claude-1 waits for an answer' },
    { kind: 'silent', title: 'ann is silent and holds 2 files', text: 'a.ts, b.ts' },
  ])
  await project.claims.release({ agent_id: ann, files: ['a.ts', 'b.ts'] })
  await one(prompt)
  expect(await needsOf(scene)).toEqual([])
})

it('has what an agent was refused, by a tool or a hook, until that is over', async () => {
  const scene = await sightScene()
  const { session, register, project, clock, other } = scene
  const [ann, bob] = [await register('ann'), await register('bob')]
  await project.claims.claim({ agent_id: ann, files: ['src/'] })
  clock.pass(1)
  await project.claims.claim({ agent_id: bob, files: ['src/a.ts'] })
  await project.claims.claim({ agent_id: bob, files: ['src/a.ts'] })
  const one = session('claude', 's1')
  await one(start)
  clock.pass(1)
  await one(edit('src/b.ts'))
  expect(await titles(scene)).toEqual([
    ...['claude-1 waits for src/b.ts', 'bob waits for src/a.ts'],
  ])
  const [first] = await needsOf(scene)
  expect(first).toMatchObject({
    kind: 'conflict',
    project: 'p',
    from: 'claude-1',
    target: 'src/b.ts',
  })
  expect(first?.text).toMatch(/^held by ann$/)
  await other.agents.register({ name: 'zoe', role: 'coder' })
  expect((await needsOf(scene)).every(({ project: of }) => of === 'p')).toBe(true)
  await project.agents.leave(bob)
  expect(await titles(scene)).toEqual(['claude-1 waits for src/b.ts'])
  await project.claims.release({ agent_id: ann, files: ['src/'] })
  clock.pass(1)
  await project.claims.claim({ agent_id: ann, files: ['src/'] })
  expect(await titles(scene)).toEqual([])
})

it('forgets a refusal after an hour', async () => {
  const scene = await sightScene()
  const { register, project, clock } = scene
  const [ann, bob] = [await register('ann'), await register('bob')]
  await project.claims.claim({ agent_id: ann, files: ['a.ts'] })
  await project.claims.claim({ agent_id: bob, files: ['a.ts'] })
  clock.pass(59 * minuteMs)
  await project.agents.heartbeat({ agent_id: ann })
  expect(await titles(scene)).toEqual(['bob waits for a.ts'])
  clock.pass(2 * minuteMs)
  await project.agents.heartbeat({ agent_id: ann })
  expect(await titles(scene)).toEqual([])
})

function vault(): string {
  const folder = temporaryFolder()
  for (const name of ['Drafts', 'Needs_Action']) mkdirSync(join(folder, name))
  const note = (path: string, fields: Record<string, string>, body = 'text') => {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    writeFileSync(join(folder, path), `---\n${lines.join('\n')}\n---\n${body}\n`)
  }
  const pending = { status: 'pending_approval' }
  note('Drafts/calm.md', { ...pending, to: 'a@example.org', subject: 'calm' })
  note('Drafts/hot.md', { ...pending, to: 'b@example.org', subject: 'hot', priority: 'urgent' })
  note('Needs_Action/mail.md', {
    ...{ status: 'pending', message_id: 'm1', from: 'c@example.org', subject: 'from outside' },
    date: '2026-01-14T10:00:00Z',
  })
  return folder
}

it('has drafts and mails of the vault whichever project is looked at, urgent ones first of all', async () => {
  const scene = await sightScene({ VAULT_PATH: vault() })
  const { register, say } = scene
  await say(await register('ann'), '@human')
  const needs = await needsOf(scene)
  expect(needs[0]).toMatchObject({
    ...{ kind: 'draft', project: null, title: 'hot', urgent: true, target: 'Drafts/hot.md' },
    text: 'b@example.org',
  })
  expect(needs.map(({ kind }) => kind).sort()).toEqual(['draft', 'draft', 'mail', 'message'])
  expect(needs.find(({ kind }) => kind === 'mail')).toMatchObject({
    ...{ title: 'from outside', target: 'Needs_Action/mail.md', from: 'c@example.org' },
  })
  const items = await needsPerson(scene.config)
  expect(items.map(({ id, kind, text }) => [id, kind, text]).sort()).toEqual([
    ['calm.md', 'draft', 'a@example.org: calm'],
    ['hot.md', 'draft', 'b@example.org: hot'],
  ])
  expect(Object.keys(items[0] ?? {}).sort()).toEqual(['at', 'from', 'id', 'kind', 'text'])
})

it('says what could not be looked at, and has the rest', async () => {
  const scene = await sightScene({ VAULT_PATH: join(temporaryFolder(), 'none') })
  await scene.say(await scene.register('ann'), '@human')
  const { needs, faults } = await needsPage(scene.sight)
  expect(needs.map(({ kind }) => kind)).toEqual(['message'])
  expect(faults).toEqual([
    expect.stringContaining('the drafts that wait for you could not be read'),
  ])
})
