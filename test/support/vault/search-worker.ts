/** A process of its own that searches a vault. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { ended, worker } from '../agentmail.ts'
import { eventually } from '../eventually.ts'

export class SearchWorker {
  readonly #process: ChildProcessWithoutNullStreams
  #stdout = ''
  stderr = ''

  /** @param before a program that runs the rest of its line. */
  constructor(root: string, cache: string, before: string[] = []) {
    const [program = '', ...args] = [
      ...before,
      process.execPath,
      worker('vault-search'),
      ...[root, cache],
    ]
    this.#process = spawn(program, args)
    this.#process.stdout.on('data', (chunk) => {
      this.#stdout += chunk
    })
    this.#process.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    onTestFinished(() => this.kill())
  }

  /** Waits for a line. */
  async hears(line: string): Promise<void> {
    await eventually(`it says ${line}`, () => this.#stdout.split('\n').includes(line))
  }

  async find(query: string): Promise<string[]> {
    const before = this.#stdout.length
    this.#process.stdin.write(`${query}\n`)
    const answer = await eventually('it answers', () =>
      this.#stdout.indexOf('\n', before) === -1 ? undefined : this.#stdout.slice(before),
    )
    return JSON.parse(answer).sort()
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const end = ended(this.#process)
    this.#process.kill('SIGKILL')
    await end
  }
}
