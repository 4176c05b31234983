/** Claims on folders: by how they are written, and by what is on the disk of the server. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectsOnOneServer, TestProject } from '../support/coordination/projects.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const newProject = projectsOnOneServer()

async function withTwo(project: TestProject) {
  const [a, b] = [await project.register('coder-1'), await project.register('coder-2')]
  const held = async (...files: string[]) =>
    (await project.claims(...files)).claims.map(({ file_path }) => file_path)
  return { project, a, b, held }
}

describe('a folder', () => {
  it('is the same in every spelling, and comes back in the caller’s own', async () => {
    const { project, a, b, held } = await withTwo(newProject())
    const spellings = [
      ...['src/', 'src/**', './src//', 'src/**/', 'x/../src/', 'src\\', '.\\src\\**', 'src/./'],
    ]
    for (const mine of spellings) {
      expect(await project.claim(a, mine)).toEqual({ claimed: [mine], conflicts: [] })
      expect(await held()).toEqual(['src/**'])
      const { claimed, conflicts } = await project.claim(b, ...spellings)
      expect(claimed).toEqual([])
      expect(conflicts.map(({ file }) => file)).toEqual(spellings)
      expect(await project.release(b, ...spellings)).toEqual({ released: [] })
      expect(await project.release(a, mine)).toEqual({ released: [mine] })
    }
  })

  it('that is held is named once, in its normal form, whether it was asked for by itself or by what is below it', async () => {
    const { project, a, b } = await withTwo(newProject())
    await project.claim(a, 'src/')
    for (const files of [
      ['src/a.ts', 'src/'],
      ['src/', 'src/a.ts'],
      ['src/**', 'src/a.ts', './src/'],
    ]) {
      const { claimed, conflicts } = await project.claim(b, ...files)
      expect([claimed, conflicts.map(({ file }) => file)]).toEqual([[], ['src/**']])
    }
    await project.claim(a, 'lib/x.ts')
    const { conflicts } = await project.claim(b, './lib/x.ts', 'lib/')
    expect(conflicts.map(({ file }) => file)).toEqual(['lib/x.ts'])
  })

  it.each(['.', '/', '**', './', './**', '/**', '\\', 'a/..', '**/'])(
    'is the whole project as %j',
    async (spelling) => {
      const { project, a, b, held } = await withTwo(newProject())
      expect((await project.claim(a, spelling)).claimed).toEqual([spelling])
      expect(await held('any/file.ts')).toEqual(['**'])
      const since = (await project.claims()).claims[0]?.claimed_at
      expect(await project.claim(b, 'one.ts', 'any/two/')).toEqual({
        claimed: [],
        conflicts: [{ file: '**', held_by: a, holder_name: 'coder-1', claimed_at: since }],
      })
      expect((await project.release(a, '.')).released).toEqual(['.'])
    },
  )

  it.each([
    ['src/*.ts', 'src/'],
    ['*.ts', '. for the whole project'],
    ['*', '. for the whole project'],
    ['a/**/b.ts', 'a/'],
    ['src/***', 'src/'],
    ['src**', '. for the whole project'],
    ['a/*/**', 'a/'],
    ['src/**/**', 'src/'],
    ['**/../src', '. for the whole project'],
    ['a\\*', 'a/'],
    ['what is this*?', '. for the whole project'],
  ])(
    'is no pattern: %j is refused with what to write, and the call with it',
    async (path, next) => {
      const { project, a, held } = await withTwo(newProject())
      const files = ['free.ts', path, 'src/']
      for (const [tool, args] of [
        ['claim_files', { agent_id: a, files }],
        ['release_files', { agent_id: a, files }],
        ['get_file_claims', { files }],
      ] as const) {
        const text = await project.refusal(tool, args)
        expect(text).toContain(`only whole folders can be claimed: "${path}"\nWrite ${next}`)
      }
      expect(await held()).toEqual([])
    },
  )

  it('that is outside is outside, however it is written', async () => {
    const { project, a } = await withTwo(newProject())
    for (const path of ['../', '../**', '/etc/', '/etc/**', 'C:/', 'C:\\**', '//', 'a/../../**']) {
      const text = await project.refusal('claim_files', { agent_id: a, files: ['x', path] })
      expect(text.split('\n')[0]).toBe(`path "${path}" is outside the project`)
    }
    for (const path of ['/', '/**']) {
      const args = { agent_id: a, file_path: path, summary: 's' }
      expect(await project.refusal('announce_change', args)).toContain('is outside the project')
    }
  })
})

describe('where the disk says what is a folder', () => {
  async function repository() {
    const folder = realpathSync(temporaryFolder())
    const root = join(folder, 'main')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: root,
        stdio: 'ignore',
      })
    mkdirSync(join(root, 'src/deep'), { recursive: true })
    mkdirSync(join(folder, 'elsewhere/inside'), { recursive: true })
    writeFileSync(join(root, 'src/a.ts'), '')
    symlinkSync(join(folder, 'elsewhere'), join(root, 'out'))
    symlinkSync(join(root, 'src'), join(root, 'link'))
    git('init', '-q')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
    const server = await TestServer.start({ cwd: root })
    return { folder, root, git, server, ...(await withTwo(new TestProject(server.url))) }
  }

  it('a bare name is the folder, a link is none, and what is not there is a file', async () => {
    const { project, root, a, b, held } = await repository()
    const files = [
      'src/deep',
      join(root, 'src/deep'),
      'out',
      'out/inside',
      'link',
      'link/deep',
      'new',
    ]
    expect((await project.claim(a, ...files)).claimed).toEqual(files)
    expect(await held()).toEqual([
      ...['link', 'link/deep', 'new', 'out', 'out/inside', 'src/deep/**'],
    ])
    expect((await project.claim(b, 'src')).conflicts).toMatchObject([{ file: 'src/deep/**' }])
    expect((await project.claim(b, 'src/deep')).conflicts).toMatchObject([{ file: 'src/deep' }])
    expect(await project.claim(b, 'src/a.ts', 'new/a.ts')).toMatchObject({ conflicts: [] })
    expect((await project.release(a, ...files)).released).toEqual(files)
  })

  it('a claim stays what it was when that changes, and is released by its name', async () => {
    const { project, root, a, b, held } = await repository()
    await project.claim(a, 'later', 'src')
    mkdirSync(join(root, 'later'))
    rmSync(join(root, 'src'), { recursive: true })
    expect(await held('later', 'src')).toEqual(['later', 'src/**'])
    expect((await project.claim(b, 'later/a.ts')).conflicts).toEqual([])
    expect((await project.claim(b, 'later')).conflicts).toMatchObject([{ file: 'later' }])
    expect((await project.claim(b, 'src')).conflicts).toMatchObject([{ file: 'src/**' }])
    expect((await project.release(a, 'later', 'src')).released).toEqual(['later', 'src'])
    expect(await held()).toEqual(['later/a.ts'])
  })

  it('a folder that only a new worktree has is one', async () => {
    const { project, folder, git, a, held } = await repository()
    await project.claim(a, 'src/a.ts')
    const linked = join(folder, 'linked')
    git('worktree', 'add', '-q', '--detach', linked)
    mkdirSync(join(linked, 'fresh'))
    await project.claim(a, 'fresh')
    expect(await held('fresh/x.ts')).toEqual(['fresh/**'])
  })

  it('other projects of the server have no disk', async () => {
    const { server } = await repository()
    const { project, a, held } = await withTwo(new TestProject(server.url, 'other'))
    await project.claim(a, 'src')
    expect(await held()).toEqual(['src'])
  })
})
