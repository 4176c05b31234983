/** Closes what the orchestrator has opened, in the order in which its parts need each other. */
import { log } from '../system/log.ts'

/** What is to be closed in the end: servers may still be at something that the ledger has to hear of. */
export class Closing {
  readonly servers: (() => Promise<unknown>)[] = []
  readonly services: (() => Promise<unknown>)[] = []
  readonly ledgers: (() => Promise<unknown>)[] = []
  #closed: Promise<void> | undefined

  hurry(): void {
    void allSettled(this.servers)
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      for (const some of [this.servers, this.services, this.ledgers]) await allSettled(some)
    })()
    return this.#closed
  }
}

/** One that cannot be closed keeps no other open. */
async function allSettled(some: (() => Promise<unknown>)[]): Promise<void> {
  const ends = await Promise.allSettled(some.map(async (one) => one()))
  for (const end of ends) {
    if (end.status === 'rejected')
      log(`closing: ${end.reason instanceof Error ? end.reason.message : end.reason}`)
  }
}
