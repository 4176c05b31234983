/** Agents that fall silent are removed, once and with a notice; whoever gives a sign of life stays. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { projectsOnOneServer, type TestProject } from '../../support/coordination/projects.ts'
import { eventually } from '../../support/eventually.ts'
import { callTool, connectClient } from '../../support/server/server.ts'

const newProject = projectsOnOneServer({
  AGENTMAIL_STALE_SECONDS: '2',
  AGENTMAIL_SWEEP_SECONDS: '0.2',
})

/**
 * Tells a scenario that failed by itself from one in which the machine stalled: then living agents fall silent too,
 * and it tells nothing. Calls that go on beside it see the stalls; only a scenario that had some is tried again.
 */
async function undisturbed(scenario: () => Promise<void>): Promise<void> {
  for (;;) {
    const beside = newProject()
    let longestMs = 0
    let isOver = false
    const calling = (async () => {
      let lastAt = performance.now()
      while (!isOver) {
        await beside.claims('nothing')
        longestMs = Math.max(longestMs, performance.now() - lastAt)
        lastAt = performance.now()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()
    const failed = await scenario().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    isOver = true
    await calling
    if (!failed) return
    if (longestMs < 500) throw failed.error
  }
}

const undisturbedIt = (promise: string, scenario: () => Promise<void>) =>
  it(promise, () => undisturbed(scenario))

/** Registers an agent that holds a file of its name: while it is held, the agent is there. */
async function holder(project: TestProject, name: string): Promise<string> {
  const agent = await project.register(name)
  await project.claim(agent, name)
  return agent
}

const isHeld = async (project: TestProject, ...files: string[]) =>
  (await project.claims(...files)).claims.length > 0

/** Waits for the sweep of an agent that falls silent now: whoever was silent before it is gone by then. */
async function nextSweep(project: TestProject): Promise<void> {
  const name = `silent-${performance.now()}`
  await holder(project, name)
  await eventually(`the sweep of ${name}`, async () => !(await isHeld(project, name)))
}

/** Everything that was said, read by an agent that has just come. */
const everything = async (project: TestProject) =>
  (await project.read(await project.register('reader'), { after_id: 0, limit: 500 })).messages

const noticesOf = async (project: TestProject, agent: string) =>
  (await everything(project)).filter(
    ({ sender_id, subject }) => sender_id === agent && subject === 'agent-stale',
  )

describe.concurrent('an agent that falls silent', () => {
  undisturbedIt(
    'is removed with one notice, its claims are released, and what it wrote stays',
    async () => {
      const project = newProject()
      const agent = await project.register('coder "3"', { role: 'coder of tests' })
      await project.send(agent, 'said', { channel: 'review' })
      await project.announce(agent, 'announced')
      await project.claim(agent, 'a.ts', 'b.ts')
      await eventually('the release', async () => !(await isHeld(project, 'a.ts', 'b.ts')))
      await nextSweep(project)

      expect(await noticesOf(project, agent)).toEqual([
        {
          id: expect.any(Number),
          sender_id: agent,
          sender_name: 'coder "3"',
          channel: 'broadcast',
          subject: 'agent-stale',
          body: 'Agent coder "3" (role: coder of tests) went stale and was removed. Its file claims have been released.',
          created_at: expect.any(String),
        },
      ])
      expect((await everything(project))[0]).toMatchObject({
        id: 1,
        sender_id: agent,
        body: 'said',
      })
      const { changes } = await project.changes({ agent_id: agent })
      expect(changes).toMatchObject([{ summary: 'announced' }])
      const ids = (await everything(project)).map(({ id }) => id)
      expect(ids).toEqual(ids.map((_, index) => index + 1))
    },
  )

  undisturbedIt('is told to register again, and may keep its id but not its claims', async () => {
    const project = newProject()
    const agent_id = await holder(project, 'coder-1')
    await project.send(agent_id, 'said', { idempotency_key: 'key' })
    await eventually('the release', async () => !(await isHeld(project, 'coder-1')))
    for (const [tool, args] of Object.entries({
      heartbeat: {},
      send_message: { subject: 's', body: 'b' },
      read_messages: {},
      claim_files: { files: ['coder-1'] },
      release_files: { files: ['coder-1'] },
      announce_change: { file_path: 'a.ts', summary: 's' },
    })) {
      const text = await project.refusal(tool, { agent_id, ...args })
      const prefix = tool === 'heartbeat' ? 'heartbeat: ' : ''
      expect(text.split('\n')[0]).toBe(`${prefix}agent "${agent_id}" is not registered`)
      expect(text).toMatch(/register again/i)
    }
    expect(await isHeld(project, 'coder-1')).toBe(false)

    expect(await project.register('other', { agent_id })).not.toBe(agent_id)
    expect(await project.register('coder-1', { agent_id })).toBe(agent_id)
    expect(await project.heartbeat(agent_id)).toMatchObject({ ok: true })
    expect(await isHeld(project, 'coder-1')).toBe(false)
    expect(await project.send(agent_id, 'said', { idempotency_key: 'key' })).toBe(1)
  })

  undisturbedIt('wakes whoever waits for news', async () => {
    const project = newProject()
    const agent = await project.register('coder-1')
    const reader = await project.register('reader')
    const { messages } = await project.read(reader, { channel: 'broadcast', wait_seconds: 50 })
    expect(messages).toMatchObject([{ sender_id: agent, subject: 'agent-stale' }])
  })
})

describe.concurrent('an agent stays', () => {
  undisturbedIt('while it calls any tool that takes its id', async () => {
    const project = newProject()
    const calls: Record<string, object> = {
      register: { name: 'register', role: 'coder' },
      heartbeat: {},
      send_message: { subject: 's', body: 'b' },
      read_messages: { channel: 'quiet' },
      claim_files: { files: ['shared'] },
      release_files: { files: ['nothing'] },
      announce_change: { file_path: 'a.ts', summary: 's' },
    }
    const tools = Object.keys(calls)
    const agents = await Promise.all(tools.map((tool) => holder(project, tool)))
    let isOver = false
    const calling = tools.map(async (tool, index) => {
      while (!isOver) {
        await project.call(tool, { agent_id: agents[index], ...calls[tool] })
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })
    await nextSweep(project)
    const { claims } = await project.claims(...tools)
    isOver = true
    await Promise.all(calling)
    expect(claims.map(({ file_path }) => file_path).sort()).toEqual(tools.toSorted())
  })

  undisturbedIt(
    'while it waits for messages, and goes when it has left without an answer',
    async () => {
      const project = newProject()
      const agent_id = await holder(project, 'reader')
      const leaving = new AbortController()
      const waiting = callTool(
        project.url,
        'read_messages',
        { agent_id, channel: 'quiet', wait_seconds: 50 },
        project.name,
        { signal: leaving.signal },
      ).catch(() => 'left')
      await nextSweep(project)
      await nextSweep(project) // a call may be noted late, so that one sweep tells nothing of the wait
      expect(await isHeld(project, 'reader')).toBe(true)

      leaving.abort()
      expect(await waiting).toBe('left')
      await eventually('the release', async () => !(await isHeld(project, 'reader')))
      expect(await noticesOf(project, agent_id)).toHaveLength(1)
    },
  )
})

describe('an agent that came over a stream', () => {
  undisturbedIt('stays while the stream is open, and goes after that', async () => {
    const project = newProject()
    const earlier = await holder(project, 'earlier')
    const client = await connectClient(project.url, 'sse', 'legacy', project.name)
    const ask = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent
    const registered = await ask('register', { name: 'registered', role: 'coder' })
    const { agent_id } = z.object({ agent_id: z.string() }).parse(registered)
    await ask('claim_files', { agent_id, files: ['registered'] })
    await ask('heartbeat', { agent_id: earlier })
    await nextSweep(project)
    expect(await isHeld(project, 'registered')).toBe(true)
    expect(await isHeld(project, 'earlier')).toBe(true)

    await client.close()
    await eventually('the release', async () => !(await isHeld(project, 'registered', 'earlier')))
    expect(await noticesOf(project, agent_id)).toHaveLength(1)
  })
})
