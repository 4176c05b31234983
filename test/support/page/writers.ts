/** Agents that say something again and again, through servers that come and go: each message until it is acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { agentIdOf, Caller } from '../coordination/caller.ts'
import { upTo } from '../store/databases.ts'

export class Writers {
  /** How many messages were acknowledged. */
  acknowledged = 0
  readonly #url: string
  readonly #caller = new Caller()
  #isOver = false

  constructor(url: string) {
    this.#url = url
  }

  /** @param pauseMs of each between two messages. */
  async write(count: number, pauseMs = 20): Promise<void> {
    await Promise.all(upTo(count).map((number) => this.#writer(number, pauseMs)))
  }

  /** When it resolves, all is acknowledged that was sent. */
  end(): void {
    this.#isOver = true
  }

  async #writer(number: number, pauseMs: number): Promise<void> {
    const name = `writer ${number}`
    const agent_id = agentIdOf(await this.#call('register', { name, role: 'writer' }))
    for (let count = 1; !this.#isOver; count++) {
      const text = `${name} says ${count}`
      const letter = { agent_id, subject: text, body: text, idempotency_key: text }
      await this.#call('send_message', letter)
      this.acknowledged++
      await sleep(pauseMs)
    }
  }

  async #call(tool: string, args: object) {
    for (;;) {
      try {
        return await this.#caller.call(this.#url, tool, args)
      } catch {
        await sleep(20) // with its key it is stored once, however often it is sent
      }
    }
  }
}
