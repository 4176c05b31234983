/** Prunes at the start of a server and daily, as far as the settings say. */
import type { AllPruned } from '../connection/prune-all.ts'
import { log } from '../system/log.ts'

const dayMs = 24 * 3600_000

export class Pruner {
  readonly #prune: (isEnding: () => boolean) => Promise<AllPruned | undefined>
  readonly #timer: NodeJS.Timeout
  #isEnding = false
  #working: Promise<void> | undefined

  constructor(prune: (isEnding: () => boolean) => Promise<AllPruned | undefined>) {
    this.#prune = prune
    this.#timer = setInterval(() => this.#start(), dayMs)
    this.#timer.unref()
    this.#start()
  }

  /** When the piece that is under way is done; the next start goes on. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#isEnding = true
    await this.#working
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async #work(): Promise<void> {
    try {
      const pruned = await this.#prune(() => this.#isEnding)
      const words = pruned && wordsOf(pruned)
      if (words) log(`pruned: ${words}`)
      if (pruned?.trouble) log(`the space of it could not be given back: ${pruned.trouble}`)
    } catch (error) {
      if (this.#isEnding) return
      log(
        `pruning failed and is tried again tomorrow: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
}

/** What went; nothing if that is nothing. */
function wordsOf({ projects, sends }: AllPruned): string {
  const rows = projects.flatMap(({ project: _, ...counts }) => Object.entries(counts))
  const sums = new Map<string, number>()
  for (const [kind, count] of [...rows, ['sends', sends] as const]) {
    sums.set(kind, (sums.get(kind) ?? 0) + count)
  }
  return [...sums]
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${count}`)
    .join(', ')
}
