/** The sessions that are woken by a way of their own: each holds a file that says whose mail is left to it. */
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Clock } from '../../system/clock.ts'
import { type HeldWords, heldWords, holdWords, unheldFiles } from '../../system/holder.ts'
import { stateFolder, sweepUp } from '../../system/places.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import type { PostOffice } from '../post-office.ts'
import type { Recipient } from '../recipient.ts'
import type { Elsewhere } from './other-mail.ts'

/** As receipts call them. */
const ownWays = ['rewake', 'codex']
const ending = '.waker'
/** A session whose own way was there is given so long to have it again when its turn ends. */
const graceMs = 10_000

const folderOf = (config: Config): string => join(stateFolder(config), 'wakers')

/** Whose mail it is: names at a post office. */
export interface LeftMail {
  office: string | undefined
  names: string[]
}

/** @param key of the session: one process has it. Nothing where another does. */
export async function holdOwnWay(
  config: Config,
  key: string,
  patienceMs: number,
): Promise<{ say(mail: LeftMail): void; end(): void } | undefined> {
  sweepUp(() => heldWords(folderOf(config), ending))
  const path = join(folderOf(config), `${key}${ending}`)
  const held: HeldWords | undefined = await holdWords(path, '{}', patienceMs)
  let said = '{}'
  return (
    held && {
      say({ office, names }) {
        const words = JSON.stringify({ office, names: names.map((name) => name.slice(0, 255)) })
        if (words !== said) held.say(words)
        said = words
      },
      end: () => held.end(),
    }
  )
}

/** What those have left that were killed. */
export const leftWakers = (config: Config): string[] => unheldFiles(folderOf(config), ending)

/** What a mailman knows of them. */
export class OwnWays {
  readonly #folder: string
  readonly #office: PostOffice
  readonly #patienceMs: number
  readonly #clock: Clock
  /** Names whose own way was seen, and since when the mail that waits is left to it. */
  readonly #left = new Map<string, { status: string | undefined; since: number }>()

  /** @param patienceMs how long mail is left to a way of its reader's own. */
  constructor(
    config: Config,
    { office, patienceMs, clock }: { office: PostOffice; patienceMs: number; clock: Clock },
  ) {
    this.#folder = folderOf(config)
    this.#office = office
    this.#patienceMs = patienceMs
    this.#clock = clock
  }

  /** From when on the mailman may tell an agent of the mail that waits for it. */
  freeAt(recipient: Recipient, elsewhere: Elsewhere | undefined): number {
    const { name, status_at } = recipient
    const now = this.#clock.now()
    const isHeld = this.#isHeld(name)
    const before = this.#left.get(name)
    if (isHeld && before?.status !== status_at) {
      this.#left.set(name, { status: status_at, since: now })
    }
    const left = this.#left.get(name)
    const readySince = Date.parse(status_at ?? '') || 0
    return Math.max(
      isHeld && left ? left.since + this.#patienceMs : 0,
      left ? Math.min(readySince, now) + Math.min(graceMs, this.#patienceMs) : 0,
      this.#lastTold(name, elsewhere) + this.#patienceMs,
    )
  }

  /** The mailman has told it, or nothing waits: what comes from now on is left to its own way anew. */
  startOver(name: string): void {
    const left = this.#left.get(name)
    if (left) this.#left.set(name, { ...left, status: undefined })
  }

  #isHeld(name: string): boolean {
    try {
      return [...heldWords(this.#folder, ending).values()].some((words) => {
        const said = jsonOf(words)
        if (!isRecord(said) || said.office !== this.#office.dir) return false
        return Array.isArray(said.names) && said.names.includes(name)
      })
    } catch {
      return false
    }
  }

  /** When its reader was told of what waits, by a way of its own; long ago where it was not. */
  #lastTold(name: string, elsewhere: Elsewhere | undefined): number {
    const ids = new Set(this.#office.mailbox(name).unreadIds())
    const receipts = ids.size > 0 ? [...this.#office.receipts(name).of(ids).values()] : []
    const told = receipts
      .filter(({ by }) => by !== undefined && ownWays.includes(by))
      .map(({ at }) => Date.parse(at) || 0)
    const isOwn = elsewhere?.by !== undefined && ownWays.includes(elsewhere.by)
    const times = [...told, ...(isOwn ? [elsewhere.toldAt ?? 0] : [])]
    return Math.max(Number.NEGATIVE_INFINITY, ...times)
  }
}
