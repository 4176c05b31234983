/** Who said `ready` while the mailman watched, and what their panes showed once that had settled. */
import { type Clock, sleep } from '../../system/clock.ts'
import type { Recipient } from '../recipient.ts'
import { lastKeyAt, screenOf } from '../tmux.ts'
import { isSame, type Screen } from './screen.ts'

export interface Settled {
  pane: string
  screen: Screen
}

/** So far apart are the two captures that must be equal. */
const settleMs = 1_000
/** Whoever has not settled after this long was not ready. */
const mostMs = 60_000

export class Readiness {
  readonly #clock: Clock
  readonly #onSettled: (agent: string, pane: string) => void
  /** What each agent said last. */
  readonly #said = new Map<string, string>()
  /** For whoever said `ready`: its settled screen, or why there is none. */
  readonly #settling = new Map<string, Promise<Settled | string>>()

  /** `known`: what was said before the mailman watched. */
  constructor(known: Recipient[], clock: Clock, onSettled: (agent: string, pane: string) => void) {
    this.#clock = clock
    this.#onSettled = onSettled
    for (const recipient of known) this.#said.set(recipient.name, sayingOf(recipient))
  }

  /** Looks for what was said anew. */
  observe(recipients: Recipient[], paneOf: (recipient: Recipient) => string | undefined): void {
    for (const recipient of recipients) {
      const { name, status } = recipient
      const saying = sayingOf(recipient)
      if (this.#said.get(name) === saying) continue
      this.#said.set(name, saying)
      this.#settling.delete(name)
      if (status !== 'ready') continue
      const pane = paneOf(recipient)
      const isStill = () => this.#said.get(name) === saying
      this.#settling.set(
        name,
        pane ? this.#settle(name, pane, isStill) : Promise.resolve('its pane is not known'),
      )
    }
  }

  /** What the agent's pane showed when it had settled, or why that is not known. */
  async settled(agent: string, patienceMs: number): Promise<Settled | string> {
    const settling = this.#settling.get(agent)
    if (!settling) return 'it has not said ready since the mailman was started'
    return Promise.race([settling, sleep(patienceMs).then(() => unsettled)])
  }

  async #settle(agent: string, pane: string, isStill: () => boolean): Promise<Settled | string> {
    const since = this.#clock.now()
    const deadline = performance.now() + mostMs
    let before = await screenOf(pane)
    while (before && isStill() && performance.now() < deadline) {
      await sleep(settleMs)
      const screen = await screenOf(pane)
      if (screen && isSame(before, screen)) {
        // What somebody has half typed by now would be taken for the empty prompt.
        if ((await lastKeyAt(pane)) > Math.floor(since / 1000)) return 'somebody types there'
        this.#onSettled(agent, pane)
        return { pane, screen }
      }
      before = screen
    }
    return unsettled
  }
}

const unsettled = 'its screen has not settled'

const sayingOf = ({ status, status_at }: Recipient): string => `${status} ${status_at}`
