/** A user who is told of what needs them: processes of the binary that tell, and who posts for them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Env, Ran } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { Clerk } from '../orchestrator/clerk.ts'
import { Receiver } from './receiver.ts'

export class ToldHome extends Clerk {
  readonly receiver: Receiver

  private constructor(receiver: Receiver) {
    super()
    this.receiver = receiver
    // Before the folder goes, so that nobody is left behind who waits for a receiver that is gone.
    onTestFinished(() => {
      for (const pid of this.posters()) kill(pid)
    })
  }

  static async start(): Promise<ToldHome> {
    return new ToldHome(await Receiver.start())
  }

  override get env(): Env {
    return { ...super.env, AGENTMAIL_SEND_POLICY: 'approve', AGENTMAIL_NOTIFY: this.receiver.url }
  }

  /** Which becomes a draft. */
  send(subject: string, env: Env = {}, key?: string): Promise<Ran> {
    const words = ['--to', 'jane@example.com', '--subject', subject, '--body', 'confidential']
    return this.run(['mail', 'send', ...words, ...(key ? ['--key', key] : [])], env)
  }

  /** The folders of what waits, one for each address. */
  spools(): string[] {
    const folder = join(this.folder, 'state/agentmail/notices')
    return readdirSync(folder).map((name) => join(folder, name))
  }

  read(name: string): string {
    return this.spools()
      .map((folder) => readFileSync(join(folder, name), 'utf8'))
      .join('')
  }

  /** The processes that posted last. */
  posters(): number[] {
    try {
      return [...this.read('poster').matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid))
    } catch {
      return []
    }
  }

  /** Nothing waits, and nobody posts any more. */
  drained(): Promise<boolean> {
    return eventually('all is posted and the poster is gone', () => {
      return this.read('waiting.jsonl') === '' && this.posters().every((pid) => !isAlive(pid))
    })
  }

  came(count: number): Promise<boolean> {
    return eventually(`${count} posts`, () => this.receiver.came.length >= count)
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {} // it has ended by itself
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that nobody has waited for yet is dead all the same.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
