/** `agentmail orchestrate` while it runs: its lines as they come, and how it ends. */
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { ended, type Ran, type RunOptions, start } from '../agentmail.ts'
import { eventually } from '../eventually.ts'

export class RunningOrchestrator {
  readonly lines: string[] = []
  readonly ended: Promise<Ran>
  readonly #child

  constructor(options: RunOptions, flags: string[]) {
    this.#child = start(['orchestrate', ...flags], options)
    this.#child.stdin.end()
    createInterface(this.#child.stdout).on('line', (line) => this.lines.push(line))
    this.ended = ended(this.#child)
    onTestFinished(() => this.kill('SIGKILL').then(() => undefined))
  }

  /** Waits for lines with this text in them; `count` in all. */
  async line(part: string, count = 1): Promise<string> {
    const found = () => this.lines.filter((line) => line.includes(part)).at(count - 1)
    const what = `${count} lines with ${part}`
    return eventually(what, found, 40_000).catch((error) => {
      throw new Error(`${error.message}, but:\n${this.lines.slice(-10).join('\n')}`)
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ran> {
    this.signal(signal)
    return this.ended
  }
}
