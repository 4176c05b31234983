/** Where coordination commands find the project: its folders, its server, its database. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, temporaryFolder } from './support/agentmail.ts'
import { openPlace, type Place, subjectsOf, ways } from './support/coordination.ts'
import { TestServer } from './support/server.ts'
import { git } from './support/tmux.ts'

const heldFiles = async (place: Place): Promise<string[]> => {
  const { claims } = Object(await place.json(['claims']))
  return claims.map(({ file_path }: { file_path: string }) => file_path)
}

describe.each(ways)('paths, through %s', (way) => {
  it('are meant from the folder one is in', async () => {
    const place = await openPlace(way)
    const cwd = join(place.repository, 'src/deep')
    mkdirSync(cwd, { recursive: true })
    const run = (...args: string[]) => place.run(args, { cwd, env: { AGENTMAIL_AGENT: 'ann' } })
    const absolute = join(place.repository, 'lib/abs.ts')
    await run('claim', 'a.ts', './b.ts', '../c.ts', '../../d.ts', absolute)
    const held = ['d.ts', 'lib/abs.ts', 'src/c.ts', 'src/deep/a.ts', 'src/deep/b.ts']
    expect(await heldFiles(place)).toEqual(held)
    expect((await run('claims', 'a.ts', 'd.ts')).stdout).toMatch(/^FILE.*\nsrc\/deep\/a\.ts .*\n$/)
    expect((await run('claims')).stdout.split('\n')).toHaveLength(held.length + 2)
    await run('announce', '../c.ts', 'summary')
    expect((await run('changes')).stdout).toMatch(/ src\/c\.ts +summary\n$/)
    expect((await run('history', '--file', '../c.ts')).stdout.split('\n')).toHaveLength(3)
    expect(await run('claim', '../../../out.ts')).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error: path ".*out\.ts" is outside the project\n/),
      exitCode: 1,
    })
    await run('release', 'a.ts', 'b.ts', '../c.ts', '../../d.ts', absolute)
    expect(await heldFiles(place)).toEqual([])
  })

  it.each(['beside', 'inside'])('are the same in a linked worktree %s', async (where) => {
    const place = await openPlace(way)
    const linked = join(where === 'inside' ? place.repository : temporaryFolder(), 'trees/linked')
    git(place.repository, 'worktree', 'add', '--quiet', linked)
    mkdirSync(join(linked, 'src'))
    const inLinked = { cwd: linked }
    const below = { cwd: join(linked, 'src') }
    await place.run(['claim', 'src/a.ts', '--as', 'ann'])
    const words = 'Conflict: src/a.ts is held by ann'
    const atRoot = await place.run(['claim', 'src/a.ts', '--as', 'bob'], inLinked)
    expect(atRoot).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(words) })
    const inFolder = await place.run(['claim', 'a.ts', '--as', 'bob'], below)
    const asWritten = 'Conflict: a.ts is held by ann'
    expect(inFolder).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(asWritten) })
    await place.run(['claim', join(linked, 'src/b.ts'), 'c.ts', '--as', 'bob'], below)
    expect(await heldFiles(place)).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts'])
  })

  it('are told as they were written', async () => {
    const place = await openPlace(way)
    const cwd = join(place.repository, 'src')
    mkdirSync(cwd)
    const run = (...args: string[]) => place.json([...args, '--as', 'ann'], { cwd })
    const files = ['a.ts', './b.ts', '../c.ts']
    expect(await run('claim', ...files)).toEqual({ claimed: files, conflicts: [] })
    expect(await run('release', ...files)).toEqual({ released: files })
  })
})

describe.each(ways)('projects, through %s', (way) => {
  it('do not mix', async () => {
    const place = await openPlace(way)
    const as = (name: string, env = {}) => ({ env: { AGENTMAIL_AGENT: name, ...env } })
    await place.run(['claim', 'a.ts'], as('ann'))
    await place.run(['post', 'own', 'b'], as('ann'))
    const other = ['--project', 'other']
    expect((await place.run(['claim', 'a.ts', ...other], as('bob'))).exitCode).toBe(0)
    await place.run(['post', 'other', 'b'], as('bob', { AGENTMAIL_PROJECT: 'other' }))
    expect(subjectsOf(await place.json(['messages']))).toEqual(['own'])
    expect(subjectsOf(await place.json(['messages', ...other]))).toEqual(['other'])
    expect(await place.json(['agents', ...other])).toMatchObject({ agents: [{ name: 'bob' }] })
    expect((await place.run(['claims', ...other])).stdout).toMatch(/\na\.ts {2}bob /)
    expect((await place.run(['history', ...other])).stdout).not.toContain('ann')
  })
})

describe('--server', () => {
  it('reaches a server from anywhere, with the token that it wants', async () => {
    const server = await TestServer.start({ env: { AGENTMAIL_TOKEN: 'right' } })
    const cwd = temporaryFolder()
    const run = (args: string[], token?: string) =>
      agentmail([...args, '--server', `${server.url}/`], { cwd, env: { AGENTMAIL_TOKEN: token } })
    expect(await run(['post', 's', 'b', '--as', 'ann'], 'right')).toMatchObject({
      stdout: 'Message #1 posted\n',
      exitCode: 0,
    })
    expect((await run(['messages'], 'right')).stdout).toContain('ann → broadcast')
    for (const token of ['wrong', undefined]) {
      const refused = await run(['messages'], token)
      expect(refused).toMatchObject({ stdout: '', exitCode: 1 })
      expect(refused.stderr).toMatch(/^error: the server at http.* wants .*token\n/)
      expect(refused.stderr).toContain('AGENTMAIL_TOKEN')
      expect(refused.stderr).not.toContain('wrong')
    }
  })

  it('says so where no server answers', async () => {
    const server = await TestServer.start()
    await server.stop()
    const env = { AGENTMAIL_SERVER: server.url }
    const ran = await agentmail(['agents'], { cwd: temporaryFolder(), env })
    expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
    expect(ran.stderr).toMatch(/^error: the server at http\S+ cannot be reached \(ECONNREFUSED\)\n/)
    const wrong = await agentmail(['agents', '--server', 'localhost'], { cwd: temporaryFolder() })
    expect(wrong).toMatchObject({ stdout: '', exitCode: 2 })
    expect(wrong.stderr).toMatch(/^error: .* must be an address like http:/)
  })
})

describe('the server of a repository', () => {
  it('is passed by where it wants another token, with a word', async () => {
    const place = await openPlace('a running server', {}, { AGENTMAIL_TOKEN: 'right' })
    const ran = await place.run(['post', 's', 'b', '--as', 'ann'])
    expect(ran).toMatchObject({ stdout: 'Message #1 posted\n', exitCode: 0 })
    expect(ran.stderr).toMatch(/^agentmail: .*token; working on the database itself\n$/)
    const env = { AGENTMAIL_TOKEN: 'right' }
    expect(await place.run(['agents'], { env })).toMatchObject({ stderr: '', exitCode: 0 })
    expect(subjectsOf(await place.json(['messages'], { env }))).toEqual(['s'])
  })

  it('is passed by in silence where it was killed', async () => {
    const place = await openPlace('a running server')
    await place.run(['post', 'before', 'b', '--as', 'ann'])
    process.kill(place.server?.pid ?? 0, 'SIGKILL')
    await place.server?.ended
    expect(await place.run(['post', 'after', 'b', '--as', 'ann'])).toMatchObject({
      stdout: 'Message #2 posted\n',
      stderr: '',
    })
  })
})

describe('outside a repository', () => {
  it('says so, unless a database is named', async () => {
    const cwd = temporaryFolder()
    for (const args of [['agents'], ['history'], ['claim', 'a.ts', '--as', 'ann'], ['serve']]) {
      const ran = await agentmail(args, { cwd })
      expect([args, ran.stdout, ran.exitCode]).toEqual([args, '', 1])
      expect(ran.stderr).toMatch(/^error: not in a git repository\n/)
    }
    const db = ['--db', join(cwd, 'own.db')]
    expect((await agentmail(['claim', 'a.ts', '--as', 'ann', ...db], { cwd })).exitCode).toBe(0)
    const env = { AGENTMAIL_DB: join(cwd, 'own.db') }
    expect((await agentmail(['claims'], { cwd, env })).stdout).toMatch(/\na\.ts {2}ann /)
  })

  it('says why a database cannot be used', async () => {
    const cwd = temporaryFolder()
    const refusals = [
      [join(cwd, 'missing/own.db'), 5, 'error: the database could not be opened: '],
      [cwd, 5, 'error: the database could not be opened: '],
    ] as const
    for (const [db, code, words] of refusals) {
      const { stdout, stderr, exitCode } = await agentmail(['agents', '--db', db], { cwd })
      expect([stdout, exitCode]).toEqual(['', code])
      expect(stderr.startsWith(words)).toBe(true)
    }
  })
})
