/** Claims on files: one holder a path, whatever its spelling, and no path that leaves the project. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { projectsOnOneServer, TestProject } from '../support/coordination/projects.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const newProject = projectsOnOneServer()
const paged = z.object({
  claims: z.array(z.object({ file_path: z.string() })),
  has_more: z.boolean(),
})

async function projectWithTwo() {
  const project = newProject()
  return { project, a: await project.register('coder-1'), b: await project.register('coder-2') }
}

describe('claiming', () => {
  it('gives what is free, and names who holds the rest since when', async () => {
    const { project, a, b } = await projectWithTwo()
    expect(await project.claim(a, 'one', 'two')).toEqual({ claimed: ['one', 'two'], conflicts: [] })
    const since = new Map(
      (await project.claims()).claims.map((one) => [one.file_path, one.claimed_at]),
    )
    const holder = { held_by: a, holder_name: 'coder-1' }
    expect(await project.claim(b, 'three', 'two', 'four', 'one')).toEqual({
      claimed: ['three', 'four'],
      conflicts: [
        { file: 'two', ...holder, claimed_at: since.get('two') },
        { file: 'one', ...holder, claimed_at: since.get('one') },
      ],
    })
  })

  it('what you hold is a success, changes nothing, and never names yourself as the holder', async () => {
    const { project, a } = await projectWithTwo()
    await project.claim(a, 'one')
    const before = await project.claims()
    const again = await project.claim(a, 'one', './one', 'two', 'one')
    expect(again.conflicts).toEqual([])
    expect(new Set(again.claimed)).toEqual(new Set(['one', './one', 'two']))
    expect((await project.claims('one')).claims).toEqual(before.claims)
    expect((await project.claims()).claims).toHaveLength(2)
  })

  it('takes paths for what they are: nothing stands for another, and no other case', async () => {
    const { project, a, b } = await projectWithTwo()
    const taken = ['src/a.ts', 'lib', '__proto__', 'constructor', '%2e%2e', '~', "' OR 1=1"]
    const free = [
      ...['src/A.ts', 'SRC/a.ts', 'src/a.ts ', ' src/a.ts', 'src/a', 'src', 'src/b.ts', 'lib/a.ts'],
      ...['toString', '.../a.ts', 'src/a.ts\n', '..a', 'a..', '~/a', 'src/a?ts', 'src/%61.ts'],
    ]
    expect((await project.claim(a, ...taken)).claimed).toEqual(taken)
    expect(await project.claim(b, ...free)).toEqual({ claimed: free, conflicts: [] })
    expect((await project.claim(b, ...taken)).conflicts.map(({ file }) => file)).toEqual(taken)
  })

  it('ends a race with one holder a file, and a conflict that names it for everybody else', async () => {
    const project = newProject()
    const files = Array.from({ length: 20 }, (_, index) => `src/${index}.ts`)
    const names = Array.from({ length: 10 }, (_, index) => `coder-${index}`)
    const agents = await Promise.all(names.map((name) => project.register(name)))
    const answers = await Promise.all(
      agents.map((agent, index) =>
        project.claim(agent, ...files.slice(index), ...files.slice(0, index)),
      ),
    )
    const holders = new Map((await project.claims()).claims.map((one) => [one.file_path, one]))
    expect([...holders.keys()].sort()).toEqual(files.toSorted())
    for (const [index, { claimed, conflicts }] of answers.entries()) {
      const own = files.filter((file) => holders.get(file)?.agent_id === agents[index])
      expect(claimed.toSorted()).toEqual(own.toSorted())
      expect(claimed.length + conflicts.length).toBe(files.length)
      for (const { file, held_by, holder_name, claimed_at } of conflicts) {
        expect(held_by).not.toBe(agents[index])
        const holder = { agent_id: held_by, holder_name, claimed_at, file_path: file }
        expect(holders.get(file)).toEqual(holder)
      }
    }
  })
})

describe('releasing', () => {
  it('gives back what was yours, in your spelling, and nothing of others', async () => {
    const { project, a, b } = await projectWithTwo()
    await project.claim(a, 'one', 'two')
    await project.claim(b, 'three')
    expect(await project.release(b, 'one', 'three', 'free')).toEqual({ released: ['three'] })
    expect(await project.release(a, 'free', './/one', 'three')).toEqual({ released: ['.//one'] })
    expect(await project.release(a, 'one')).toEqual({ released: [] })
    expect((await project.claims()).claims).toMatchObject([{ file_path: 'two', agent_id: a }])
    expect((await project.claim(b, 'one')).claimed).toEqual(['one'])
  })
})

describe('get_file_claims', () => {
  it('gives all claims, or those on the files named in any spelling, to anybody', async () => {
    const { project, a, b } = await projectWithTwo()
    expect(await project.claims()).toEqual({ claims: [], has_more: false })
    await project.claim(a, './src//a.ts', 'src\\b.ts')
    await project.claim(b, 'c.ts')
    const own = { agent_id: a, holder_name: 'coder-1' }
    const [ofA, ofB] = [
      { file_path: 'src/a.ts', ...own },
      { file_path: 'src/b.ts', ...own },
    ]
    const others = { file_path: 'c.ts', agent_id: b, holder_name: 'coder-2' }
    expect((await project.claims()).claims).toMatchObject([others, ofA, ofB])
    const asked = await project.claims('src/x/../a.ts', 'src/a.ts', 'free.ts', './c.ts')
    expect(asked.claims).toMatchObject([others, ofA])
    expect((await project.claims('free.ts')).claims).toEqual([])
  })

  it('gives 500 at most, and says that there are more, which come after the last', async () => {
    const { project, a } = await projectWithTwo()
    const files = Array.from({ length: 700 }, (_, index) => `f-${String(index).padStart(3, '0')}`)
    await project.claim(a, ...files)
    const page = async (args: object) => {
      const { structuredContent } = await project.call('get_file_claims', args)
      const { claims, has_more } = paged.parse(structuredContent)
      return { paths: claims.map(({ file_path }) => file_path), has_more }
    }
    expect(await page({})).toEqual({ paths: files.slice(0, 500), has_more: true })
    expect(await page({ after: files[499] })).toEqual({ paths: files.slice(500), has_more: false })
    expect(await page({ after: './x//../f-000x', limit: 2 })).toEqual({
      paths: ['f-001', 'f-002'],
      has_more: true,
    })
    expect(await page({ after: 'f-699' })).toEqual({ paths: [], has_more: false })
    expect(await page({ files, limit: 1, after: 'f-600' })).toEqual({
      paths: files,
      has_more: false,
    })
    expect(await project.refusal('get_file_claims', { after: '../x' })).toMatch(
      /^path "..\/x" is outside the project\n/,
    )
  })
})

describe('a path', () => {
  const spellings = [
    ...['src/a.ts', './src/a.ts', 'src//a.ts', 'src/./a.ts', 'src/b/../a.ts'],
    ...['src\\a.ts', '.\\src\\a.ts', 'src\\.\\b\\..\\a.ts', 'x/../src/a.ts'],
    ...['.//.///src////a.ts', 'src/b/c/../../a.ts/.', 'src/../src/../src/a.ts', 'src/a.ts/b/..'],
  ]

  it('is the same in every spelling, and comes back in the caller’s own', async () => {
    const { project, a, b } = await projectWithTwo()
    for (const mine of spellings) {
      expect(await project.claim(a, mine)).toEqual({ claimed: [mine], conflicts: [] })
      const { claimed, conflicts } = await project.claim(b, ...spellings)
      expect(claimed).toEqual([])
      expect(conflicts.map(({ file }) => file)).toEqual(spellings)
      expect((await project.claims(mine)).claims).toMatchObject([{ file_path: 'src/a.ts' }])
      expect((await project.claims()).claims).toHaveLength(1)
      expect(await project.release(a, mine)).toEqual({ released: [mine] })
    }
  })

  it('of a change is given in its normal form', async () => {
    const { project, a } = await projectWithTwo()
    for (const file_path of spellings) await project.announce(a, file_path, { file_path })
    const { changes } = await project.changes()
    expect(changes.map(({ summary }) => summary)).toEqual(spellings)
    expect(new Set(changes.map(({ file_path }) => file_path))).toEqual(new Set(['src/a.ts']))
  })

  const outside = [
    ...['..', '../', '../a.ts', '..\\a.ts', './../a.ts', 'src/../../a.ts', 'src\\..\\..\\a.ts'],
    ...['a/b/../../../c', '//', '/etc/passwd', '//etc/passwd', '\\etc', '\\\\host\\share\\a.ts'],
    ...['C:\\a.ts', 'c:/a.ts', '\\\\?\\C:\\a.ts', '/..', '../../../../../../../etc/passwd'],
  ]
  it.each(outside)(
    'that leaves the project is refused by name, and the call with it: %s',
    async (path) => {
      const { project, a } = await projectWithTwo()
      await project.claim(a, 'held.ts')
      const before = await project.claims()
      const files = ['free.ts', 'held.ts', path, 'free-too.ts']
      for (const [tool, args] of [
        ['claim_files', { agent_id: a, files }],
        ['release_files', { agent_id: a, files }],
        ['get_file_claims', { files }],
        ['announce_change', { agent_id: a, file_path: path, summary: 's' }],
      ] as const) {
        const [words] = (await project.refusal(tool, args)).split('\n')
        expect(words).toBe(`path "${path}" is outside the project`)
      }
      expect(await project.claims()).toEqual(before)
      expect((await project.changes()).changes).toEqual([])
    },
  )
})

describe('an absolute path', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd,
      stdio: 'ignore',
    })

  /** A repository with a linked worktree beside it and one inside it. */
  function repository() {
    const folder = realpathSync(temporaryFolder())
    const main = join(folder, 'main')
    const [beside, inside] = [join(folder, 'beside'), join(main, '.worktrees/inside')]
    mkdirSync(join(main, 'src'), { recursive: true })
    writeFileSync(join(main, 'src/a.ts'), '')
    git(main, 'init', '-q')
    git(main, 'add', '.')
    git(main, 'commit', '-q', '-m', 'first')
    for (const tree of [beside, inside]) git(main, 'worktree', 'add', '-q', '--detach', tree)
    const link = join(folder, 'link')
    symlinkSync(main, link)
    return { folder, main, beside, inside, link }
  }

  it.each(['main', 'main/src', 'beside', 'main/.worktrees/inside'])(
    'inside any worktree becomes relative, where the server runs in %s',
    async (cwd) => {
      const { folder, main, beside, inside } = repository()
      const server = await TestServer.start({ cwd: join(folder, cwd) })
      const project = new TestProject(server.url)
      const a = await project.register('coder-1')
      const b = await project.register('coder-2')
      await project.claim(a, 'src/a.ts')
      const spellings = [main, beside, inside].flatMap((root) => [
        join(root, 'src/a.ts'),
        `${root}/./src//x/../a.ts`,
        `${root}\\src\\a.ts`,
      ])
      const { claimed, conflicts } = await project.claim(b, ...spellings)
      expect(claimed).toEqual([])
      expect(conflicts.map(({ file }) => file)).toEqual(spellings)
      expect((await project.claims(join(beside, 'src/a.ts'))).claims).toMatchObject([
        { file_path: 'src/a.ts', agent_id: a },
      ])
    },
  )

  it('in a worktree that is new becomes relative', async () => {
    const { folder, main } = repository()
    const server = await TestServer.start({ cwd: main })
    const project = new TestProject(server.url)
    const a = await project.register('coder-1')
    expect((await project.claim(a, join(main, 'src/a.ts'))).claimed).toHaveLength(1)
    git(main, 'worktree', 'add', '-q', '--detach', join(folder, 'late'))
    const late = join(folder, 'late/src/a.ts')
    expect((await project.claims(late)).claims).toMatchObject([{ file_path: 'src/a.ts' }])
  })

  it('through a link to the project becomes relative', async () => {
    const { main, link } = repository()
    const server = await TestServer.start({ cwd: main })
    const project = new TestProject(server.url)
    await project.claim(await project.register('coder-1'), 'src/a.ts')
    const { claims } = await project.claims(join(link, 'src/a.ts'), `${link}\\src\\new\\b.ts`)
    expect(claims).toMatchObject([{ file_path: 'src/a.ts' }])
    await project.announce(await project.register('coder-2'), 'new', {
      file_path: join(link, 'src/new/b.ts'),
    })
    expect((await project.changes()).changes).toMatchObject([{ file_path: 'src/new/b.ts' }])
  })

  it('outside is refused, and the refusal tells no other path', async () => {
    const { folder, main, beside, link } = repository()
    const server = await TestServer.start({ cwd: main })
    const project = new TestProject(server.url)
    const agent_id = await project.register('coder-1')
    const outside = [
      ...['/etc/passwd', '//', folder, `${main}-other/a.ts`, `${main}/../a.ts`, `${beside}x`],
      ...[`${main}/src/../../other/a.ts`, `${main}/../../../../../../../../a.ts`],
      ...['\\etc\\passwd', 'C:\\a.ts', 'C:/a.ts', '\\\\host\\share\\a.ts', '\\\\?\\C:\\a.ts'],
      ...[`${link}/../a.ts`, `${link}-other/a.ts`, `${folder}/nowhere/a.ts`],
    ]
    for (const path of outside) {
      const text = await project.refusal('claim_files', { agent_id, files: ['src/b.ts', path] })
      expect(text.split('\n')[0]).toBe(`path "${path}" is outside the project`)
      expect(text.replace(`"${path}"`, '')).not.toContain('/')
    }
    expect((await project.claims()).claims).toEqual([])
    const other = new TestProject(server.url, 'other')
    const stranger = await other.register('coder-1')
    const files = [join(main, 'src/a.ts')]
    expect(await other.refusal('claim_files', { agent_id: stranger, files })).toContain('outside')
  })
})
