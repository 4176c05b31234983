/** How long a server that failed is left alone: longer with each failure in a row. */

const maxFactor = 10

export class CoolDown {
  readonly #ms: number
  #failures = 0
  #until = 0
  #why = ''
  #told = new Set<string>()

  constructor(ms: number) {
    this.#ms = ms
  }

  get isOn(): boolean {
    return performance.now() < this.#until
  }

  get message(): string {
    const seconds = Math.ceil((this.#until - performance.now()) / 1000)
    return `it is not asked for another ${seconds} s, since ${this.#why}`
  }

  begin(why: string): void {
    this.#until = performance.now() + this.#ms * Math.min(2 ** this.#failures, maxFactor)
    this.#failures++
    this.#why = why
    this.#told.clear()
  }

  end(): void {
    this.#failures = 0
    this.#until = 0
  }

  /** Whether this is to be told: during a cool-down, once. */
  isNews(what: string): boolean {
    if (!this.isOn) return true
    const isNew = !this.#told.has(what)
    this.#told.add(what)
    return isNew
  }
}
