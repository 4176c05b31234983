/** What a view asks for, kept true: asked again when something is heard that concerns it, never more often than it can be answered. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Heard, listen } from './stream.ts'

export interface Live<T> {
  data: T | undefined
  error: string | undefined
  reload(): void
}

/** Between two questions, where more than two follow each other. */
const pauseMs = 100
const longestPauseMs = 3000

/**
 * @param key what is asked for: another key asks anew and forgets what was there.
 * @param concerns whether what was heard may change the answer.
 */
export function useLive<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  concerns: (heard: Heard) => boolean,
): Live<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: string }>({ key })
  const asking = useRef<Asking | undefined>(undefined)
  useEffect(() => {
    const own = new Asking(async (signal) => {
      try {
        const data = await ask(signal)
        if (!signal.aborted) setState({ key, data })
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error)
        if (!signal.aborted)
          setState((old) => ({ ...(old.key === key ? old : { key }), error: words }))
      }
    })
    asking.current = own
    own.soon()
    const deaf = listen((heard) => {
      if (heard.kind === 'anything' || concerns(heard)) own.soon()
    })
    return () => {
      deaf()
      own.end()
    }
  }, [key])
  const current = state.key === key ? state : { key }
  return { data: current.data, error: current.error, reload: () => asking.current?.soon() }
}

/** One question at a time; what comes meanwhile is one more question afterwards. */
export class Asking {
  readonly #ask: (signal: AbortSignal) => Promise<void>
  readonly #ending = new AbortController()
  #isAsking = false
  #isWanted = false
  /** What is asked for even where nobody sees the page. */
  #isUnseen = false
  /** By when the rests after all questions are over; one of them may be taken later. */
  #restedAt = 0
  #restMs = pauseMs
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: (signal: AbortSignal) => Promise<void>) {
    this.#ask = ask
    document.addEventListener('visibilitychange', this.#seen)
  }

  /** A page that nobody sees asks when it is seen again. */
  soon(isUnseen = false): void {
    this.#isWanted = true
    this.#isUnseen ||= isUnseen
    if (this.#isAsking || this.#timer !== undefined || this.#ending.signal.aborted) return
    if (document.hidden && !this.#isUnseen) return
    const waitMs = this.#restedAt - this.#restMs - performance.now()
    if (waitMs <= 0) void this.#run()
    else this.#timer = setTimeout(() => this.#due(), waitMs)
  }

  end(): void {
    this.#ending.abort()
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#seen)
  }

  readonly #seen = () => {
    if (!document.hidden && this.#isWanted) this.soon()
  }

  /** Nobody may see it any more by then. */
  #due(): void {
    this.#timer = undefined
    this.soon()
  }

  async #run(): Promise<void> {
    this.#isWanted = false
    this.#isAsking = true
    const began = performance.now()
    await this.#ask(this.#ending.signal)
    const tookMs = performance.now() - began
    this.#restMs = Math.min(longestPauseMs, Math.max(pauseMs, 3 * tookMs))
    this.#restedAt = Math.max(this.#restedAt, began) + tookMs + this.#restMs
    this.#isAsking = false
    if (this.#isWanted) this.soon()
  }
}
