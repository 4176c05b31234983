/** A rest that somebody can end before its time. */

export class Wake {
  readonly #sleepers = new Set<() => void>()

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#sleepers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#sleepers.add(wake)
    })
  }

  wake(): void {
    for (const wake of [...this.#sleepers]) wake()
  }
}
