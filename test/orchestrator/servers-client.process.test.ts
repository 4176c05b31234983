/** The client of MCP servers, on servers that die, hang, flood and answer nonsense. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AgentMailError } from '../../src/errors.ts'
import { FallbackLog } from '../../src/orchestrator/servers/fallback-log.ts'
import {
  type CallOptions,
  McpClient,
  type McpClientOptions,
} from '../../src/orchestrator/servers/mcp-client.ts'
import { Vault } from '../../src/vault/vault.ts'
import { binary, worker } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TestVault } from '../support/vault/vault.ts'

const schema = z.object({ name: z.string(), count: z.number() })
type Value = z.infer<typeof schema>
const value: Value = { name: 'Ada', count: 1 }
const instead: Value = { name: 'fallback', count: 0 }
const secret = 'hunter2-is-secret'

interface Line {
  event: string
  timestamp: string
  tool: string
  message: string
}

/** Many of these tests wait most of the time, so they run beside each other and end together. */
const ends: (() => unknown)[] = []
const atEnd = (end: () => unknown) => ends.unshift(end)
afterAll(() => Promise.all(ends.map((end) => end())))

/** A client on a stand-in server, and what can be seen of both from outside. */
class Scene {
  readonly vault: TestVault
  readonly client: McpClient
  readonly troubles: object[] = []
  readonly #starts: string

  constructor(start: string, options: Partial<McpClientOptions> = {}) {
    const folder = temporaryFolder(atEnd)
    this.vault = new TestVault(folder)
    this.#starts = join(folder, 'starts')
    this.client = new McpClient({
      name: 'obsidian',
      command: [process.execPath, worker('stand-in-server'), start, this.#starts],
      env: { GIVEN: 'x' },
      timeoutMs: 10_000,
      coolDownMs: 60_000,
      log: new FallbackLog(new Vault(this.vault.root)),
      secrets: [secret],
      onTrouble: (trouble) => this.troubles.push(trouble),
      ...options,
    })
    atEnd(() => this.client.close())
  }

  read(tool: string, args = {}, how: Partial<CallOptions<Value>> = {}): Promise<Value> {
    return this.client.call(tool, args, { schema, isSafe: true, ...how })
  }

  write(tool: string, args = {}, how: Partial<CallOptions<Value>> = {}): Promise<Value> {
    return this.client.call(tool, args, { schema, isSafe: false, ...how })
  }

  withFallback(tool: string, how: Partial<CallOptions<Value>> = {}): Promise<Value> {
    return this.write(tool, {}, { fallback: async () => instead, ...how })
  }

  /** Every process that was started, oldest first. */
  get pids(): number[] {
    return existsSync(this.#starts)
      ? readFileSync(this.#starts, 'utf8').trim().split('\n').map(Number)
      : []
  }

  get timesListed(): number {
    return readFileSync(`${this.#starts}.lists`, 'utf8').length
  }

  get log(): string {
    return join(this.vault.root, `Logs/mcp_fallback_${new Date().toISOString().slice(0, 10)}.jsonl`)
  }

  lines(): Line[] {
    if (!existsSync(this.log)) return []
    return readFileSync(this.log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  events(): string[] {
    return this.lines().map(({ event, tool }) => `${event} ${tool}`)
  }
}

/** One that is dead but not yet taken notice of by its parent is not alive. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

const failure = (call: Promise<unknown>): Promise<AgentMailError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => (AgentMailError.is(error) ? error : Promise.reject(error)),
  )

describe('an answer', () => {
  const scene = new Scene('good')

  it.each(['good', 'text_only', 'second_text', 'slow', 'garbage', 'noise'])(
    'is read from %s',
    async (tool) => {
      expect(await scene.read(tool)).toEqual(value)
    },
  )

  it('comes from a server that knows no more of the environment than it was given', async () => {
    expect((await scene.read('env')).name).toBe('GIVEN')
  })

  it('and a question may have many megabytes', async () => {
    expect((await scene.read('big')).name).toHaveLength(9 << 20)
    expect((await scene.write('measure', { body: 'x'.repeat(20 << 20) })).count).toBe(20 << 20)
  })

  it.each(['wrong_shape', 'no_json', 'no_result', 'rpc_error'])(
    'that is %s is a failed call',
    async (tool) => {
      const before = scene.lines().length
      expect(await scene.withFallback(tool)).toEqual(instead)
      expect(scene.lines().slice(before)).toEqual([
        {
          event: 'mcp_fallback',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          server: 'obsidian',
          tool,
          error: 'mcp_unavailable',
          message: expect.not.stringContaining('private words'),
          severity: 'WARNING',
        },
      ])
      const error = await failure(scene.write(tool))
      expect(error.code).toBe('mcp_unavailable')
      expect(error.details).toEqual({ server: 'obsidian', tool, may_have_run: true })
      expect(scene.lines().slice(before + 1)).toEqual([
        expect.objectContaining({ event: 'mcp_escalation', tool, severity: 'ERROR' }),
      ])
    },
  )

  it.each([
    ['not_found', 'not_found'],
    ['rate_limited', 'rate_limited'],
    ['internal_error', 'internal'],
    ['toString', 'internal'],
  ])('that is the error %s of the tool itself gets no fallback', async (code, expected) => {
    const before = scene.lines().length
    const error = await failure(
      scene.read('error_json', { code }, { fallback: async () => instead }),
    )
    expect(error.code).toBe(expected)
    expect(error.message).toBe('it said: ******** and more')
    expect(error.details).toEqual({ path: 'a.md', hint: ['********'], tool_error: code })
    expect(scene.lines()).toHaveLength(before)
  })

  it('that is an error in plain text, or none at all, is told as internal', async () => {
    expect(await failure(scene.read('error_text'))).toMatchObject({
      code: 'internal',
      message: 'broken: ********',
    })
    expect(await failure(scene.read('error_empty'))).toMatchObject({
      code: 'internal',
      message: expect.stringContaining('error_empty'),
    })
  })

  it('tells which arguments a tool takes, from all pages and asked once', async () => {
    const asked = [
      ['good', 'first'],
      ['last', 'if_match'],
      ['good', 'if_match'],
      ['bare', 'x'],
      ['none', 'x'],
    ] as const
    const taken = await Promise.all(asked.map(([tool, name]) => scene.client.takes(tool, name)))
    expect(taken).toEqual([true, true, false, false, false])
    expect(scene.timesListed).toBe(2)
  })

  it('came from one process through all of this', () => {
    expect(scene.pids).toHaveLength(1)
  })
})

describe.concurrent('a server that dies', () => {
  it('is started again for a read, and answers it', async () => {
    const scene = new Scene('good')
    expect(await scene.read('die_first')).toEqual(value)
    expect(scene.pids).toHaveLength(2)
    expect(scene.lines()).toEqual([])
  })

  it('or only stops to talk is ended, and started again for a read', async () => {
    const scene = new Scene('stubborn')
    expect(await scene.read('close_first')).toEqual(value)
    expect(scene.pids.map(isAlive)).toEqual([false, true])
  })

  it('is not asked to write twice', async () => {
    const scene = new Scene('good')
    expect((await failure(scene.write('die_first'))).details).toMatchObject({ may_have_run: true })
    expect(scene.pids).toHaveLength(1)
    expect(await scene.write('die_first'), 'control').toEqual(value)
  })

  it('gives each of the calls that were under way an answer or its fallback', async () => {
    const scene = new Scene('good')
    const under = Array.from({ length: 20 }, (_, i) =>
      i === 10
        ? scene.withFallback('die')
        : i % 2
          ? scene.withFallback('slow')
          : scene.read('slow'),
    )
    const answers = await Promise.all(under)
    expect(answers.filter((_, i) => i % 2 === 0 && i !== 10)).toEqual(Array(9).fill(value))
    expect(answers.filter((_, i) => i % 2 === 1 || i === 10)).toEqual(Array(11).fill(instead))
    expect(scene.pids).toHaveLength(2)
    expect(scene.lines()).toHaveLength(11)
  })

  it('between two calls is not missed', async () => {
    const scene = new Scene('good')
    process.kill((await scene.write('pid')).count, 'SIGKILL')
    await eventually('it is gone', () => !isAlive(scene.pids[0] ?? 0))
    await eventually('a write is answered', () => scene.write('good').catch(() => undefined))
    expect(scene.pids).toHaveLength(2)
  })

  it.each([
    ['dies', ''],
    ['tattles', 'no account for token ********'],
  ])('when it is started (%s) is left alone, and tells its last line', async (start, told) => {
    const scene = new Scene(start)
    const error = await failure(scene.write('good'))
    expect(error.details).toMatchObject({ may_have_run: false })
    expect(error.message).toContain(told)
    expect(error.message).not.toContain('starting')
    for (let i = 0; i < 3; i++) await failure(scene.write('good'))
    for (let i = 0; i < 3; i++) expect(await scene.withFallback('good')).toEqual(instead)
    await failure(scene.client.takes('good', 'first'))
    expect(scene.pids).toHaveLength(1)
    expect(scene.events()).toEqual(['mcp_escalation good', 'mcp_fallback good'])
    expect(scene.troubles).toEqual([
      { server: 'obsidian', tool: 'good', message: scene.lines()[0]?.message, isEscalated: true },
      expect.objectContaining({ isEscalated: false }),
    ])
    expect(JSON.stringify(scene.lines())).not.toContain(secret)
  })

  it('or is not there at all is told', async () => {
    const scene = new Scene('good', { command: ['/nowhere/server'] })
    expect((await failure(scene.write('good'))).message).toContain('ENOENT')
    expect(await scene.withFallback('good')).toEqual(instead)
  })

  it('is tried again after its rest, and then rests longer', async () => {
    const scene = new Scene('dies', { coolDownMs: 100 })
    await failure(scene.read('good'))
    await eventually('it is started four times', async () => {
      await failure(scene.read('good'))
      return scene.pids.length === 4
    })
    const rests = scene.lines().map(({ timestamp }) => Date.parse(timestamp))
    expect((rests[3] ?? 0) - (rests[2] ?? 0)).toBeGreaterThanOrEqual(390)
  })
})

describe.concurrent('a server that hangs', () => {
  const timeoutMs = 1500

  it('is given a moment for a gentle call, and is gone after it', async () => {
    const scene = new Scene('stubborn', { timeoutMs, coolDownMs: 0 })
    await scene.read('good')
    const error = await failure(scene.write('hang', {}, { isGentle: true }))
    expect(error.details).toMatchObject({ may_have_run: true })
    expect(scene.pids.map(isAlive).at(-1)).toBe(true)
    const closing = performance.now()
    await scene.client.close()
    expect(performance.now() - closing).toBeLessThan(6000)
    expect(scene.pids.map(isAlive)).not.toContain(true)
  })

  it.each([
    ['hangs', 'good'],
    ['good', 'hang'],
    ['stubborn', 'hang'],
    ['wrapped', 'hang'],
    ['good', 'spin'],
    ['good', 'flood'],
    ['good', 'progress'],
  ])('(%s, %s) is gone before the fallback runs', async (start, tool) => {
    const scene = new Scene(start, { timeoutMs })
    const alive: boolean[] = []
    const fallback = async () => {
      alive.push(...scene.pids.map(isAlive))
      return instead
    }
    expect(await scene.withFallback(tool, { fallback, isSafe: true })).toEqual(instead)
    expect(alive).toEqual(Array(start === 'wrapped' ? 2 : 1).fill(false))
    expect(scene.events()).toEqual([`mcp_fallback ${tool}`])
    expect(scene.lines()[0]?.message).toMatch(/^it did not (answer|start) within [\d.]+ s$/)
    expect(await scene.withFallback('good')).toEqual(instead)
    expect(scene.pids).toHaveLength(alive.length)
  })

  it('with a line that has no end is gone too', async () => {
    const scene = new Scene('good')
    expect(await scene.withFallback('endless_line')).toEqual(instead)
    expect(scene.pids.map(isAlive)).toEqual([false])
  })

  it('is started anew after its rest', async () => {
    const scene = new Scene('good', { timeoutMs, coolDownMs: 0 })
    await failure(scene.write('hang'))
    expect(await scene.read('good')).toEqual(value)
    expect(scene.pids.map(isAlive)).toEqual([false, true])
  })
})

describe.concurrent('a fallback', () => {
  it.each([
    ['not_found', 'not_found', []],
    ['conflict', 'conflict', []],
    ['storage', 'mcp_unavailable', ['mcp_escalation good']],
  ] as const)('that fails with %s ends as %s', async (code, expected, escalated) => {
    const scene = new Scene('dies')
    const fallback = async () => {
      throw new AgentMailError(code, 'words of the fallback')
    }
    const error = await failure(scene.withFallback('good', { fallback }))
    expect(error.code).toBe(expected)
    expect(error.message).toContain('words of the fallback')
    expect(scene.events()).toEqual(['mcp_fallback good', ...escalated])
  })

  it('runs although the log cannot be written', async () => {
    const scene = new Scene('dies')
    writeFileSync(join(scene.vault.root, 'Logs'), 'in the way')
    expect(await scene.withFallback('good')).toEqual(instead)
  })

  it('is logged for the owner alone', async () => {
    const scene = new Scene('dies')
    await scene.withFallback('good')
    expect(statSync(scene.log).mode & 0o777).toBe(0o600)
  })
})

describe.concurrent('a client', () => {
  it('that is closed has no process, fails its calls, and can be closed again', async () => {
    const scene = new Scene('stubborn')
    await scene.read('good')
    const under = failure(scene.withFallback('hang'))
    await Promise.all([scene.client.close(), scene.client.close()])
    expect(scene.pids.map(isAlive)).toEqual([false])
    expect(await under).toMatchObject({ code: 'mcp_unavailable', details: { may_have_run: true } })
    expect(await failure(scene.withFallback('good'))).toMatchObject({
      details: { may_have_run: false },
    })
    expect(scene.lines()).toEqual([])
    expect(scene.pids).toHaveLength(1)
  })

  it('that is closed while the server starts leaves none behind', async () => {
    const scene = new Scene('hangs')
    const under = failure(scene.read('good'))
    await eventually('it is started', () => scene.pids.length === 1)
    await scene.client.close()
    expect((await under).code).toBe('mcp_unavailable')
    expect(scene.pids.map(isAlive)).toEqual([false])
  })

  it('speaks with a server that knows the revision of 2026 only', async () => {
    const scene = new Scene('modern')
    expect(await scene.read('good')).toEqual(value)
    expect(await scene.client.takes('last', 'if_match')).toBe(true)
    expect(scene.pids.map(isAlive)).toEqual([false, true])
  })

  it("speaks with AgentMail's own server", async () => {
    const vault = new TestVault(temporaryFolder(atEnd))
    vault.put('a.md', '---\nstatus: new\n---\nHello\n')
    const scene = new Scene('good', {
      command: [process.execPath, binary, 'mcp', 'obsidian'],
      env: vault.env,
    })
    const note = z.object({ frontmatter: z.record(z.string(), z.unknown()), body: z.string() })
    const read = await scene.client.call(
      'read_note',
      { path: 'a.md' },
      { schema: note, isSafe: true },
    )
    expect(read).toEqual({ frontmatter: { status: 'new' }, body: 'Hello\n' })
    expect(await scene.client.takes('write_note', 'if_match')).toBe(true)
    expect(await failure(scene.read('read_note', { path: 'b.md' }))).toMatchObject({
      code: 'not_found',
      details: { tool_error: 'not_found' },
    })
  })
})
