/** The beginnings of mails that lists show: each is fetched once, since a mail stays as it is. */
import { mailSnippet, maxMailBytes, type ShownText, snippetBytes } from '../../raw-mail.ts'
import { fetchPlaces, type ImapHead, placeKey } from '../places.ts'
import { bytesOf } from '../read.ts'
import type { ImapSession } from '../session.ts'

const mostKept = 5000
/** So many beginnings of mails are in memory at once. */
const atOnce = 20
/** HTML is read whole or not at all; a larger mail is told without its beginning. */
const longestWhole = 4 << 20
/** So much is fetched for one list of those that have to be read whole; others are told with their beginning later. */
const mostWhole = 2 * longestWhole

export class Snippets {
  readonly #shownText: ShownText
  /** By the ids of the mails, the last used last. */
  readonly #kept = new Map<string, string>()

  constructor(shownText: ShownText) {
    this.#shownText = shownText
  }

  /** By the ids of the mails. */
  async of(session: ImapSession, heads: ImapHead[]): Promise<ReadonlyMap<string, string>> {
    const snippets = new Map<string, string>()
    const missing: ImapHead[] = []
    for (const head of heads) {
      const known = this.#kept.get(head.id)
      if (known === undefined) missing.push(head)
      else this.#add(snippets, head.id, known)
    }
    const budget = { bytes: mostWhole }
    for (let next = 0; next < missing.length; next += atOnce) {
      const some = missing.slice(next, next + atOnce)
      const starts = await fetchPlaces(session, some, { source: { maxLength: snippetBytes } })
      for (const head of some) {
        const start = bytesOf(starts.get(placeKey(head)), snippetBytes)
        const snippet = start && (await this.#fetched(session, head, start, budget))
        if (snippet !== undefined) this.#add(snippets, head.id, snippet)
      }
    }
    return snippets
  }

  /** Nothing where it would cost too much at the moment. */
  async #fetched(
    session: ImapSession,
    head: ImapHead,
    start: NonNullable<ReturnType<typeof bytesOf>>,
    budget: { bytes: number },
  ): Promise<string | undefined> {
    let isLeft = false
    const snippet = await mailSnippet(this.#shownText, async (limit) => {
      if (limit < maxMailBytes) return start
      isLeft = budget.bytes <= 0
      if (isLeft) return undefined
      const whole = await fetchPlaces(session, [head], { source: { maxLength: longestWhole } })
      const read = bytesOf(whole.get(placeKey(head)), longestWhole)
      budget.bytes -= read?.bytes.length ?? 0
      return read
    })
    return isLeft ? undefined : snippet
  }

  #add(snippets: Map<string, string>, id: string, snippet: string): void {
    snippets.set(id, snippet)
    this.#kept.delete(id)
    this.#kept.set(id, snippet)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest)
  }
}
