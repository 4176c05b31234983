/** Hooks of many agents at once: none is lost, none holds up its client for long, and the server does not grow. */
import { existsSync } from 'node:fs'
import { Agent } from 'node:http'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { inputIn } from '../../support/hooks/hook-inputs.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { memory } from '../../support/mcp/memory-in-use.ts'
import { isLong } from '../../support/parts.ts'
import { ask } from '../../support/server/http.ts'
import { TestServer } from '../../support/server/server.ts'

const json = { 'content-type': 'application/json' }

vi.setConfig({ testTimeout: 600_000 })

const agents = 20
const each = isLong ? 500 : 100
/** Not about time: on a busy machine every hook would be late. */
const patient = { AGENTMAIL_HOOK_MS: '60000' }

/** A turn of an agent that edits a file of its own. */
const turn = [
  ...['claude-UserPromptSubmit', 'claude-PreToolUse-write', 'claude-PostToolUse-write'],
  ...['claude-PreToolUse-bash', 'claude-PostToolUse-bash', 'claude-Stop-again'],
]

const middle = (numbers: number[]): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

describe.skipIf(!existsSync('/proc/self/status'))(`${agents} agents with hooks`, () => {
  it(`that each ask ${each} times at once are all answered, in bounded memory`, async () => {
    const server = await TestServer.start({ env: patient })
    const folder = repository()
    const pool = new Agent({ keepAlive: true, maxSockets: agents })
    onTestFinished(() => pool.destroy())
    const post = async (name: string, session: string) => {
      const body = inputIn(folder, name, session).replaceAll('b.txt', `${session}.txt`)
      const since = performance.now()
      const reply = await ask(server.url, {
        method: 'POST',
        path: '/hooks/claude',
        body,
        headers: json,
        agent: pool,
      })
      expect({ name, status: reply.status }).toEqual({ name, status: 200 })
      return { ms: performance.now() - since, answer: JSON.parse(reply.text) }
    }
    const work = async (session: string, calls: number) => {
      const took: number[] = []
      for (let call = 0; call < calls; call++) {
        const name = turn[call % turn.length] ?? ''
        const { ms, answer } = await post(name, session)
        if (name.endsWith('write')) expect(answer).toEqual({}) // nobody else edits its file
        took.push(ms)
      }
      return took
    }
    const sessions = Array.from({ length: agents }, (_, index) => `session-${index}`)
    for (const session of sessions) await post('claude-SessionStart-startup', session)
    const alone = await work('session-0', 60)
    await Promise.all(sessions.map((session) => work(session, 20)))
    const { now: before } = memory(server.pid)
    const took = (await Promise.all(sessions.map((session) => work(session, each)))).flat()
    expect(took).toHaveLength(agents * each)
    const longest = Math.max(...took)
    console.log(
      `${took.length} hooks: middle ${middle(took).toFixed(1)} ms, longest ${longest.toFixed(0)} ms; alone ${middle(alone).toFixed(1)} ms`,
    )
    // Each of twenty waits for the others: what is much more is a queue that grows.
    expect(middle(took) / middle(alone)).toBeLessThan(agents * 4)
    expect(memory(server.pid).now - before).toBeLessThan(150)
  })

  it('whose database hangs go on in time, and the server is there for others', async () => {
    const server = await TestServer.start({ env: { AGENTMAIL_HOOK_MS: '300' } })
    const folder = repository()
    const input = (session: string) => inputIn(folder, 'claude-PreToolUse-write', session)
    const other = new DatabaseSync(server.database)
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const asked = Array.from({ length: 50 }, (_, index) =>
      ask(server.url, {
        ...{ method: 'POST', path: '/hooks/claude', headers: json },
        body: input(`s${index}`),
      }),
    )
    for (const reply of await Promise.all(asked)) {
      expect(reply).toMatchObject({ status: 200, text: '{}' })
    }
    expect((await ask(server.url, { path: '/health' })).status).toBe(200)
    other.exec('ROLLBACK')
  })
})
