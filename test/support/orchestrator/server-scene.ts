/** A client of MCP servers on a stand-in server, and what can be seen of both from outside. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { AgentMailError } from '../../../src/errors.ts'
import { logTrouble } from '../../../src/orchestrator/servers/fallback-log.ts'
import {
  type CallOptions,
  McpClient,
  type McpClientOptions,
} from '../../../src/orchestrator/servers/mcp-client.ts'
import { ServerProcess } from '../../../src/orchestrator/servers/server-process.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { worker } from '../agentmail.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { TestVault } from '../vault/vault.ts'

export const schema = z.object({ name: z.string(), count: z.number() })
export type Value = z.infer<typeof schema>
export const value: Value = { name: 'Ada', count: 1 }
export const instead: Value = { name: 'fallback', count: 0 }
export const secret = 'hunter2-is-secret'

interface Line {
  event: string
  timestamp: string
  tool: string
  message: string
}

/** Many of these tests wait most of the time, so they run beside each other and end together. */
const ends: (() => unknown)[] = []
export const atEnd = (end: () => unknown) => ends.unshift(end)

/** For the end of the tests of a file. */
export const endScenes = () => Promise.all(ends.splice(0).map((end) => end()))

export const processOf =
  (command: string[], env: Record<string, string> = {}) =>
  () =>
    new ServerProcess({ command, env })

/** A client on a stand-in server, and what can be seen of both from outside. */
export class Scene {
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
      start: processOf([process.execPath, worker('stand-in-server'), start, this.#starts], {
        GIVEN: 'x',
      }),
      timeoutMs: 10_000,
      coolDownMs: 60_000,
      secrets: [secret],
      onTrouble: (event, trouble) => {
        logTrouble(new Vault(this.vault.root), event, trouble)
        this.troubles.push({ event, ...trouble })
      },
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
export const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

export const failure = (call: Promise<unknown>): Promise<AgentMailError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => (AgentMailError.is(error) ? error : Promise.reject(error)),
  )
