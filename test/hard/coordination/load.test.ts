/** The coordination server with many agents at once: what they send arrives, and those who wait cost little. */
import { setMaxListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  agentIdOf,
  Caller,
  type Message,
  messageIdOf,
  messagesOf,
} from '../../support/coordination/caller.ts'
import { eventually } from '../../support/eventually.ts'
import { atRest, memoryInUse, openFiles, tellsMemory } from '../../support/mcp/memory-in-use.ts'
import { isLong } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: 180_000 })

/** How long something may take that takes no time on a machine at rest. */
const patienceMs = 60_000

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

const rounded = (numbers: Record<string, number>) =>
  Object.entries(numbers)
    .map(([name, number]) => `${name} ${number.toFixed(0)}`)
    .join(', ')

/** Waits until the server has no more open than these. */
const allAreClosed = (server: TestServer, files: number) =>
  eventually('all connections are closed', () => openFiles(server.pid) <= files, patienceMs)

/** Registers agents, 50 at once, and gives their ids. */
async function registerAgents({ url }: TestServer, caller: Caller, count: number) {
  const names = upTo(count).map((index) => `agent ${index}`)
  const ids: string[] = []
  while (ids.length < count) {
    const some = names.slice(ids.length, ids.length + 50)
    const answers = some.map((name) => caller.call(url, 'register', { name, role: 'tester' }))
    ids.push(...(await Promise.all(answers)).map(agentIdOf))
  }
  return ids
}

async function readAll({ url }: TestServer, caller: Caller, agent_id: string): Promise<Message[]> {
  const read: Message[] = []
  for (;;) {
    const cursor = { agent_id, after_id: read.at(-1)?.id ?? 0, limit: 500 }
    const answer = await caller.call(url, 'read_messages', cursor)
    read.push(...messagesOf(answer))
    if (answer.has_more !== true) return read
  }
}

describe('50 agents who send 100 messages each at once', () => {
  const agents = 50
  const each = 100
  const goalMs = 250

  interface Sent extends Message {
    ms: number
  }

  async function sendMany({ url }: TestServer, caller: Caller, sender_id: string): Promise<Sent[]> {
    const sent: Sent[] = []
    for (let count = 0; count < each; count++) {
      const body = `${sender_id} ${count}`
      const from = performance.now()
      const args = { agent_id: sender_id, subject: 'load', body }
      const id = messageIdOf(await caller.call(url, 'send_message', args))
      sent.push({ id, sender_id, body, ms: performance.now() - from })
    }
    return sent
  }

  /** Checks that all has arrived, and gives how long each send took, the shortest first. */
  async function sendAll(): Promise<number[]> {
    const server = await TestServer.start()
    const caller = new Caller()
    const senders = await registerAgents(server, caller, agents)
    const sent = await Promise.all(senders.map((sender) => sendMany(server, caller, sender)))
    const stored = await readAll(server, caller, senders[0] ?? '')
    expect(stored.map(({ id }) => id)).toEqual(upTo(agents * each).map((index) => index + 1))
    for (const some of sent) {
      const [{ sender_id } = { sender_id: '' }] = some
      expect(stored.filter((message) => message.sender_id === sender_id)).toEqual(
        some.map(({ ms: _, ...message }) => message),
      )
    }
    return sent.flatMap((some) => some.map(({ ms }) => ms)).sort((a, b) => a - b)
  }

  it('find all 5,000 there, in order and under ids without gaps, and soon acknowledged', async () => {
    // Another test may hold the machine up: of three runs, one must show what the server can do.
    for (let attempt = 1; ; attempt++) {
      const times = await sendAll()
      const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0
      const told = [50, 90, 99, 100].map((share) => `p${share} ${at(share / 100).toFixed(0)} ms`)
      console.log(`${times.length} sends, ${agents} at once: ${told.join(', ')}`)
      const allowed = Math.max(goalMs, 6 * at(0.5))
      if (at(0.99) <= allowed) return
      if (attempt === 3) expect(at(0.99)).toBeLessThanOrEqual(allowed)
    }
  })
})

describe.skipIf(!existsSync('/proc/self/status'))('1,000 clients that wait for messages', () => {
  const clients = 1_000
  /** For what a server remembers and compiles as it works; those who wait need several times that. */
  const roomMiB = 8

  /** Each agent has several clients. */
  const oneForEachClient = (agents: string[]) =>
    upTo(clients).map((index) => agents[index % agents.length] ?? '')

  /** One client for each id, on a connection of its own; all wait when this resolves. */
  async function startWaiting(
    server: TestServer,
    ids: string[],
    cursor: object,
    leave?: AbortSignal,
  ) {
    const caller = new Caller({ reuse: false })
    const args = { wait_seconds: 50, ...cursor }
    const answers = ids.map((agent_id) =>
      caller.call(server.url, 'read_messages', { agent_id, ...args }, leave),
    )
    for (const answer of answers) answer.catch(() => {}) // a client that goes gets none
    await eventually('all are heard', () => caller.heard === ids.length, patienceMs)
    await atRest(server)
    return { answers }
  }

  function leaving(): AbortController {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    return controller
  }

  it('are all answered, and need little more memory than an idle server', async () => {
    const server = await TestServer.start({ env: tellsMemory })
    const caller = new Caller()
    const agents = await registerAgents(server, caller, 100)
    const ids = oneForEachClient(agents)
    const [agent_id = ''] = agents
    const idle = await memoryInUse(server)
    const files = openFiles(server.pid)
    console.log(`MiB idle: ${rounded(idle)}`)
    for (let round = 0; round < 3; round++) {
      const { answers } = await startWaiting(server, ids, { after_id: round })
      const waiting = await memoryInUse(server)
      const from = performance.now()
      const message = { agent_id, subject: 'news', body: `round ${round}` }
      const id = messageIdOf(await caller.call(server.url, 'send_message', message))
      const acknowledged = performance.now() - from
      const received = (await Promise.all(answers)).map(messagesOf)
      const answered = performance.now() - from
      expect(received).toEqual(ids.map(() => [{ id, sender_id: agent_id, body: message.body }]))
      console.log(
        `MiB with ${clients} waiting: ${rounded(waiting)}; ms: ${rounded({ acknowledged, answered })}`,
      )
      expect(waiting.rss).toBeLessThanOrEqual(2 * idle.rss)
      expect(waiting.used).toBeGreaterThan(idle.used + roomMiB) // so the measure sees them
    }
    const after = await memoryInUse(server)
    console.log(`MiB after: ${rounded(after)}`)
    expect(after.used).toBeLessThan(idle.used + roomMiB)
    await allAreClosed(server, files)
  })

  it('leave nothing behind when they go, and only agents that still wait stay alive', async () => {
    const env = { ...tellsMemory, AGENTMAIL_STALE_SECONDS: '20', AGENTMAIL_SWEEP_SECONDS: '1' }
    const server = await TestServer.start({ env })
    const registered = () => registerAgents(server, new Caller({ reuse: false }), 100)
    await registered()
    const idle = await memoryInUse(server)
    const files = openFiles(server.pid)
    const rounds = isLong ? 5 : 1
    for (let round = 0; round < rounds; round++) {
      const ids = oneForEachClient(await registered()) // those before may be stale by now
      const leave = leaving()
      await startWaiting(server, ids, { channel: 'silent' }, leave.signal)
      expect(openFiles(server.pid)).toBeGreaterThanOrEqual(files + clients)
      leave.abort()
      await allAreClosed(server, files)
    }
    const after = await memoryInUse(server)
    console.log(`MiB idle: ${rounded(idle)}; after ${rounds * clients} went: ${rounded(after)}`)
    expect(after.used).toBeLessThan(idle.used + roomMiB)

    // Others than those above, who may be stale by now: to look at the memory takes its time.
    const leave = leaving()
    const caller = new Caller()
    const staying = await registerAgents(server, caller, 50)
    const kept = await startWaiting(server, staying, { channel: 'silent' })
    const going = await registerAgents(server, caller, 50)
    await startWaiting(server, going, {}, leave.signal)
    leave.abort()
    const known = new Set([...staying, ...going])
    const swept = await eventually(
      'half of the agents went stale',
      async () => {
        const notices = await readAll(server, caller, staying[0] ?? '')
        const ids = notices.map(({ sender_id }) => sender_id).filter((id) => known.has(id))
        return ids.length >= going.length && ids
      },
      patienceMs,
    )
    expect(swept.sort()).toEqual(going.sort())
    await server.stop()
    expect((await Promise.all(kept.answers)).map(messagesOf)).toEqual(staying.map(() => []))
  })
})

describe.skipIf(!existsSync('/proc/self/status'))('1,000 open streams of events', () => {
  const streams = 1_000

  it('are served, and gone when their clients are', async () => {
    const server = await TestServer.start({ env: tellsMemory })
    await server.register('a')
    const idle = await memoryInUse(server)
    const files = openFiles(server.pid)
    const agent = new Agent()
    onTestFinished(() => agent.destroy())
    const endpoints = upTo(streams).map(
      () =>
        new Promise<string>((resolve, reject) => {
          const request = get(`${server.url}/sse`, { agent }, (response) => {
            response.once('data', (chunk) => resolve(String(chunk)))
            response.on('error', () => {}) // closed below
          })
          request.on('error', reject)
        }),
    )
    expect(new Set(await Promise.all(endpoints)).size).toBe(streams)
    const open = await memoryInUse(server)
    agent.destroy()
    await allAreClosed(server, files)
    const after = await memoryInUse(server)
    const kib = (MiB: number) => `${((MiB * 1024) / streams).toFixed(0)} KiB`
    console.log(
      `a stream costs ${kib(open.used - idle.used)}, in the whole process ${kib(open.rss - idle.rss)};`,
      `MiB idle: ${rounded(idle)}, open: ${rounded(open)}, after: ${rounded(after)}`,
    )
    expect(await server.register('b')).toBeTruthy()
  })
})
