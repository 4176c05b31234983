/** Hints that something changed: the first at once, and of what follows soon one more. */
import type { Hint } from '../shapes.ts'

/** What happens again and again is told no more often than this. */
const pauseMs = 250

export class WatchHints {
  readonly #tell: (hint: Hint) => void
  /** Those that were told a moment ago, and whether there is more to tell. */
  readonly #resting = new Map<string, { timer: NodeJS.Timeout; isDue: boolean }>()

  constructor(tell: (hint: Hint) => void) {
    this.#tell = tell
  }

  /** @param ms how long it rests afterwards. */
  give(hint: Hint, ms = pauseMs): void {
    const key = `${hint.about} ${hint.project ?? ''}`
    const resting = this.#resting.get(key)
    if (resting) {
      resting.isDue = true
      return
    }
    const timer = setTimeout(() => {
      const isDue = this.#resting.get(key)?.isDue
      this.#resting.delete(key)
      if (isDue) this.give(hint, ms)
    }, ms)
    timer.unref()
    this.#resting.set(key, { timer, isDue: false })
    this.#tell(hint)
  }

  close(): void {
    for (const { timer } of this.#resting.values()) clearTimeout(timer)
    this.#resting.clear()
  }
}
