/** How far long work has come, on stderr: on a terminal one line that is rewritten, else a line every few seconds. */
import { isatty } from 'node:tty'
import { printError, rewriteLine } from './output.ts'
import { cutAt } from './table.ts'

const rewriteMs = 100
const repeatMs = 5000

export class ProgressLine {
  readonly #isSilent: boolean
  readonly #isTerminal = isatty(2)
  #next: number
  #isShown = false

  constructor(isSilent: boolean) {
    this.#isSilent = isSilent
    this.#next = performance.now() + (this.#isTerminal ? rewriteMs : repeatMs)
  }

  /** Shown if the last one was long enough ago. */
  tell(text: string): void {
    const now = performance.now()
    if (this.#isSilent || now < this.#next) return
    this.#next = now + (this.#isTerminal ? rewriteMs : repeatMs)
    if (this.#isTerminal) {
      this.#isShown = true
      rewriteLine(cutAt(text, (process.stderr.columns || 80) - 1)) // one that wraps stays
    } else printError(text)
  }

  /** Makes room for what comes after it. */
  end(): void {
    if (this.#isShown) rewriteLine('')
    this.#isShown = false
  }
}
