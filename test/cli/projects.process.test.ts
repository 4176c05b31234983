/** Every repository is a project of its own, in whatever database, through a server or past it. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env } from '../support/agentmail.ts'
import { openAgent, subjectsOf, type Way, ways } from '../support/coordination/coordination.ts'
import { git } from '../support/mailbox/tmux.ts'
import { callTool, TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const origin = 'https://ann:secret@example.com/team/shop.git'

function repositoryAt(folder: string, url?: string): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'start')
  if (url) git(folder, 'remote', 'add', 'origin', url)
  return folder
}

const listed = z.strictObject({
  projects: z.array(
    z.strictObject({
      name: z.string(),
      roots: z.array(z.string()),
      agents: z.int(),
      messages: z.int(),
      last_activity: z.string().nullable(),
    }),
  ),
})

/** One machine: its data folder, and perhaps a server that was started in some other repository. */
async function machine(way: Way) {
  const folder = temporaryFolder()
  const env: Env = { XDG_DATA_HOME: join(folder, 'data') }
  mkdirSync(join(folder, 'data/agentmail'), { recursive: true })
  const db = join(folder, 'data/agentmail/agentmail.db')
  const cwd = repositoryAt(join(folder, 'elsewhere'))
  const server = way === 'a running server' ? await TestServer.start({ db, cwd, env }) : undefined
  const run = (at: string, ...args: string[]) => agentmail(args, { cwd: at, env })
  const json = async (at: string, ...args: string[]) => {
    const { stdout, stderr, exitCode } = await run(at, ...args, '--json')
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }
  const post = (at: string, subject: string) => json(at, 'post', subject, 'body', '--as', 'ann')
  const heard = async (at: string, ...args: string[]) =>
    subjectsOf(await json(at, 'messages', ...args))
  const projects = async (at: string) => listed.parse(await json(at, 'projects')).projects
  const repository = (name: string, url?: string) => repositoryAt(join(folder, name), url)
  return { folder, env, server, run, json, post, heard, projects, repository }
}

describe.each(ways)('a repository, through %s', (way) => {
  it('is called as its own file says, unless another has that project', async () => {
    const { env, post, heard, json, repository } = await machine(way)
    const [shop, hostile, named, clone] = [
      repository('a/shop'),
      repository('hostile'),
      repository('named', origin),
      repository('clone', origin),
    ]
    const file = (at: string, name: string) =>
      writeFileSync(join(at, '.agentmail.toml'), `project = "${name}"\nagent = "eve"\n`)
    await post(shop, 'secret')
    file(hostile, 'shop')
    expect(await heard(hostile)).toEqual([])
    const input = { session_id: 's1', cwd: hostile, hook_event_name: 'SessionStart' }
    const patient = { ...env, AGENTMAIL_HOOK_MS: '30000' }
    const told = { cwd: hostile, env: patient, input: JSON.stringify(input) }
    expect((await agentmail(['hook', 'claude'], told)).stdout).toContain('you are eve')
    const names = async (at: string) => JSON.stringify((await json(at, 'agents')).agents)
    expect(await names(hostile)).toContain('eve')
    expect(await names(shop)).not.toContain('eve')
    expect(await heard(hostile, '--project', 'shop')).toEqual(['secret']) // what a person says is so
    file(shop, 'shop')
    expect(await heard(shop)).toEqual(['secret'])
    await post(named, 'before')
    for (const at of [named, clone]) file(at, 'wares')
    await post(named, 'ours')
    expect(await heard(clone)).toEqual(['ours'])
    file(hostile, 'wares')
    expect(await heard(hostile)).toEqual([])
    rmSync(join(named, '.agentmail.toml'))
    expect(await heard(named)).toEqual(['before'])
  })

  it('is one project with its worktrees and the clones of its origin, and another for one of the same name', async () => {
    const { folder, post, heard, projects, repository } = await machine(way)
    const shop = repository('a/shop', origin)
    const worktree = join(folder, 'worktree')
    git(shop, 'worktree', 'add', '--quiet', worktree)
    const clone = repository('b/other-name', 'git@EXAMPLE.com:team/shop')
    const namesake = repository('c/shop', 'https://example.com/others/shop.git')
    const plain = repository('d/shop')
    for (const at of [shop, worktree, clone]) await post(at, at)
    await post(namesake, 'namesake')
    await post(plain, 'plain')
    for (const at of [shop, worktree, clone]) {
      expect(await heard(at)).toEqual([shop, worktree, clone])
    }
    expect(await heard(plain, '--project', 'shop')).toHaveLength(3)
    expect([await heard(namesake), await heard(plain)]).toEqual([['namesake'], ['plain']])
    const all = (await projects(shop)).filter(({ name }) => name !== 'elsewhere')
    expect(all.map(({ name, roots, messages }) => [name, roots, messages])).toEqual([
      ['shop', [shop, clone], 3],
      ['shop-2', [namesake], 1],
      ['shop-3', [plain], 1],
    ])
    expect(readdirSync(shop)).toEqual(['.git'])
  })

  it('keeps its project whatever its origin becomes, and clones of that join it', async () => {
    const { post, heard, repository } = await machine(way)
    const shop = repository('shop')
    await post(shop, 'before')
    git(shop, 'remote', 'add', 'origin', origin)
    expect(await heard(shop)).toEqual(['before'])
    git(shop, 'remote', 'set-url', 'origin', 'https://example.com/team/renamed.git')
    expect(await heard(shop)).toEqual(['before'])
    expect(await heard(repository('clone', origin))).toEqual(['before'])
    expect(await heard(repository('later', 'git@example.com:team/renamed.git'))).toEqual(['before'])
  })

  it('is found once by many processes at once', async () => {
    const { post, projects, repository } = await machine(way)
    const clones = ['a', 'b', 'c'].map((name) => repository(name, origin))
    const others = ['d/shop', 'e/shop'].map((name) => repository(name))
    await Promise.all([...clones, ...others, ...clones].map((at) => post(at, 'first')))
    const all = (await projects(clones[0] ?? '')).filter(({ name }) => name !== 'elsewhere')
    expect(all.map(({ name }) => name)).toEqual(['shop', 'shop-2', 'shop-3'])
    expect(all.map(({ messages }) => messages).sort()).toEqual([1, 1, 6])
    expect(all.find(({ messages }) => messages === 6)?.roots).toEqual(clones)
  })

  it('can be called anew, and is reached by its old name too', async () => {
    const { run, post, heard, projects, repository } = await machine(way)
    const shop = repository('shop')
    await post(shop, 'before')
    expect(await run(shop, 'projects', 'rename', 'shop', 'store')).toMatchObject({
      stdout: 'shop is store now\n',
      exitCode: 0,
    })
    await post(shop, 'after')
    for (const name of ['shop', 'store']) {
      expect(await heard(shop, '--project', name)).toEqual(['before', 'after'])
    }
    expect((await projects(shop)).map(({ name }) => name)).toContain('store')
    const prune = ['db', 'prune', '--older-than', '1d', '--dry-run', '--json']
    for (const named of [[], ['--project', 'shop'], ['--project', 'store']]) {
      const { stdout } = await run(shop, ...prune, ...named)
      const told = JSON.parse(stdout).projects.map(({ project }: { project: string }) => project)
      expect(told).toContain('store')
      expect(told).not.toContain('shop')
    }
    const refusals: [string[], RegExp][] = [
      [['rename', 'nobody', 'x'], /^error: there is no project "nobody"\nagentmail projects/],
      [['rename', 'shop'], /^error: which project/],
      [['remove', 'shop'], /^error: unknown subcommand: remove/],
    ]
    for (const [args, words] of refusals) {
      const { stderr, exitCode } = await run(shop, 'projects', ...args)
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(words)])
    }
  })

  it('is the project of its agents on STDIO, who may name files by their whole paths', async () => {
    const { env, heard, json, repository } = await machine(way)
    const shop = repository('shop', origin)
    const agent = await openAgent({ repository: shop, env }, 'ann')
    await agent.say('hello')
    const files = [join(shop, 'a.ts'), 'b.ts']
    expect(await agent.call('claim_files', { files })).toEqual({ claimed: files, conflicts: [] })
    expect(await heard(shop)).toEqual(['hello'])
    const { claims } = await json(shop, 'claims')
    expect(claims).toMatchObject([{ file_path: 'a.ts' }, { file_path: 'b.ts' }])
  })
})

describe('a server', () => {
  it('knows where every project lies on its machine, and has that of its folder at /mcp', async () => {
    const { server, post, heard, repository } = await machine('a running server')
    if (!server) throw new Error('There is no server')
    const shop = repository('shop', origin)
    await post(shop, 'hello')
    const ask = (tool: string, args: object, project?: string) =>
      callTool(server.url, tool, args, project)
    const { structuredContent } = await ask('register', { name: 'bob', role: 'coder' }, 'shop')
    const args = { agent_id: structuredContent?.agent_id, files: [join(shop, 'src/a.ts')] }
    expect((await ask('claim_files', args, 'shop')).structuredContent).toMatchObject({
      claimed: args.files,
    })
    expect((await ask('get_file_claims', { files: ['src/a.ts'] }, 'shop')).text).toContain('bob')
    expect((await ask('get_file_claims', {})).text).toBe('{"claims":[],"has_more":false}')
    const own = await server.register('own')
    await server.call('send_message', { agent_id: own, subject: 'own', body: 'b' })
    expect(await heard(repository('elsewhere'))).toEqual(['own'])
    const page = await (await fetch(`${server.url}/api/page`)).json()
    expect(page).toMatchObject({
      database: server.database,
      projects: expect.arrayContaining([
        expect.objectContaining({ name: 'shop', roots: [realpathSync(shop)] }),
        expect.objectContaining({ name: 'elsewhere' }),
      ]),
    })
  })

  it('stores no user and no password of an origin, and refuses what holds one', async () => {
    const { server, post, env, repository } = await machine('a running server')
    await post(repository('shop', origin), 'hello')
    const body = { machine: 'm', root: '/r', origin: 'ann:secret@example.com/x', folder: 'r' }
    const refused = await fetch(`${server?.url}/api/project`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(refused.status).toBe(400)
    await server?.stop()
    const data = join(env.XDG_DATA_HOME ?? '', 'agentmail')
    const files = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'))
    expect(files.join('')).toContain('example.com/team/shop')
    expect(files.join('')).not.toContain('secret')
  })
})
