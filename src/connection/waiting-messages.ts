/** The messages of coordination that wait for names, for the mailman: found through the server or past it, whichever there is. */
import type { Config } from '../config.ts'
import type { WaitingEntry } from '../coordination/inbox/waiting.ts'
import { AgentMailError } from '../errors.ts'
import type { Elsewhere, OtherMail } from '../mailbox/mailman/other-mail.ts'
import { databaseOf } from '../store/database.ts'
import { sleep } from '../system/clock.ts'
import { connectIfThere } from './connect.ts'
import type { Connection } from './connection.ts'
import { readServerNote } from './server-note.ts'

/** How long a server is asked to wait for news, and the database itself: then a server may have come. */
const serverWaitSeconds = 50
const ownWaitSeconds = 20
/** What comes in quick succession is asked for at once. */
const pauseMs = 500
/** How soon it looks again for a database, or for one that cannot be reached. */
const againMs = 5_000
/** Whoever is to be told of other mail too does not wait longer. */
const answerMs = 2_000
/** More are not asked for. */
const maxNames = 500

export class WaitingMessages implements OtherMail {
  readonly #config: Config
  readonly #found = new Map<string, Elsewhere>()
  #names: string[] = []
  #onNames = () => {}
  #connection: Connection | undefined
  /** What was found up to there is known. */
  #after = 0
  #wait = new AbortController()
  #isClosed = false

  constructor(config: Config) {
    this.#config = config
  }

  async run(on: Parameters<OtherMail['run']>[0]): Promise<void> {
    let isTold = false
    while (!this.#isClosed) {
      if (this.#names.length === 0) {
        await new Promise<void>((resolve) => {
          this.#onNames = resolve
        })
        continue
      }
      let hasAnswered = false
      try {
        await this.#follow((isNews) => {
          hasAnswered = true
          isTold = false
          if (isNews) on.news()
        })
      } catch (error) {
        // A server that goes away has answered before: there is another way, or the next try tells.
        if (!hasAnswered && !isTold && !this.#isClosed) {
          isTold = true
          const reason = error instanceof Error ? error.message : String(error)
          on.trouble(`messages in agents' channels are not looked for at present: ${reason}`)
        }
      }
      await sleep(hasAnswered ? pauseMs : againMs)
    }
  }

  watch(names: string[]): void {
    const wanted = names.filter((name) => name.trim() !== '').slice(0, maxNames)
    if (wanted.join('\n') === this.#names.join('\n')) return
    this.#names = wanted
    this.#startOver()
    this.#onNames()
  }

  known(name: string): Elsewhere | undefined {
    return this.#found.get(name)
  }

  async look(name: string): Promise<Elsewhere | undefined> {
    const asked = this.#connection?.waitingFor({ names: [name] }).catch(() => undefined)
    const answer = await Promise.race([asked, sleep(answerMs)])
    const newest = answer?.waiting[0]
    this.#found.delete(name)
    if (newest) this.#found.set(name, elsewhereOf(newest))
    else if (!answer) this.#startOver() // and it is found again when that is possible
    return this.#found.get(name)
  }

  async told(name: string, id: number, by?: 'keys' | 'line'): Promise<void> {
    if (!this.#connection) return
    try {
      await this.#connection.notified({ name, up_to: id, by })
    } catch (error) {
      if (AgentMailError.is(error, 'server_unreachable')) return // made up for at the next look
      throw error
    }
    if (this.#found.get(name)?.id === id) this.#found.set(name, { id, isTold: true })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#onNames()
    this.#wait.abort()
    await this.#connection?.close()
  }

  #startOver(): void {
    this.#after = 0
    this.#wait.abort()
  }

  /** Returns where there is no database, or another way to it; throws where it cannot be reached. */
  async #follow(onAnswer: (isNews: boolean) => void): Promise<void> {
    const { note } = databaseOf(this.#config)
    const server = readServerNote(note)?.instance
    const connection = await connectIfThere(this.#config)
    if (!connection) return
    this.#after = 0
    this.#connection = connection
    try {
      const patience = connection.canBeLost ? serverWaitSeconds : ownWaitSeconds
      // The first answer comes at once, and shows that there is one.
      for (let wait = 0; !this.#isClosed && this.#names.length > 0; wait = patience) {
        const found = await this.#ask(connection, wait)
        if (found !== undefined) onAnswer(found > 0)
        const next = connection.canBeLost ? server : readServerNote(note)?.instance
        if (next !== server && next !== undefined) return // a server has come
        await sleep(pauseMs)
      }
    } finally {
      this.#connection = undefined
      this.#found.clear()
      await connection.close()
    }
  }

  /** How many names have more than before; nothing where the names are others by now. */
  async #ask(connection: Connection, wait_seconds: number): Promise<number | undefined> {
    const wait = new AbortController()
    this.#wait = wait
    const request = { names: this.#names, after_id: this.#after, wait_seconds }
    const answer = await connection.waitingFor(request, wait.signal).catch((error) => {
      if (!wait.signal.aborted) throw error
    })
    if (!answer || wait.signal.aborted) return undefined
    for (const entry of answer.waiting) this.#found.set(entry.name, elsewhereOf(entry))
    this.#after = Math.max(this.#after, ...answer.waiting.map(({ newest_id }) => newest_id))
    return answer.waiting.length
  }
}

const elsewhereOf = (entry: WaitingEntry): Elsewhere => {
  const { newest_id, is_notified, notified_at, notified_by } = entry
  return {
    id: newest_id,
    isTold: is_notified,
    ...(notified_at !== undefined && { toldAt: Date.parse(notified_at) }),
    ...(notified_by !== undefined && { by: notified_by }),
  }
}
