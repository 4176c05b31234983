/** Hears of what other processes commit to a file: its log is watched, and a connection tells whether what was written there was another's. */
import { type FSWatcher, watch } from 'node:fs'
import { AgentMailError } from '../errors.ts'

/** Whatever was written in this time is one look. */
const firstMs = 20
/** What stands in the log can be read only when it is on disk, which may take as long as this: it is looked for again, each time after twice as long. */
const longestMs = 15_000

interface LogWatchOptions {
  /** The path of the log. */
  log: string
  /** Another number after each commit of another process. */
  version(): number
  onForeignWrite(): void
  /** Nothing is heard any more. */
  onFailure(error: unknown): void
}

export class LogWatch {
  readonly #options: LogWatchOptions
  readonly #watcher: FSWatcher
  /** Nothing where it is busy. */
  #known: number | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = firstMs
  #isEnded = false

  /** Throws where it cannot be watched. */
  constructor(options: LogWatchOptions) {
    this.#options = options
    this.#watcher = watch(options.log, { persistent: false }, () => this.#written())
    this.#watcher.on('error', (error) => this.#fail(error))
    this.#known = this.#version()
    this.#lookIn(firstMs) // somebody may be about to commit what was written before
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#watcher.close()
  }

  /** A look that is near is not put off: who writes all the time would be heard of never. */
  #written(): void {
    if (!this.#timer || this.#pauseMs > firstMs) this.#lookIn(firstMs)
  }

  #lookIn(ms: number): void {
    if (this.#isEnded) return
    clearTimeout(this.#timer)
    this.#pauseMs = ms
    this.#timer = setTimeout(() => this.#look(), ms)
    this.#timer.unref()
  }

  #look(): void {
    this.#timer = undefined
    const version = this.#version()
    const isForeign = version !== undefined && version !== this.#known
    this.#known = version ?? this.#known
    if (isForeign) this.#options.onForeignWrite()
    if (this.#pauseMs < longestMs) this.#lookIn(this.#pauseMs * 2)
  }

  /** Nothing where it is busy, or gone: then it ends. */
  #version(): number | undefined {
    try {
      return this.#options.version()
    } catch (error) {
      if (AgentMailError.is(error, 'database_lost')) this.#fail(error)
      return undefined
    }
  }

  #fail(error: unknown): void {
    if (this.#isEnded) return
    this.end()
    this.#options.onFailure(error)
  }
}
