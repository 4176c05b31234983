/** Whose turn it is to prune a database: of several servers, one does. It saves double work and nothing depends on it. */
import { type Reader, text } from '../../store/store.ts'
import type { WriteQueue } from '../../store/write-queue.ts'
import type { Clock } from '../../system/clock.ts'
import { uuid } from '../../system/random.ts'

/** So soon after the last piece of one that was killed, another may go on. */
const turnMs = 5000

export class PruneTurn {
  readonly #queue: WriteQueue
  readonly #clock: Clock
  readonly #token = uuid()
  #untilMs = 0

  constructor(queue: WriteQueue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
  }

  /** Takes it, or says that it is still at it if that is about to be forgotten. False while another has it. */
  async take(): Promise<boolean> {
    return this.#untilMs - this.#clock.now() > turnMs / 2 || this.#take()
  }

  async end(): Promise<void> {
    if (this.#untilMs === 0) return
    await this.#queue
      .write(async (write) => {
        const known = await holderIn(write)
        if (known?.token === this.#token) await write.run("DELETE FROM meta WHERE name = 'pruning'")
      })
      .catch(() => {}) // it will be forgotten
  }

  #take(): Promise<boolean> {
    return this.#queue.write(async (write) => {
      const now = this.#clock.now()
      const known = await holderIn(write)
      const isTaken = known && known.token !== this.#token && isNear(known.untilMs, now)
      if (isTaken) return false
      const value = `${now + turnMs} ${this.#token}`
      const changed = known
        ? await write.run(
            "UPDATE meta SET value = ? WHERE name = 'pruning' AND value = ?",
            value,
            known.value,
          )
        : await write.run("INSERT INTO meta (name, value) VALUES ('pruning', ?)", value)
      if (changed === 1) this.#untilMs = now + turnMs
      return changed === 1
    })
  }
}

/** One that lies far ahead was written when the clock was. */
const isNear = (untilMs: number, now: number): boolean => untilMs > now && untilMs <= now + turnMs

async function holderIn(reader: Reader) {
  const [row] = await reader.all("SELECT value FROM meta WHERE name = 'pruning'")
  if (!row) return undefined
  const value = text(row.value)
  const [until = '', token = ''] = value.split(' ')
  return { value, untilMs: Number(until), token }
}
