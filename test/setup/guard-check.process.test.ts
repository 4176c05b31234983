/** The guard in git's pre-commit hook: commits of what others hold are refused, whatever they look like. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { git, openSession } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { Guarded } from '../support/setup/guarded.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const anna = { AGENTMAIL_AGENT: 'anna' }
const wayThrough = 'AGENTMAIL_GUARD=off git commit'

describe('a commit', () => {
  it('of a file that another holds is refused, with the holder, since when, how to ask and the way through', async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'src/a.ts')
    const refused = place.commit(['src/a.ts', 'src/b.ts'], anna)
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toMatch(
      /^ {2}src\/a\.ts is held by berta \(backend\) since \d{4}-\d\d-\d\dT[\d:.]+Z\. Ask with send_message to @berta, or take something else\.$/m,
    )
    expect(refused.stderr).not.toContain('src/b.ts')
    expect(refused.stderr).toContain(wayThrough)
    expect(place.gitOk('log', '--oneline').trim().split('\n')).toHaveLength(1)
    // The control run: the very same commit, without the guard.
    const passed = place.git(['commit', '--quiet', '-m', 'x'], { ...anna, AGENTMAIL_GUARD: 'off' })
    expect(passed).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('of its own files, or of what nobody holds, passes without a word', async () => {
    const place = await Guarded.install()
    await place.claim('anna', 'src/a.ts')
    expect(place.commit(['src/a.ts', 'b.ts'], anna)).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('of a person counts every held file as held by another', async () => {
    const place = await Guarded.install()
    await place.claim('anna', 'src/a.ts')
    const refused = place.commit(['src/a.ts'])
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain(wayThrough)
  })

  it('is refused also where the file of the repository names no project that can be', async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'src/a.ts')
    writeFileSync(join(place.folder, '.agentmail.toml'), 'project = "a/b"\n')
    const refused = place.commit(['src/a.ts'], anna)
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('src/a.ts is held by berta')
  })

  it('in a folder that another holds is refused', async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'src/')
    const refused = place.commit(['src/deep/a.ts'], anna)
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('src/deep/a.ts is held by berta')
    rmSync(join(place.folder, 'src'), { recursive: true })
    expect(place.commit(['srcs/a.ts'], anna).exitCode).toBe(0)
  })

  it('of a file of any name is known by it', async () => {
    const place = await Guarded.install()
    const server = await TestServer.start({
      db: join(place.env.XDG_DATA_HOME ?? '', 'held.db'),
      ...{ cwd: place.folder, env: place.env },
    })
    const odd = ['with space.ts', `it's "quoted".ts`, 'line\nbreak.ts', 'Größe ünï.ts', '日本.ts']
    const names = [...odd, '-dash.ts', '$(x).ts']
    const agent_id = await server.register('berta')
    await server.call('claim_files', { agent_id, files: names })
    const env = { ...anna, AGENTMAIL_DB: server.database }
    expect(place.commit(['other.ts'], env)).toMatchObject({ exitCode: 0, stderr: '' })
    for (const name of names) {
      const refused = place.commit([name], env)
      expect(refused, name).toMatchObject({ exitCode: 1 })
      const shown = name.replace('\n', ' ')
      expect(refused.stderr).toContain(`  ${shown} is held by berta (coder) since `)
      place.gitOk('reset', '--quiet', '--hard')
    }
  })

  it('beside a file with a star or a backslash in its name is still looked at', async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'a.ts')
    expect(place.commit(['x*y.ts', 'back\\slash.ts'], anna)).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
    expect(place.commit(['x*z.ts', 'a.ts'], anna).exitCode).toBe(1)
  })

  it('that renames, deletes or adds is looked at by both names', async () => {
    const place = await Guarded.install()
    place.write('old.ts', 'a long enough text\n'.repeat(20))
    place.write('gone.ts')
    place.gitOk('add', '--all')
    place.gitOk('commit', '--quiet', '-m', 'begin')
    await place.claim('berta', 'old.ts', 'gone.ts', 'new-by-berta.ts')
    const tried = (change: () => void) => {
      change()
      place.gitOk('add', '--all')
      const ran = place.git(['commit', '--quiet', '-m', 'x'], anna)
      place.gitOk('reset', '--quiet', '--hard')
      return ran
    }
    const path = (name: string) => join(place.folder, name)
    expect(tried(() => renameSync(path('old.ts'), path('free.ts'))).stderr).toContain('old.ts is')
    expect(tried(() => rmSync(path('gone.ts'))).stderr).toContain('gone.ts is held')
    expect(tried(() => place.write('new-by-berta.ts')).exitCode).toBe(1)
    expect(tried(() => place.write('free.ts'))).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('is looked at whichever way it is made: the first, with -a, in parts, amended, from below', async () => {
    const folder = temporaryFolder()
    git(folder, 'init', '--quiet')
    const place = await Guarded.install(folder)
    await place.claim('berta', 'held.ts')
    expect(place.commit(['held.ts'], anna).stderr).toContain('held.ts is held by berta')
    place.gitOk('commit', '--quiet', '-m', 'first')
    place.write('held.ts', 'again\n')
    place.write('sub/free.ts')
    place.gitOk('add', 'sub/free.ts')
    const commit = (args: string[], cwd?: string) =>
      place.git(['commit', '--quiet', '-m', 'x', ...args], anna, cwd).exitCode
    expect(commit(['-a'])).toBe(1)
    expect(commit(['held.ts'])).toBe(1)
    expect(commit(['--', 'sub/free.ts'])).toBe(0)
    place.gitOk('add', 'held.ts')
    expect(commit(['--amend'])).toBe(1)
    expect(commit([], join(place.folder, 'sub'))).toBe(1)
    place.gitOk('reset', '--quiet')
    expect(commit(['--allow-empty'])).toBe(0)
  })

  it('in a worktree is looked at too, by the hook of all', async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'a.ts')
    const tree = join(temporaryFolder(), 'tree')
    place.gitOk('worktree', 'add', '--quiet', tree)
    const inTree = new Guarded(tree)
    Object.assign(inTree.env, place.env)
    expect(inTree.commit(['a.ts'], anna).stderr).toContain('a.ts is held by berta')
    expect((await place.run(['guard', 'install', '--json'], {}, tree)).stdout).toContain(
      '"changed":false',
    )
  })

  it('of a merge is asked for what was settled by hand, not for what came with the branch', async () => {
    const place = await Guarded.install()
    const commitOff = (paths: [string, string][]) => {
      for (const [path, text] of paths) place.write(path, text)
      place.gitOk('add', '--all')
      place.gitOk('commit', '--quiet', '-m', 'x')
    }
    commitOff([
      ['both.ts', 'one\n'],
      ['theirs.ts', 'one\n'],
    ])
    const main = place.gitOk('branch', '--show-current').trim()
    place.gitOk('checkout', '--quiet', '-b', 'side')
    commitOff([
      ['both.ts', 'side\n'],
      ['theirs.ts', 'side\n'],
    ])
    place.gitOk('checkout', '--quiet', main)
    commitOff([['both.ts', 'main\n']])
    await place.claim('berta', 'theirs.ts')
    const merge = () => {
      place.git(['merge', '--quiet', 'side'], anna)
      place.write('both.ts', 'settled\n')
      place.gitOk('add', '--all')
      return place.git(['commit', '--quiet', '-m', 'merged'], anna)
    }
    expect(merge()).toMatchObject({ exitCode: 0, stderr: '' })
    place.gitOk('reset', '--quiet', '--hard', 'HEAD~1')
    await place.claim('berta', 'both.ts')
    expect(merge().stderr).toContain('both.ts is held by berta')
  })

  it('of another state of a submodule passes', async () => {
    const place = await Guarded.install()
    const inner = new Guarded()
    place.gitOk(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      inner.folder,
      'sub',
    )
    place.gitOk('commit', '--quiet', '-m', 'add it')
    await place.claim('berta', 'sub')
    const sub = new Guarded(join(place.folder, 'sub'))
    sub.commit(['a.ts'], { AGENTMAIL_GUARD: 'off' })
    place.gitOk('add', 'sub')
    expect(place.gitOk('diff', '--cached', '--name-only')).toBe('sub\n')
    expect(place.git(['commit', '--quiet', '-m', 'x'], anna)).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
  })

  it("is not changed by a user's settings of diff", async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'sub/a.ts')
    place.gitOk('config', 'diff.relative', 'true')
    place.gitOk('config', 'diff.renames', 'copies')
    place.gitOk('config', 'diff.noprefix', 'true')
    mkdirSync(join(place.folder, 'sub'))
    expect(place.commit(['sub/a.ts'], anna).stderr).toContain('sub/a.ts is held by berta')
  })
})

describe('where nobody can be asked', () => {
  it('a commit passes with a line, and is refused with AGENTMAIL_GUARD=closed', async () => {
    const place = await Guarded.install()
    const passed = place.commit(['a.ts'], anna)
    expect(passed.exitCode).toBe(0)
    expect(passed.stderr).toMatch(/^agentmail guard: nobody could be asked .*so it passes\n$/)
    const refused = place.commit(['a.ts'], { ...anna, AGENTMAIL_GUARD: 'closed' })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain(wayThrough)
  })

  it('what is outside a repository is told in the same words as elsewhere', async () => {
    const place = new Guarded(temporaryFolder())
    const { stderr } = await place.run(['guard', 'check'])
    expect(stderr).toContain('nobody could be asked about this commit (not in a git repository)')
  })

  it('a server that never answers holds nobody up', async () => {
    const place = await Guarded.install()
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    place.write('a.ts')
    place.gitOk('add', '--all')
    const ran = await place.run(['guard', 'check', '--json'], {
      ...anna,
      AGENTMAIL_SERVER: `http://127.0.0.1:${port}`,
    })
    expect(ran.exitCode).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({ allowed: true, agent: null, held: [] })
    expect(JSON.parse(ran.stdout).unasked).toMatch(/in time/)
  })

  it('tells programs as JSON what it found', async () => {
    const place = await Guarded.install()
    await place.claim('berta', 'src/')
    place.write('src/a.ts')
    place.gitOk('add', '--all')
    const ran = await place.run(['guard', 'check', '--json'], anna)
    expect(ran).toMatchObject({ exitCode: 1, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual({
      ...{ allowed: false, guard: 'on', agent: 'anna', unasked: null },
      held: [
        {
          ...{ file: 'src/a.ts', file_path: 'src/**', holder_name: 'berta', role: 'backend' },
          ...{ agent_id: expect.any(String), claimed_at: expect.any(String) },
        },
      ],
    })
  })
})

describeWith('tmux', 'in tmux', () => {
  it('whoever commits in a pane has the name of that pane', async () => {
    const session = openSession(['anna', 'berta'])
    const place = await Guarded.install(session.repository)
    await place.claim('anna', 'a.ts')
    place.write('a.ts')
    place.gitOk('add', '--all')
    const commit = (window: number) =>
      place.git(['commit', '--quiet', '-m', 'x'], session.env(window))
    expect(commit(1).stderr).toContain('a.ts is held by anna')
    expect(commit(0)).toMatchObject({ exitCode: 0, stderr: '' })
  })
})
