/** Days of a team by a clock that a test moves: agents come and go, claim, say, announce; and what it looked like at each moment. */
import type { Project } from '../../../src/coordination/coordination.ts'
import { timeText } from '../../../src/coordination/time.ts'
import { listOf, type Server, type TestClock, upTo } from '../store/databases.ts'

export const hourMs = 3600_000
export const dayMs = 24 * hourMs

const names = ['ann', 'bob', 'cleo', 'dan']
const files = upTo(6).map((n) => `src/${n}.ts`)

export class Story {
  readonly #server: Server
  readonly #clock: TestClock
  readonly #random: (below: number) => number
  /** Whoever is there, by name. */
  readonly #ids = new Map<string, string>()
  readonly #left = new Map<string, string>()
  /** Between what happened. */
  readonly moments: number[] = []

  constructor(server: Server, clock: TestClock, random: (below: number) => number) {
    this.#server = server
    this.#clock = clock
    this.#random = random
  }

  async goOn(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#step()
      this.#clock.pass(hourMs)
      this.moments.push(this.#clock.ms)
      this.#clock.pass(hourMs)
    }
  }

  /** Everybody goes home; who holds something stays. */
  async end(): Promise<void> {
    for (const id of this.#ids.values()) await this.#server.project.agents.leave(id)
    this.#ids.clear()
  }

  async #step(): Promise<void> {
    const { agents, messages, claims, changes } = this.#server.project
    const name = this.#pick(names)
    const agent_id = this.#ids.get(name)
    if (!agent_id) {
      const role = this.#pick(['coder', 'reviewer'])
      const known = this.#random(2) ? this.#left.get(name) : undefined
      this.#ids.set(name, (await agents.register({ name, role, agent_id: known })).agent_id)
      return
    }
    const some = upTo(1 + this.#random(3)).map(() => this.#pick(files))
    const acts = [
      () => claims.claim({ agent_id, files: some }),
      () => claims.release({ agent_id, files: some }),
      () => claims.release({ agent_id, files }),
      () => changes.announce({ agent_id, file_path: this.#pick(files), summary: 'better' }),
      () => this.#say(messages, agent_id, 'broadcast'),
      () => this.#say(messages, agent_id, `@${this.#pick(names)}`),
      () => agents.leave(agent_id),
    ]
    await this.#pick(acts)()
    // Whoever left while it held something has gone with the last of it.
    const { agents: there } = await agents.list()
    if (there.some((agent) => agent.agent_id === agent_id)) return
    this.#left.set(name, agent_id)
    this.#ids.delete(name)
  }

  #say(messages: Project['messages'], agent_id: string, channel: string) {
    return messages.send({ agent_id, channel, subject: 'hello', body: `at ${this.#clock.ms}` })
  }

  #pick<T>(list: readonly T[]): T {
    const picked = list[this.#random(list.length)]
    if (picked === undefined) throw new RangeError('There is nothing to pick')
    return picked
  }
}

/** What stood at a moment, and what came between it and the last one, as the journal tells it. */
export async function telling({ project }: Server, moments: number[]) {
  const last = timeText((moments.at(-1) ?? 0) * 1000)
  return Promise.all(
    moments.map(async (moment) => {
      const at = timeText(moment * 1000)
      const told = project.difference({ from: at, to: last })
      const after = project.history({ since: at, as_of: last })
      // What there was before is told by going back.
      const back = project.difference({ from: last, to: at })
      const entries = (await listOf(after)).map(({ commit: _, ...entry }) => entry)
      return { at, entries, told: await listOf(told), back: await listOf(back) }
    }),
  )
}
