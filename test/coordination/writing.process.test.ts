/** What agents write: registrations, ids and times, keys that make a retry safe, and projects that never mix. */
import { describe, expect, it } from 'vitest'
import { projectsOnOneServer, TestProject } from '../support/coordination/projects.ts'

const newProject = projectsOnOneServer()
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('register', () => {
  it('gives every agent an id of its own, whatever its name', async () => {
    const project = newProject()
    const ids = await Promise.all(times(20, () => project.register('coder-1')))
    expect(new Set(ids).size).toBe(20)
  })

  it('gives the same id again to who was known by it under this name, with its claims', async () => {
    const project = newProject()
    const agent_id = await project.register('coder-1')
    await project.claim(agent_id, 'a.ts')
    expect(await project.register('coder-1', { agent_id })).toBe(agent_id)
    expect(await project.register('coder-1', { agent_id, role: 'reviewer' })).toBe(agent_id)
    expect((await project.claims()).claims).toMatchObject([{ file_path: 'a.ts', agent_id }])
    expect(await project.heartbeat(agent_id)).toMatchObject({ ok: true })
  })

  it('gives a new id for one that is not known under this name', async () => {
    const [project, other] = [newProject(), newProject()]
    const own = await project.register('coder-1')
    const foreign = await other.register('coder-1')
    const unknown = '00000000-0000-4000-8000-000000000000'
    const rows: [string, string][] = [
      ['coder-2', own],
      ['Coder-1', own],
      ['coder-1 ', own],
      ['coder-1', own.toUpperCase()],
      ['coder-1', ` ${own}`],
      ['coder-1', foreign],
      ['coder-1', unknown],
      ['coder-1', 'coder-1'],
      ['coder-1', "' OR '1'='1"],
    ]
    const given = new Set([own, foreign, unknown])
    for (const [name, agent_id] of rows) {
      const id = await project.register(name, { agent_id })
      expect(given, `${name} ${agent_id}`).not.toContain(id)
      given.add(id)
    }
  })
})

describe('ids and times', () => {
  it('have no gap and no repeat, whatever is refused in between', async () => {
    const project = newProject()
    const agent_id = await project.register('coder-1')
    await project.send(agent_id, 'first', { idempotency_key: 'key' })
    await project.announce(agent_id, 'first', { idempotency_key: 'key' })
    const letter = { agent_id, subject: 's', body: 'b' }
    const change = { agent_id, file_path: 'a.ts', summary: 's' }
    const refused = [
      () => project.refusal('send_message', { ...letter, agent_id: 'nobody' }),
      () => project.refusal('send_message', { ...letter, idempotency_key: 'key' }),
      () => project.refusal('send_message', { ...letter, body: ' ' }),
      () => project.refusal('announce_change', { ...change, agent_id: 'nobody' }),
      () => project.refusal('announce_change', { ...change, idempotency_key: 'key' }),
      () => project.refusal('announce_change', { ...change, file_path: '../a.ts' }),
    ]
    const given = await Promise.all(
      times(20, async (index) => {
        const [message, changed] = await Promise.all([
          project.send(agent_id, `${index}`),
          project.announce(agent_id, `${index}`),
          ...refused.map((attempt) => attempt()),
          project.send(agent_id, 'first', { idempotency_key: 'key' }),
          project.announce(agent_id, 'first', { idempotency_key: 'key' }),
        ])
        return { message, changed }
      }),
    )
    const expected = times(20, (index) => index + 2)
    const ascending = (one: number, other: number) => one - other
    expect(given.map(({ message }) => message).sort(ascending)).toEqual(expected)
    expect(given.map(({ changed }) => changed).sort(ascending)).toEqual(expected)
  })

  it('rise together: times have microseconds and none is given twice', async () => {
    const project = newProject()
    const agent = await project.register('coder-1')
    await Promise.all([
      ...times(40, (index) => project.send(agent, `${index}`)),
      ...times(40, (index) => project.announce(agent, `${index}`)),
      ...times(20, (index) => project.claim(agent, `a-${index}`, `b-${index}`)),
    ])
    const sent = (await project.read(agent, { limit: 500 })).messages.map((one) => one.created_at)
    const { changes } = await project.changes({ limit: 500 })
    const announced = changes.map((one) => one.announced_at)
    const claimed = (await project.claims()).claims.map((one) => one.claimed_at)
    expect(sent).toEqual(sent.toSorted())
    expect(announced).toEqual(announced.toSorted())
    expect(new Set([...sent, ...announced, ...claimed]).size).toBe(40 + 40 + 40)
    const now = Date.now()
    for (const at of [...sent, ...announced, ...claimed]) {
      expect(Math.abs(Date.parse(at) - now)).toBeLessThan(60_000)
    }
  })
})

/** Both tools that take a key, written with it. */
const keyed: [
  string,
  (project: TestProject) => (agent: string, text: string, key: string) => Promise<number>,
][] = [
  [
    'send_message',
    (project) => (agent, text, idempotency_key) => project.send(agent, text, { idempotency_key }),
  ],
  [
    'announce_change',
    (project) => (agent, text, idempotency_key) =>
      project.announce(agent, text, { idempotency_key }),
  ],
]

describe.each(keyed)('the idempotency_key of %s', (_, writerOf) => {
  const count = async (project: TestProject, agent: string) =>
    (await project.read(agent)).messages.length + (await project.changes()).changes.length

  it('gives a retry the first answer and stores nothing more, also for many at once', async () => {
    const project = newProject()
    const write = writerOf(project)
    const agent = await project.register('coder-1')
    const ids = await Promise.all(times(10, () => write(agent, 'text', 'key')))
    expect([...ids, await write(agent, 'text', 'key')]).toEqual(times(11, () => 1))
    expect(await count(project, agent)).toBe(1)
  })

  it('means another call with every other key, to the last character', async () => {
    const project = newProject()
    const write = writerOf(project)
    const agent = await project.register('coder-1')
    const keys = ['key', 'Key', 'key ', ' key', 'ke', 'këy', 'k'.repeat(254), 'k'.repeat(255)]
    const ids: number[] = []
    for (const key of keys) ids.push(await write(agent, 'text', key))
    expect(ids).toEqual(times(keys.length, (index) => index + 1))
  })

  it('holds for its agent alone', async () => {
    const project = newProject()
    const write = writerOf(project)
    const [a, b] = [await project.register('coder-1'), await project.register('coder-1')]
    expect(await write(a, 'text', 'key')).toBe(1)
    expect(await write(b, 'other', 'key')).toBe(2)
    expect(await write(a, 'text', 'key')).toBe(1)
    expect(await write(b, 'other', 'key')).toBe(2)
  })

  it('still holds for an agent that has resumed', async () => {
    const project = newProject()
    const write = writerOf(project)
    const agent_id = await project.register('coder-1')
    await write(agent_id, 'text', 'key')
    await project.register('coder-1', { agent_id })
    expect(await write(agent_id, 'text', 'key')).toBe(1)
    expect(await count(project, agent_id)).toBe(1)
  })
})

describe('an idempotency_key', () => {
  it('holds for one tool, and in one project', async () => {
    const [project, other] = [newProject(), newProject()]
    const agent = await project.register('coder-1')
    const stranger = await other.register('coder-1')
    const key = { idempotency_key: 'key' }
    expect(await project.send(agent, 'one', key)).toBe(1)
    expect(await project.announce(agent, 'two', key)).toBe(1)
    expect(await other.send(stranger, 'three', key)).toBe(1)
    expect(await other.announce(stranger, 'four', key)).toBe(1)
    expect((await other.read(stranger)).messages).toMatchObject([{ body: 'three' }])
  })

  it('is refused by name with other content, and nothing is stored', async () => {
    const project = newProject()
    const agent_id = await project.register('coder-1')
    const letter = { agent_id, channel: 'c', subject: 's', body: 'b', idempotency_key: 'key' }
    const change = { agent_id, file_path: 'a.ts', summary: 's', idempotency_key: 'key' }
    await project.call('send_message', letter)
    await project.call('announce_change', change)
    const rows: [string, object][] = [
      ['send_message', { ...letter, body: 'b2' }],
      ['send_message', { ...letter, subject: 's2' }],
      ['send_message', { ...letter, channel: 'c2' }],
      ['send_message', { ...letter, channel: '' }],
      ['send_message', { ...letter, channel: 's', subject: 'c' }],
      ['announce_change', { ...change, summary: 's2' }],
      ['announce_change', { ...change, file_path: 'b.ts' }],
    ]
    for (const [tool, args] of rows) {
      expect(await project.refusal(tool, args)).toMatch(/^idempotency_key /)
    }
    expect((await project.read(agent_id)).messages).toHaveLength(1)
    expect((await project.changes()).changes).toHaveLength(1)
    expect((await project.call('send_message', letter)).structuredContent).toEqual({
      message_id: 1,
    })
  })

  it('takes the default channel for the same as its name', async () => {
    const project = newProject()
    const agent = await project.register('coder-1')
    const key = { idempotency_key: 'key' }
    expect(await project.send(agent, 'one', key)).toBe(1)
    expect(await project.send(agent, 'one', { ...key, channel: 'broadcast' })).toBe(1)
  })
})

describe('projects on one server', () => {
  it('never mix their agents, messages, claims, changes and ids', async () => {
    const { url } = newProject()
    const names = [undefined, 'one', 'One', 'one two', 'öne', '%2e', '..%2Fone', 'mcp']
    const projects = names.map((name) => new TestProject(url, name))
    const agents: string[] = []
    for (const [index, project] of projects.entries()) {
      const agent = await project.register('coder-1')
      agents.push(agent)
      expect(await project.send(agent, `message ${index}`)).toBe(1)
      expect(await project.announce(agent, `change ${index}`)).toBe(1)
      expect(await project.claim(agent, 'a.ts')).toEqual({ claimed: ['a.ts'], conflicts: [] })
    }
    for (const [index, project] of projects.entries()) {
      const agent = agents[index] ?? ''
      const { messages } = await project.read(agent)
      expect(messages).toMatchObject([{ id: 1, sender_id: agent, body: `message ${index}` }])
      const { changes } = await project.changes()
      expect(changes).toMatchObject([{ id: 1, agent_id: agent, summary: `change ${index}` }])
      expect((await project.claims()).claims).toMatchObject([{ agent_id: agent }])
      for (const stranger of agents.filter((id) => id !== agent)) {
        expect(await project.refusal('heartbeat', { agent_id: stranger })).toContain('registered')
        expect((await project.changes({ agent_id: stranger })).changes).toEqual([])
      }
    }
  })
})
