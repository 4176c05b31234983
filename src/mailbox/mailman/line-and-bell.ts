/** The line in tmux that says who has mail, and the bell of their windows. */
import { lineMs, type Pane, ringBell, showLine } from '../tmux.ts'

export class LineAndBell {
  readonly #session: string
  /** Whom the line names, and since when. */
  readonly #onLine = new Map<string, number>()

  /** @param session whose people see every line */
  constructor(session: string) {
    this.#session = session
  }

  /** One line for all who were told of mail within the time that it is shown: a second line hides the first. */
  async ring(agent: string, panes: Pane[]): Promise<void> {
    const now = performance.now()
    this.#onLine.set(agent, now)
    for (const [name, at] of this.#onLine) if (now - at > lineMs) this.#onLine.delete(name)
    const windows = panes.filter((pane) => !pane.dead).map((pane) => [pane.windowId, pane] as const)
    for (const pane of new Map(windows).values()) ringBell(pane)
    const names = [...this.#onLine.keys()]
    const have = names.length === 1 ? 'has' : 'have'
    const sessions = new Set([this.#session, ...panes.map((pane) => pane.session)])
    for (const session of sessions)
      await showLine(session, `agentmail: ${names.join(', ')} ${have} mail`)
  }
}
