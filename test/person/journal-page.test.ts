/** What happened between two moments, and what happened to a file. */
import { expect, it } from 'vitest'
import { claimsPage, fileView } from '../../src/person/watching/files-view.ts'
import { type JournalQuestion, journalPage } from '../../src/person/watching/journal-page.ts'
import { rfc3339 } from '../../src/system/clock.ts'
import { minuteMs, sightScene } from '../support/person/sight-scene.ts'
import { edit, start } from '../support/sessions/moments.ts'

type Scene = Awaited<ReturnType<typeof sightScene>>

const page = ({ sight }: Scene, question: Partial<JournalQuestion> = {}) =>
  journalPage(sight, { limit: 5000, ...question })

it('tells all of two projects in one order, with what was said and announced, and mail', async () => {
  const scene = await sightScene()
  const { register, say, project, other, clock, mail } = scene
  const ann = await register('ann')
  clock.pass(1)
  const zoe = (await other.agents.register({ name: 'zoe', role: 'tester' })).agent_id
  clock.pass(1)
  await say(ann, '@bob', 'b\nody', 'subject')
  clock.pass(1)
  await other.claims.claim({ agent_id: zoe, files: ['a.ts'] })
  clock.pass(1)
  await project.changes.announce({ agent_id: ann, file_path: 'a.ts', summary: 'the sum' })
  await mail('win', 'hello')
  const { entries, cut_at, mails } = await page(scene)
  expect(cut_at).toBeNull()
  expect(entries).toMatchObject([
    { project: 'p', event: 'registered', agent: 'ann', agent_id: ann, text: 'coder', entry: 1 },
    { project: 'q', event: 'registered', agent: 'zoe', text: 'tester', entry: 1 },
    {
      ...{ project: 'p', event: 'said', text: null, file: null },
      message: { id: 1, channel: '@bob', subject: 'subject', excerpt: 'b ody' },
    },
    { project: 'q', event: 'claimed', file: 'a.ts', message: null },
    { project: 'p', event: 'announced', file: 'a.ts', text: 'the sum' },
  ])
  expect(mails).toMatchObject([{ id: 'win/mail1' }])
  const own = await page(scene, { project: 'q' })
  expect(own.entries.every((entry) => entry.project === 'q')).toBe(true)
  expect(own.mails).toEqual([])
})

it('gives the newest of a time, and says from when on it is all', async () => {
  const scene = await sightScene()
  const { register, say, clock } = scene
  const ann = await register('ann')
  const times: string[] = []
  for (let number = 0; number < 2500; number++) {
    clock.pass(1000)
    times.push(rfc3339(clock.now()))
    await say(ann, number % 10 === 0 ? '@bob' : 'broadcast', `${number}`)
  }
  const bodies = async (question: Partial<JournalQuestion>) => {
    const { entries, cut_at } = await page(scene, question)
    return { first: entries[0], last: entries.at(-1), count: entries.length, cut_at }
  }
  const newest = await bodies({ limit: 2000 })
  expect(newest.count).toBe(2000)
  expect(newest.last?.message?.excerpt).toBe('2499')
  expect(newest.cut_at).toBe(newest.first?.at)
  const between = await bodies({ since: times[99], until: times[199] })
  expect([between.first?.message?.excerpt, between.last?.message?.excerpt]).toEqual(['100', '199'])
  expect([between.count, between.cut_at]).toEqual([100, null])
  const part = await bodies({ since: times[99], until: times[199], limit: 10 })
  expect(part.first?.message?.excerpt).toBe('190')
  expect((await bodies({ since: times[2499] })).count).toBe(0)
  expect((await bodies({ until: '2020-01-01T00:00:00Z' })).count).toBe(0)
  await expect(page(scene, { since: 'yesterday' })).rejects.toThrow('is not RFC 3339')
})

it('is narrowed down to an agent or a file', async () => {
  const scene = await sightScene()
  const { register, project, mail } = scene
  const [ann, bob] = [await register('ann'), await register('bob')]
  await project.claims.claim({ agent_id: ann, files: ['src/', 'b.ts'] })
  await project.changes.announce({ agent_id: bob, file_path: 'src/a.ts', summary: 's' })
  await mail('win', 'by another')
  await mail('ann', 'to her')
  const told = async (question: Partial<JournalQuestion>) =>
    (await page(scene, question)).entries.map(({ event, agent }) => `${event} ${agent}`)
  expect(await told({ agent: 'ann' })).toEqual(['registered ann', 'claimed ann', 'claimed ann'])
  expect(await told({ agent: bob })).toEqual(['registered bob', 'announced bob'])
  expect(await told({ file: 'src/a.ts' })).toEqual(['claimed ann', 'announced bob'])
  expect(await told({ file: 'b.ts', agent: 'bob' })).toEqual([])
  expect((await page(scene, { agent: 'ann' })).mails).toMatchObject([{ id: 'ann/mail2' }])
})

it('says that older entries were pruned, where that is in the time asked for', async () => {
  const scene = await sightScene()
  const { register, say, clock, coordination } = scene
  const ann = await register('ann')
  await say(ann, 'broadcast')
  clock.pass(10 * 24 * 60 * minuteMs)
  await say(ann, 'broadcast')
  const now = rfc3339(clock.now())
  await coordination.prune({ ageMs: 24 * 60 * minuteMs })
  const { cut_at } = await page(scene)
  expect(cut_at).not.toBeNull()
  expect((await page(scene, { since: now })).cut_at).toBeNull()
  expect((await page(scene, { until: '2026-01-01T00:00:00Z' })).cut_at).toBeNull()
})

it('tells of a file who holds it or a folder around it, and its history, newest first', async () => {
  const scene = await sightScene()
  const { session, project, register, sight, root } = scene
  const ann = await register('ann')
  const one = session('claude', 's1')
  await one(start)
  await one(edit('src/a.ts'))
  await project.changes.announce({ agent_id: ann, file_path: 'src/a.ts', summary: 'one' })
  const view = await fileView(sight, 'p', `${root}/src/../src/a.ts`)
  expect(view).toMatchObject({
    ...{ path: 'src/a.ts', has_more: false },
    claims: [{ path: 'src/a.ts', agent: 'claude-1', by_hook: true, project: 'p' }],
    entries: [{ event: 'announced', text: 'one' }, { event: 'claimed' }],
  })
  for (let number = 0; number < 250; number++) {
    await project.changes.announce({ agent_id: ann, file_path: 'src/a.ts', summary: `${number}` })
  }
  const long = await fileView(sight, 'p', 'src/a.ts')
  expect([long.entries.length, long.entries[0]?.text, long.has_more]).toEqual([200, '249', true])
  await expect(fileView(sight, 'p', '../x')).rejects.toThrow('is outside the project')
  expect(await fileView(sight, 'p', 'none')).toMatchObject({ claims: [], entries: [] })
})

it('pages through the claims of all projects by path, each once', async () => {
  const scene = await sightScene()
  const { project, other, register, sight } = scene
  const ann = await register('ann')
  const zoe = (await other.agents.register({ name: 'zoe', role: 'coder' })).agent_id
  const files = Array.from({ length: 30 }, (_, number) => `f${String(number).padStart(2, '0')}`)
  await project.claims.claim({ agent_id: ann, files })
  await other.claims.claim({ agent_id: zoe, files })
  const all: string[] = []
  for (let after: string | undefined; ; ) {
    const { claims, has_more } = await claimsPage(sight, { after, limit: 7 })
    all.push(...claims.map((claim) => `${claim.project} ${claim.path}`))
    const last = claims.at(-1)
    after = last && `${last.project}\n${last.path}`
    if (!has_more) break
  }
  expect(all).toEqual([...files.map((file) => `p ${file}`), ...files.map((file) => `q ${file}`)])
  const { claims, has_more } = await claimsPage(sight, { project: 'q', after: 'f27', limit: 7 })
  expect([claims.map(({ path, agent }) => `${path} ${agent}`), has_more]).toEqual([
    ...[['f28 zoe', 'f29 zoe'], false],
  ])
})
