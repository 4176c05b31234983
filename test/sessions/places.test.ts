/** Where a session is, and which files it means: through links, in other folders, and after a restart. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { edit, edited, end, start, stop } from '../support/sessions/moments.ts'
import { sessionScene } from '../support/sessions/session-scene.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function linkedScene() {
  const scene = await sessionScene()
  mkdirSync(join(scene.root, 'src'))
  writeFileSync(join(scene.root, 'src/real.ts'), '')
  symlinkSync('src/real.ts', join(scene.root, 'link.ts'))
  symlinkSync('src', join(scene.root, 'folder'))
  symlinkSync(temporaryFolder(), join(scene.root, 'away'))
  return scene
}

it('edits the file that a link leads to, and holds both', async () => {
  const { session, claims, project } = await linkedScene()
  const [one, two] = [session('claude', 's1', {}), session('codex', 's2', {})]
  expect(await one(edit('link.ts'))).toEqual({})
  expect(await claims()).toEqual(['link.ts claude-1', 'src/real.ts claude-1'])
  for (const path of ['src/real.ts', 'folder/real.ts', 'link.ts']) {
    expect((await two(edit(path))).refusal).toContain('real.ts is held by claude-1')
  }
  await one(edited('link.ts'))
  await one(stop)
  const { changes } = await project.changes.get({})
  expect(changes.map(({ file_path }) => file_path)).toEqual(['src/real.ts'])
  expect(await claims()).toEqual([])
})

it('knows what is new below a link, and leaves alone what a link leads out to', async () => {
  const { session, claims, register, project } = await linkedScene()
  const bob = await register('bob')
  await project.claims.claim({ agent_id: bob, files: ['src/new/deep.ts', 'away/x.ts'] })
  const one = session('claude', 's1', {})
  expect((await one(edit('folder/new/deep.ts'))).refusal).toContain(
    'src/new/deep.ts is held by bob',
  )
  expect((await one(edit('away/x.ts'))).refusal).toContain('away/x.ts is held by bob')
  expect(await one(edit('away/y.ts'))).toEqual({})
  expect(await claims()).toEqual(['away/x.ts bob', 'away/y.ts claude-1', 'src/new/deep.ts bob'])
})

it('begins no session by an event that nobody knows, nor goes on with one that has ended', async () => {
  const { session, agents } = await sessionScene()
  const one = session('claude', 's1', {})
  await one({ kind: 'sign-of-life' })
  expect(await agents()).toEqual([])
  await one(start)
  expect(await agents()).toEqual(['claude-1'])
  await one(end)
  await one({ kind: 'sign-of-life' })
  expect(await agents()).toEqual([])
})

it('is told why it has not the name that it was given', async () => {
  const { session } = await sessionScene()
  const zoe = { name: 'zoe' }
  expect((await session('claude', 's1', zoe)(start)).context).not.toContain('Your name would be')
  const { context } = await session('claude', 's2', zoe)(start)
  expect(context).toContain('you are claude-1')
  expect(context).toContain('Your name would be "zoe", but another session')
})
