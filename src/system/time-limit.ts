/** Work that ends in time, without AbortSignal.any: in Node 20 that forgets a time-out once memory is tidied. */

export interface Bounds {
  /** In milliseconds. */
  limit?: number | undefined
  outer?: readonly (AbortSignal | undefined)[]
}

/** Its signal fires after the limit, with an outer one, and when it is ended. */
export class TimeLimit {
  /** Whether it was the limit that made it fire. */
  isOver = false
  readonly #own = new AbortController()
  readonly #outer: AbortSignal[]
  readonly #timer: NodeJS.Timeout | undefined
  readonly #stop = () => this.#own.abort()

  constructor({ limit, outer = [] }: Bounds) {
    this.#outer = outer.filter((signal) => signal !== undefined)
    for (const signal of this.#outer) signal.addEventListener('abort', this.#stop)
    if (this.#outer.some(({ aborted }) => aborted)) this.#stop()
    else if (limit !== undefined) this.#timer = setTimeout(() => this.#runOut(), limit)
  }

  get signal(): AbortSignal {
    return this.#own.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#stop)
    this.#stop()
  }

  #runOut(): void {
    this.isOver = !this.signal.aborted
    this.#stop()
  }
}

/** Gives the work a signal that fires after the limit, with an outer one, and once the work is over. */
export async function within<T>(
  bounds: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new TimeLimit(bounds)
  try {
    return await work(time.signal)
  } finally {
    time.end()
  }
}

/** What the work gives; nothing where it fails or is not done in time, and then it is left to itself. */
export async function ifSoon<T>(limit: number, work: () => Promise<T>): Promise<T | undefined> {
  const done = work().catch(() => undefined)
  return atLatest(limit, done, () => undefined)
}

/** What the work gives, or what is given or thrown for it where it is not done in time; then it is left to itself. */
export async function atLatest<T, Late>(
  limit: number,
  work: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit) // quicker than a signal
  }).then(late)
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}
