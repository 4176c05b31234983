/** `register` in the session of a coding client, through a server and on the database: the session's agent gets the name. */
import { expect, it, onTestFinished } from 'vitest'
import { Coordination } from '../../src/coordination/coordination.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { mcpCoordination, openPlace, ways } from '../support/coordination/coordination.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { callerAs } from '../support/sessions/callers.ts'

it.each(ways)('keeps its id and takes the name, as its client tells, through %s', async (way) => {
  const place = await openPlace(way)
  const { repository, project: name } = place
  await place.json(['agents']) // so that the project is there
  const env = { ...place.env, CLAUDE_CODE_SESSION_ID: 's1' }
  const client = await connect('modern', { args: mcpCoordination, cwd: repository, env })
  const register = async (name: string, _meta?: Record<string, unknown>) => {
    const params = { name: 'register', arguments: { name, role: 'coder' }, ...(_meta && { _meta }) }
    return Object((await client.callTool(params)).structuredContent)
  }
  const outside = await register('outside') // while nobody knows of a session
  const coordination = await Coordination.open({
    ...{ store: await openSqlite(place.database), staleMs: 120_000 },
  })
  onTestFinished(() => coordination.close())
  const project = coordination.project(await coordination.projects.keyOf(name))
  const claude = await project.sessions.note(callerAs('s1'))
  const codex = await project.sessions.note(callerAs('c1', { client: 'codex' }))
  expect(outside.agent_id).not.toBe(claude.agent_id)
  expect((await register('parser')).agent_id).toBe(claude.agent_id)
  const turn = { 'x-codex-turn-metadata': { session_id: 'c1' } }
  expect((await register('printer', turn)).agent_id).toBe(codex.agent_id)
  const { agents } = await project.agents.list()
  expect(agents.map(({ name, role }) => `${name} ${role}`).sort()).toEqual([
    ...['outside coder', 'parser coder', 'printer coder'],
  ])
})
