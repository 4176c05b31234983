/** Outside tmux, whatever a coding session starts is that session's agent: commands, servers, and the guard of git. */
import { describe, expect, it } from 'vitest'
import { ways } from '../support/coordination/coordination.ts'
import { eventually } from '../support/eventually.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { connectedTo, type SessionPlace, sessionPlace } from '../support/sessions/session-place.ts'
import { Guarded } from '../support/setup/guarded.ts'

const inClaude = { CLAUDE_CODE_SESSION_ID: 's1' }
const anna = { AGENTMAIL_AGENT: 'anna', AGENTMAIL_HOOK_MS: '20000' }

describe.each(ways)('in a session outside tmux, through %s', (way) => {
  it('a command has the name of its agent, and others have it not', async () => {
    const place = await sessionPlace(way)
    await place.hook('SessionStart')
    expect(await place.json(['name'], { env: inClaude })).toMatchObject({ name: 'claude-1' })
    for (const env of [{}, { CLAUDE_CODE_SESSION_ID: 's2' }]) {
      expect((await place.run(['name'], { env })).exitCode).toBe(2)
    }
    expect(await place.json(['name'], { env: { ...inClaude, ...anna } })).toMatchObject({
      name: 'anna',
    })
  })

  it.each([
    ['codex', { CODEX_SESSION_ID: 's1' }],
    ['copilot', { COPILOT_AGENT_SESSION_ID: 's1' }],
  ])('so it is for a command of %s', async (client, env) => {
    const place = await sessionPlace(way)
    await place.hook('SessionStart', {}, client)
    expect(await place.json(['name'], { env })).toMatchObject({ name: `${client}-1` })
  })

  it('acts as its agent, and is no second one', async () => {
    const place = await sessionPlace(way)
    await place.hook('SessionStart')
    await place.json(['claim', 'a.ts'], { env: inClaude })
    const claims = await place.json(['claims'])
    expect(claims).toMatchObject({ claims: [{ file_path: 'a.ts', holder_name: 'claude-1' }] })
    const { agents } = Object(await place.json(['agents']))
    expect(agents).toHaveLength(1)
    // Under another name it is still the same.
    const client = await connectedTo(place, inClaude)
    await client.call('register', { name: 'parser', role: 'coder' })
    expect(await place.json(['name'], { env: inClaude })).toMatchObject({
      name: 'parser',
      source: 'session',
    })
    await place.json(['release', 'a.ts'], { env: inClaude })
    expect(await place.json(['claims'])).toMatchObject({ claims: [] })
  })

  it('the mailbox server starts, and hooks hand over what comes there', async () => {
    const place = await sessionPlace(way)
    const nobody = new LineClient({
      ...{ cwd: place.repository, env: { ...place.env, ...inClaude } },
    })
    expect(await nobody.ended).toMatchObject({ exitCode: 2 })
    await place.hook('SessionStart')
    const client = await LineClient.open({
      ...{ cwd: place.repository, env: { ...place.env, ...inClaude } },
    })
    const { result } = await client.call('list-recipients', {})
    expect(JSON.stringify(result)).toContain('claude-1')
    await place.json(['send', 'claude-1', 'the build is green'], { env: anna })
    expect(await place.hook('UserPromptSubmit')).toContain('the build is green')
    expect(await place.hook('UserPromptSubmit')).not.toContain('the build is green')
    // Also under its former name, once it has another.
    const other = await connectedTo(place, inClaude)
    await other.call('register', { name: 'parser', role: 'coder' })
    expect(await place.json(['name'], { env: inClaude })).toMatchObject({
      name: 'parser',
      source: 'session',
    })
    await place.json(['send', 'claude-1', 'old friends'], { env: anna })
    await place.json(['send', 'parser', 'new friends'], { env: anna })
    const heard = `${await place.hook('UserPromptSubmit')}${await place.hook('UserPromptSubmit')}`
    expect(heard).toContain('old friends')
    expect(heard).toContain('new friends')
  })

  it('the mailbox server waits for a session that begins with it', async () => {
    const place = await sessionPlace(way)
    const opening = LineClient.open({
      ...{ cwd: place.repository, env: { ...place.env, ...inClaude } },
    })
    await place.hook('SessionStart')
    await opening
    expect(await place.json(['recipients'], { env: anna })).toMatchObject({
      recipients: expect.arrayContaining([{ name: 'claude-1', is_current: false }]),
    })
  })
})

describe.each(ways)('the server of coordination of a session, through %s', (way) => {
  it('keeps its agent alive while it is open, and only then', async () => {
    const lives = { AGENTMAIL_STALE_SECONDS: '3', AGENTMAIL_SWEEP_SECONDS: '0.3' }
    const place: SessionPlace = await sessionPlace(way, lives)
    const client = await connectedTo(place, inClaude)
    for (const session_id of ['s1', 's2']) {
      await place.hook('SessionStart', { session_id })
      await place.hook('UserPromptSubmit', { session_id }) // who waits for its user stays anyway
    }
    const names = async () => {
      const { agents } = Object(await place.json(['agents']))
      return agents.map(({ name }: { name: string }) => name)
    }
    expect(await names()).toHaveLength(2)
    // The control is the other session, which nothing holds open.
    await eventually('the other is gone', async () => (await names()).length === 1)
    expect(await names()).toEqual(['claude-1'])
    client.child.stdin.end()
    await eventually('it goes with its server', async () => (await names()).length === 0)
  })
})

describe('the guard of git', () => {
  it('lets a session commit what its own agent holds, whatever its name', async () => {
    const place = await Guarded.install()
    const hook = (event: string, more: object) => {
      const input = { session_id: 's1', cwd: place.folder, hook_event_name: event, ...more }
      return place.run(['hook', 'claude'], anna, place.folder, JSON.stringify(input))
    }
    await hook('SessionStart', {})
    const file_path = `${place.folder}/a.ts`
    await hook('PreToolUse', { tool_name: 'Write', tool_input: { file_path, content: 'x' } })
    // The control run: somebody else's commit of the very same file.
    expect(place.commit(['a.ts']).stderr).toContain('a.ts is held by anna')
    expect(place.commit(['a.ts'], inClaude)).toMatchObject({ exitCode: 0, stderr: '' })
  })
})
