/** What became of what somebody sent, as the command tells it: a state never goes back. */
import { expect } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../agentmail.ts'
import type { Where } from './busy.ts'

const states = ['queued', 'notified', 'read'] as const
type State = (typeof states)[number]

export const sentSchema = z.object({
  sent: z.array(
    z.object({ id: z.string(), to: z.string(), state: z.enum(states), text: z.string() }),
  ),
})
type Entry = z.infer<typeof sentSchema>['sent'][number]

export interface Receipt extends Entry {
  from: string
}

export class ReceiptWatch {
  readonly #where: Where
  readonly #names: string[]
  readonly #before = new Map<string, State>()
  #isOver = false

  constructor(where: Where, names: string[]) {
    this.#where = where
    this.#names = names
  }

  /** Everything that was sent by everybody, each message once. */
  async all(): Promise<Receipt[]> {
    const lists = await Promise.all(this.#names.map((name) => this.#of(name)))
    return lists.flat()
  }

  /** Looks again and again, until `stop`. */
  async watch(): Promise<void> {
    this.#isOver = false
    while (!this.#isOver) for (const name of this.#names) if (!this.#isOver) await this.#of(name)
  }

  stop(): void {
    this.#isOver = true
  }

  async #of(from: string): Promise<Receipt[]> {
    const { repository, env } = this.#where
    const { stdout, stderr } = await agentmail(['sent', '--json', '--limit', '500'], {
      cwd: repository,
      env: { ...env, AGENTMAIL_AGENT: from },
    })
    expect(stderr).toBe('')
    const { sent } = sentSchema.parse(JSON.parse(stdout))
    const texts = sent.map(({ text }) => text)
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]) // none twice
    for (const { state, text } of sent) {
      const before = this.#before.get(text) ?? 'queued'
      if (states.indexOf(state) < states.indexOf(before))
        expect.fail(`${text} was ${before} and is ${state}`)
      this.#before.set(text, state)
    }
    return sent.map((entry) => ({ ...entry, from }))
  }
}
