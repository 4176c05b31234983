/** Processes at a vault: its server, with safeguards off if asked, and workers that do many things at once. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { type Env, ended, startWorker } from '../agentmail.ts'
import { loading } from '../loading.ts'
import { LineClient } from '../mcp/line-client.ts'
import { errorSchema, type ToolError } from '../mcp/tool-client.ts'
import type { TestVault } from './vault.ts'

const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ text: z.string() })]),
})

/** `agentmail mcp obsidian`, spoken to in lines, so that it can be killed in the midst of them. */
export class VaultServer {
  readonly client: LineClient

  private constructor(client: LineClient) {
    this.client = client
  }

  static async open(vault: TestVault, env: Env = {}): Promise<VaultServer> {
    const args = ['mcp', 'obsidian']
    return new VaultServer(await LineClient.open({ args, env: { ...vault.env, ...env } }))
  }

  get pid(): number {
    return this.client.pid
  }

  /** The answer of a tool, or its error; rejected if the server ends first. */
  async call(name: string, args: object): Promise<{ value: unknown; error?: ToolError }> {
    const { result } = await this.client.call(name, args)
    const { isError, content } = resultSchema.parse(result)
    const value: unknown = JSON.parse(content[0].text)
    return isError ? { value: undefined, error: errorSchema.parse(value) } : { value }
  }

  async kill(): Promise<void> {
    this.client.child.kill('SIGKILL')
    const { signal, stderr } = await this.client.ended
    if (signal !== 'SIGKILL') throw new Error(`the server ended before it was killed: ${stderr}`)
  }
}

const wordSchema = z.object({
  id: z.int(),
  value: z.record(z.string(), z.unknown()).optional(),
  code: z.string().optional(),
})
type Word = z.infer<typeof wordSchema>

/** What is switched off in a control run. */
export type Fault = 'no lock' | 'over others'

/** A process that does everything it is told at once. */
export class VaultWorker {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (word: Word) => void>()
  readonly #failed: Promise<never>
  #lastId = 0

  constructor(vault: TestVault, fault?: Fault) {
    const args = [vault.root, ...(fault ? [fault] : [])]
    const careless = loading(['careless-files'], { CARELESS: 'over others' })
    this.#child = startWorker('vault', args, fault === 'over others' ? careless : {})
    this.#failed = ended(this.#child).then(({ stderr }) => {
      throw new Error(`a worker ended: ${stderr}`)
    })
    this.#failed.catch(() => {}) // told to who waits for an answer
    createInterface(this.#child.stdout).on('line', (line) => {
      const word = wordSchema.parse(JSON.parse(line))
      this.#waiting.get(word.id)?.(word)
    })
    onTestFinished(() => {
      this.#child.kill('SIGKILL')
    })
  }

  do(task: 'write' | 'overwrite' | 'append' | 'move', args: object): Promise<Word> {
    const id = ++this.#lastId
    const done = new Promise<Word>((resolve) => this.#waiting.set(id, resolve))
    this.#child.stdin.write(`${JSON.stringify({ task, id, ...args })}\n`)
    return Promise.race([done, this.#failed])
  }
}
