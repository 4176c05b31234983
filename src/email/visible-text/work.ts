/** How much may be done for one mail: a hostile one must not take long. */

export class Work {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
  }

  /** Then nothing more is shown, since nobody could say whether it is hidden. */
  get isSpent(): boolean {
    return this.#left <= 0
  }
}
