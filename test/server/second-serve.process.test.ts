/** agentmail serve where something has the port already. */
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const token = 'very-secret'

it.each([undefined, token])(
  'says that one runs on the same database, with the lines for this repository (token: %s)',
  async (AGENTMAIL_TOKEN) => {
    const data = temporaryFolder()
    mkdirSync(join(data, 'agentmail'))
    const env = { XDG_DATA_HOME: data, AGENTMAIL_TOKEN }
    const db = join(data, 'agentmail/agentmail.db')
    const first = await TestServer.start({ db, cwd: repository(), env })
    await TestServer.start({ db, cwd: repository(), env }) // whose note is the later one
    const cwd = repository()
    const { port } = new URL(first.url)
    const second = (...args: string[]) =>
      agentmail(['serve', '--port', port, ...args], { cwd, env })
    const ran = await second()
    expect(ran).toMatchObject({ stderr: '', exitCode: 0 })
    expect(ran.stdout).toContain(`runs already, on the same database: ${first.url}/\n`)
    expect(ran.stdout).toContain(`${first.url}/mcp/${basename(cwd)}`)
    expect(ran.stdout).not.toContain(token)
    expect(JSON.parse((await second('--json')).stdout)).toEqual({
      event: 'running',
      url: first.url,
      database: db,
      project: basename(cwd),
      mcp: `${first.url}/mcp/${basename(cwd)}`,
    })
    const other = await second('--db', join(data, 'other.db'))
    expect(other).toMatchObject({ stdout: '', exitCode: 3 })
    expect(other.stderr).toMatch(
      /^error: port \d+ on 127\.0\.0\.1 is in use by AgentMail with another database\n/,
    )
    expect(other.stderr).toContain('--port')
  },
)

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'is found again when another on the same database has gone (%s)',
  async (signal) => {
    const first = await TestServer.start()
    const db = first.database
    const note = () => JSON.parse(readFileSync(`${db}.server`, 'utf8')).url
    const second = await TestServer.start({ db })
    expect(note()).toBe(second.url)
    second.child.kill(signal)
    await second.ended
    if (signal === 'SIGTERM') expect(note()).toBe(first.url) // it has left it to the one before
    await eventually('the first is noted again', () => {
      try {
        return note() === first.url
      } catch {
        return false
      }
    })
  },
)

it('names its database and projects at /health only to those who may call', async () => {
  const server = await TestServer.start({ cwd: repository(), env: { AGENTMAIL_TOKEN: token } })
  const health = async (headers: Record<string, string>) =>
    JSON.parse(await (await fetch(`${server.url}/health`, { headers })).text())
  expect(await health({ authorization: `Bearer ${token}` })).toMatchObject({
    database: server.database,
    projects: [expect.any(String)],
  })
  for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
    const told = await health(headers)
    expect(told.status).toBe('ok')
    expect(JSON.stringify(told)).not.toContain(server.database)
    expect(told.projects).toBeUndefined()
  }
})
