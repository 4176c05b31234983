/** POST /hooks/<client>: whatever comes is answered with 200 and JSON, but for those who may not ask. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPlace } from '../support/coordination/coordination.ts'
import { capturedHooks, inputIn } from '../support/hooks/hook-inputs.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { ask } from '../support/server/http.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const patient = { AGENTMAIL_HOOK_MS: '30000' }
const server = sharedServer({ env: patient })

const json = { 'content-type': 'application/json' }

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  ask(server().url, {
    ...{ method: 'POST', path, body },
    headers: { ...json, ...headers },
  })

const nothing = { status: 200, text: '{}' }

describe('a client that asks by itself', () => {
  it('is answered at every event that it has', async () => {
    const folder = repository()
    for (const { name, client, event } of capturedHooks) {
      const path = `/hooks/${client}${event ? `?event=${event}` : ''}`
      const { status, text, headers } = await post(path, inputIn(folder, name, name))
      expect({ name, status, type: headers['content-type'] }).toEqual({
        ...{ name, status: 200, type: 'application/json' },
      })
      expect(JSON.parse(text)).toBeTypeOf('object')
    }
  })

  it('is refused what another holds in the project of its own folder, not in others', async () => {
    const place = await openPlace('a running server', {}, patient)
    const claimed = await place.run(['claim', 'b.txt', '--as', 'holder'])
    expect(claimed).toMatchObject({ exitCode: 0 })
    const edit = async (folder: string, session: string, type = 'application/json') => {
      const body = inputIn(folder, 'claude-PreToolUse-write', session)
      const url = place.server?.url ?? ''
      const headers = { 'content-type': type }
      return (await ask(url, { method: 'POST', path: '/hooks/claude', body, headers })).text
    }
    expect(await edit(place.repository, 'one')).toContain('b.txt is held by holder')
    expect(await edit(repository(), 'other')).toBe('{}')
    // As any page can send it.
    expect(await edit(place.repository, 'one', 'text/plain')).toBe('{}')
  })

  it('stands in no repository, and goes on', async () => {
    const input = inputIn(temporaryFolder(), 'claude-PreToolUse-write', 'outside')
    expect(await post('/hooks/claude', input)).toMatchObject(nothing)
    const gone = inputIn('/nowhere/at/all', 'claude-PreToolUse-write', 'gone')
    expect(await post('/hooks/claude', gone)).toMatchObject(nothing)
  })
})

describe('whatever is posted', () => {
  const good = { session_id: 's', cwd: '/', hook_event_name: 'Stop' }
  const deep = '['.repeat(100_000)
  const bodies: [what: string, path: string, body: string | Buffer][] = [
    ['nothing', '/hooks/claude', ''],
    ['no JSON', '/hooks/claude', '{'],
    ['NUL', '/hooks/gemini', Buffer.alloc(5000)],
    ['20 MB', '/hooks/codex', Buffer.alloc(20_000_000, 'x')],
    ['bytes that are no text', '/hooks/qwen', Buffer.from([0xff, 0xfe, 0xc3, 0x28])],
    ['depth without measure', '/hooks/qwen', deep],
    ['depth within it', '/hooks/claude', JSON.stringify({ ...good, x: [] }).replace('[]', deep)],
    ['wrong types', '/hooks/copilot', '{"sessionId": 7, "cwd": [], "toolArgs": null}'],
    ['a client that is unknown', '/hooks/emacs', JSON.stringify(good)],
    ['a client of every object', '/hooks/__proto__', JSON.stringify(good)],
    ['a path below a client', '/hooks/claude/x', JSON.stringify(good)],
  ]

  it.each(bodies)('%s is answered with {}', async (_what, path, body) => {
    expect(await post(path, body)).toMatchObject(nothing)
    expect(await post(path, body, { 'content-type': 'text/plain' })).toMatchObject(nothing)
  })

  it('a path out of the repository is answered, and nothing is made there', async () => {
    const folder = repository()
    for (const path of ['../../etc/passwd', '/etc/passwd', '\0', 'x'.repeat(100_000), '..', '/']) {
      const input = { ...JSON.parse(inputIn(folder, 'claude-PreToolUse-write', 'out')) }
      input.tool_input.file_path = path
      expect(await post('/hooks/claude', JSON.stringify(input))).toMatchObject(nothing)
    }
  })

  it('the server tells of it in its log, and seldom', async () => {
    const own = await TestServer.start()
    for (let count = 0; count < 50; count++) {
      const body = 'x'.repeat(count)
      await ask(own.url, { method: 'POST', path: '/hooks/claude', body, headers: json })
    }
    const { stderr } = await own.stop()
    expect(stderr.match(/a hook was not understood/g)).toHaveLength(1)
  })
})

describe('who may not ask', () => {
  const path = '/hooks/claude'
  it('is refused as everywhere', async () => {
    const body = '{}'
    const call = (headers: Record<string, string>) =>
      ask(server().url, { method: 'POST', path, headers, body })
    expect((await call({ host: 'evil.example' })).status).toBe(403)
    expect((await call({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await ask(server().url, { path })).status).toBe(405)
    expect((await ask(server().url, { method: 'POST', path: '/hooks', body })).status).toBe(404)
  })

  it('needs the token where there is one', async () => {
    const guarded = await TestServer.start({ env: { ...patient, AGENTMAIL_TOKEN: 'secret' } })
    const call = (headers: Record<string, string>) =>
      ask(guarded.url, { method: 'POST', path, headers, body: '{}' })
    expect((await call({})).status).toBe(401)
    expect((await call({ authorization: 'Bearer wrong' })).status).toBe(401)
    expect(await call({ authorization: 'Bearer secret' })).toMatchObject(nothing)
  })
})

it('a database that is gone holds up nobody', async () => {
  const folder = temporaryFolder()
  const db = join(folder, 'mail.db')
  const own = await TestServer.start({ db, env: patient })
  rmSync(db)
  const input = inputIn(repository(), 'claude-UserPromptSubmit')
  const hook = { method: 'POST', path: '/hooks/claude', body: input, headers: json }
  const reply = await ask(own.url, hook)
  expect(reply).toMatchObject(nothing)
})
