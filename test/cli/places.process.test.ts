/** Where coordination commands find the project: its folders, its server, its database. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { agentmail, type RunOptions } from '../support/agentmail.ts'
import {
  historySchema,
  openPlace,
  type Place,
  subjectsOf,
  ways,
} from '../support/coordination/coordination.ts'
import { git } from '../support/mailbox/tmux.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const heldFiles = async (place: Place, args = ['claims'], options: RunOptions = {}) => {
  const { claims } = Object(await place.json(args, options))
  return claims.map(({ file_path }: { file_path: string }) => file_path)
}

describe('paths', () => {
  it('are meant from the folder one is in, and told as they were written', async () => {
    const place = await openPlace('the database itself')
    const cwd = join(place.repository, 'src/deep')
    mkdirSync(cwd, { recursive: true })
    const here = { cwd, env: { AGENTMAIL_AGENT: 'ann' } }
    const files = ['a.ts', './b.ts', '../c.ts', '../../d.ts', join(place.repository, 'lib/e.ts')]
    const claimed = await place.json(['claim', ...files], here)
    const held = ['d.ts', 'lib/e.ts', 'src/c.ts', 'src/deep/a.ts', 'src/deep/b.ts']
    expect(await heldFiles(place)).toEqual(held)
    expect(await heldFiles(place, ['claims', '../c.ts', 'd.ts'], here)).toEqual(['src/c.ts'])
    await place.run(['announce', '../c.ts', 'summary'], here)
    const history = await place.json(['history', '--file', '../c.ts'], here)
    expect(history).toMatchObject(
      ['claimed', 'announced'].map((event) => ({ event, file: 'src/c.ts' })),
    )
    const outside = await place.run(['claim', '../../../out.ts'], here)
    expect(outside).toMatchObject({ stdout: '', exitCode: 1 })
    expect(outside.stderr).toMatch(/^error: path ".*out\.ts" is outside the project\n/)
    const released = await place.json(['release', ...files], here)
    expect(await heldFiles(place)).toEqual([])
    expect(claimed).toEqual({ claimed: files, conflicts: [] })
    expect(released).toEqual({ released: files })
  })

  it('of folders are, too, and stay folders', async () => {
    const place = await openPlace('the database itself')
    const cwd = join(place.repository, 'src')
    mkdirSync(join(cwd, 'deep'), { recursive: true })
    const here = { cwd, env: { AGENTMAIL_AGENT: 'ann' } }
    for (const [spelling, held] of [
      ['.', 'src/**'],
      ['**', 'src/**'],
      ['new/', 'src/new/**'],
      ['deep', 'src/deep/**'],
      ['../lib/**', 'lib/**'],
      ['..', '**'],
      [`${place.repository}/lib/`, 'lib/**'],
    ] as const) {
      const claimed = await place.json(['claim', spelling], here)
      expect(claimed).toEqual({ claimed: [spelling], conflicts: [] })
      expect(await heldFiles(place, ['claims', spelling], here)).toEqual([held])
      expect(await place.json(['release', spelling], here)).toEqual({ released: [spelling] })
    }
    await place.run(['claim', 'deep/a.ts', 'b.ts'], here)
    const refused = await place.run(['claim', 'src/', '--as', 'bob'])
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /^Conflict: src\/b\.ts is held by ann \(.*\)\nConflict: src\/deep\/a\.ts is held by ann/,
    )
    await place.run(['claim', '.'], here)
    expect((await place.run(['claims', 'b.ts'], here)).stdout).toMatch(
      /^FILE .*\nsrc\/\*\* +ann .*\nsrc\/b\.ts +ann /,
    )
    const history = historySchema.parse(await place.json(['history', '--file', 'b.ts'], here))
    expect(history.slice(-2)).toMatchObject(
      ['src/b.ts', 'src/**'].map((file) => ({ event: 'claimed', file })),
    )
  })

  it.each([
    ['beside the main one', 'the database itself'],
    ['inside the main one', 'a running server'],
    ['inside the main one', 'the database itself'],
  ] as const)('are the same in a linked worktree %s, through %s', async (where, way) => {
    const place = await openPlace(way)
    const above = where.startsWith('inside') ? place.repository : temporaryFolder()
    const linked = join(above, 'trees/linked')
    git(place.repository, 'worktree', 'add', '--quiet', linked)
    mkdirSync(join(linked, 'src'))
    const below = { cwd: join(linked, 'src') }
    await place.run(['claim', 'src/a.ts', '--as', 'ann'], { cwd: linked })
    const files = ['a.ts', '../b.ts', join(linked, 'src/c.ts')]
    expect((await place.run(['claim', ...files, '--as', 'bob'], below)).exitCode).toBe(1)
    expect(await heldFiles(place)).toEqual(['b.ts', 'src/a.ts', 'src/c.ts'])
  })

  it('are known by the other name of their folder', async () => {
    const place = await openPlace('the database itself')
    const link = join(temporaryFolder(), 'link')
    symlinkSync(place.repository, link)
    await place.run(['claim', join(link, 'a.ts'), '--as', 'ann'], { cwd: link })
    expect(await heldFiles(place)).toEqual(['a.ts'])
  })
})

describe.each(ways)('projects, through %s', (way) => {
  it('do not mix', async () => {
    const place = await openPlace(way)
    const as = (name: string, env = {}) => ({ env: { AGENTMAIL_AGENT: name, ...env } })
    await place.run(['claim', 'a.ts'], as('ann'))
    const other = ['--project', 'other']
    expect((await place.run(['claim', 'a.ts', ...other], as('bob'))).exitCode).toBe(0)
    await place.run(['post', 'other', 'b'], as('bob', { AGENTMAIL_PROJECT: 'other' }))
    expect(subjectsOf(await place.json(['messages']))).toEqual([])
    expect(subjectsOf(await place.json(['messages', ...other]))).toEqual(['other'])
    expect(await place.json(['claims', ...other])).toMatchObject({
      claims: [{ holder_name: 'bob' }],
    })
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
  it('is the project "default", in whatever database', async () => {
    const cwd = temporaryFolder()
    for (const env of [{}, { AGENTMAIL_DB: join(cwd, 'own.db') }]) {
      const run = (...args: string[]) => agentmail(args, { cwd, env })
      const files = ['a.ts', join(cwd, 'b.ts')]
      expect((await run('claim', ...files, '--as', 'ann')).exitCode).toBe(0)
      expect((await run('claims')).stdout).toMatch(/\na\.ts {2}ann .*\nb\.ts {2}ann /)
      expect((await run('claims', '--project', 'default')).stdout).toContain('b.ts')
      const { projects } = JSON.parse((await run('projects', '--json')).stdout)
      expect(projects).toMatchObject([{ name: 'default', roots: [], agents: 1 }])
    }
    expect(readdirSync(cwd).filter((name) => !name.startsWith('own.db'))).toEqual([])
  })

  it('says why a database cannot be used', async () => {
    const cwd = temporaryFolder()
    for (const db of [cwd, join(cwd, 'missing/own.db')]) {
      const { stdout, stderr, exitCode } = await agentmail(['agents', '--db', db], { cwd })
      expect([stdout, exitCode]).toEqual(['', 5])
      expect(stderr).toMatch(/^error: the database could not be opened: /)
    }
  })

  it('waits for a database that another process is setting up', async () => {
    const cwd = temporaryFolder()
    const db = join(cwd, 'own.db')
    const other = new DatabaseSync(db)
    other.exec('BEGIN EXCLUSIVE')
    const asked = agentmail(['agents', '--db', db], { cwd })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    other.exec('COMMIT')
    other.close()
    expect(await asked).toMatchObject({ stdout: 'No agents are registered\n', exitCode: 0 })
  })
})
