/** Who tells an idle session of what waits: one, of however many try at once. */
import { expect, it } from 'vitest'
import { sessionScene } from '../support/sessions/session-scene.ts'

const name = { client: 'claude', session: 's1' }

it('lets one of many tell a session, and notes how', async () => {
  const { session, project, register, say, open } = await sessionScene()
  await session('claude', 's1')({ kind: 'session-start' })
  const bob = await register('bob')
  const id = await say(bob, '@claude-1')
  expect(await project.sessions.view(name)).toMatchObject({
    ...{ state: 'ready', name: 'claude-1', names: ['claude-1'], ids: [id], from: ['bob'] },
    newest_id: id,
  })
  const other = (await open()).project('p')
  const tries = await Promise.all(
    [project, other, project, other].map((one) => one.sessions.announce(name, 'rewake')),
  )
  expect(tries.filter(({ ids }) => ids.length > 0)).toEqual([{ ids: [id], from: ['bob'] }])
  expect(await project.sent({ from: 'bob', limit: 5 })).toMatchObject({
    sent: [{ state: 'notified', notified_by: 'rewake' }],
  })
  const view = await project.sessions.view(name)
  expect(view).toMatchObject({ ids: [], from: [], newest_id: id })
})

it('tells nobody who works, is asked something, has ended, or has read it', async () => {
  const { session, project, register, say } = await sessionScene()
  const tell = session('claude', 's1')
  const bob = await register('bob')
  await tell({ kind: 'session-start' })
  const none = { ids: [], from: [] }
  for (const kind of ['prompt', 'permission', 'session-end'] as const) {
    await tell({ kind })
    await say(bob, '@claude-1')
    expect([kind, await project.sessions.announce(name, 'rewake')]).toEqual([kind, none])
  }
  await tell({ kind: 'session-start' })
  await tell({ kind: 'prompt' }) // which hands all over
  await tell({ kind: 'turn-end', isAgain: false })
  expect(await project.sessions.announce(name, 'rewake')).toEqual(none)
  expect(await project.sessions.announce({ ...name, session: 'nobody' }, 'rewake')).toEqual(none)
})

it('notes how it was told also where its reader was faster', async () => {
  const { session, project, register, say } = await sessionScene()
  const tell = session('codex', 's1')
  await tell({ kind: 'session-start' })
  const id = await say(await register('bob'), '@codex-1')
  await tell({ kind: 'prompt' })
  await project.receipts.told([id], 'codex')
  await project.receipts.told([id], 'keys')
  expect((await project.sent({ from: 'bob', limit: 5 })).sent).toMatchObject([
    { state: 'read', notified_by: 'codex' },
  ])
})
