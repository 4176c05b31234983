/** What the page says of the server: its projects, how clients are connected, the doctor, and a message to try it. */
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { git, repository } from '../../support/mailbox/tmux.ts'
import { ask } from '../../support/server/http.ts'
import { PageVisitor } from '../../support/server/page-visitor.ts'
import { TestServer } from '../../support/server/server.ts'

async function served(env: Record<string, string> = {}) {
  const cwd = repository()
  const server = await TestServer.start({ cwd, env })
  return { cwd, name: basename(cwd), server, visitor: await PageVisitor.enter(server.url) }
}

describe('the first answer', () => {
  it('says who the server is, who one is, and which projects there are', async () => {
    const { cwd, name, server, visitor } = await served({ AGENTMAIL_PERSON: 'boss' })
    git(cwd, 'checkout', '--quiet', '-b', 'feature/the-page')
    const { instance } = JSON.parse((await ask(server.url, { path: '/health' })).text)
    const boot = JSON.parse((await visitor.get('')).text)
    expect(boot).toMatchObject({
      ...{ instance, database: server.database, person: 'boss', csrf: visitor.csrf },
      ...{ has_token: false, has_vault: false, own: name },
      engine: expect.stringMatching(/^SQLite 3/),
      projects: [{ name, roots: [cwd], branch: 'feature/the-page', agents: 0 }],
    })
  })

  it('names the commit where no branch is checked out, and nothing where nobody can say', async () => {
    const { cwd, visitor } = await served()
    const branch = async () => JSON.parse((await visitor.get('')).text).projects[0].branch
    git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'start')
    git(cwd, 'checkout', '--quiet', '--detach')
    expect(await branch()).toMatch(/^[\da-f]{7}$/)
    for (const head of ['', 'ref: refs/heads/.invalid\n', 'ref: refs/heads/a\u001b[31m\n', 'x']) {
      writeFileSync(join(cwd, '.git/HEAD'), head)
      expect(await branch()).toBeNull()
    }
  })
})

describe('how clients are connected', () => {
  it('is told by the address that the browser has used', async () => {
    const { name, server, visitor } = await served()
    const local = JSON.parse((await visitor.get('/setup')).text)
    expect(local.why).toContain('STDIO')
    expect(JSON.stringify(local.stdio)).toContain(`--db ${server.database}`)
    expect(JSON.stringify(local.http)).toContain(`${server.url}/mcp/${name}`)
    const { host } = new URL(server.url.replace('127.0.0.1', 'localhost'))
    const named = JSON.parse((await visitor.get('/setup', { host })).text)
    expect(JSON.stringify(named.http)).toContain(`http://${host}/mcp/${name}`)
  })

  it('is told of a project that there is, and of no other', async () => {
    const { server, visitor } = await served()
    await server.register('ann', 'coder', 'shop & more')
    const path = `/setup?project=${encodeURIComponent('shop & more')}`
    expect((await visitor.get(path)).text).toContain('/mcp/shop%20%26%20more')
    const wrong = { nowhere: 404, 'a%2Fb': 400, '..': 400 }
    for (const [project, status] of Object.entries(wrong)) {
      expect((await visitor.get(`/setup?project=${project}`)).status, project).toBe(status)
    }
  })
})

describe('the doctor', () => {
  const page = z.strictObject({
    checks: z.array(
      z.strictObject({
        check: z.string(),
        state: z.enum(['ok', 'off', 'warn', 'problem']),
        says: z.string(),
        advice: z.string().nullable(),
      }),
    ),
  })

  it('looks at the folder of the project, for all who ask at once', async () => {
    const { cwd, name, server, visitor } = await served()
    const asked = [visitor.get('/doctor'), visitor.get(`/doctor?project=${name}`)]
    const [one, other] = await Promise.all(asked)
    expect(one?.status).toBe(200)
    expect(other?.text).toBe(one?.text)
    const { checks } = page.parse(JSON.parse(one?.text ?? ''))
    expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(['Node', 'git']))
    expect(one?.text).not.toContain('not in a git repository')
    await server.register('ann', 'coder', 'elsewhere')
    rmSync(cwd, { recursive: true })
    const gone = await visitor.get('/doctor')
    expect([gone.status, gone.text]).toEqual([400, expect.stringContaining('no such folder')])
    const none = await visitor.get('/doctor?project=elsewhere')
    expect(none.status).toBe(404)
    expect(none.text).toContain('Run agentmail doctor where it is.')
  })
})

describe('a test message', () => {
  it('arrives at the person, from a guest that leaves again', async () => {
    const { server, visitor } = await served({ AGENTMAIL_PERSON: 'boss' })
    await server.register('ann', 'coder', 'shop')
    for (const project of ['', 'shop']) {
      const both = await Promise.all([1, 2].map(() => visitor.post('/test', { project })))
      for (const { status, text } of both)
        expect({ status, answer: JSON.parse(text) }).toEqual({
          status: 200,
          answer: { message_id: expect.stringMatching(/^\d+$/), warning: null },
        })
      const query = `project=${project}`
      const inbox = await ask(server.url, { path: `/api/inbox?name=boss&${query}` })
      const waiting = { from: 'agentmail-test', text: expect.stringContaining('A test message') }
      expect(JSON.parse(inbox.text).inbox).toMatchObject([waiting, waiting])
      const agents = await ask(server.url, { path: `/api/agents?${query}` })
      expect(agents.text).not.toContain('agentmail-test')
    }
  })
})
