/** Lists the mails on an IMAP server that match a query, newest first, page by page. */
import { headersOf } from '../../../mime/mail-headers.ts'
import { readMime } from '../../../mime/read-mime.ts'
import { elapsedMs, rfc3339, systemClock } from '../../../system/clock.ts'
import type { ListRequest, MailHead } from '../../provider.ts'
import { foldedText } from '../../query-terms.ts'
import { maxMailBytes, wordsOfHtml } from '../../raw-mail.ts'
import { inboxFolder, mailFolders } from '../folders.ts'
import {
  fetchPlaces,
  headQuery,
  type ImapHead,
  imapHead,
  type MailPlace,
  type MailPlaces,
  placeKey,
} from '../places.ts'
import { bytesOf } from '../read.ts'
import type { ImapSession } from '../session.ts'
import { FoundMails, pageCursor, pageToken } from './found-mails.ts'
import { GmailQuery } from './gmail-query.ts'
import { type CandidateMail, ImapQuery, type MailQuery } from './query.ts'
import type { Snippets } from './snippets.ts'

/** Where most of what was found is not meant, so many are looked at in one step. */
const mostInStep = 200
/** What one call may cost where only whole mails tell whether they are meant; the next page goes on from there. */
const mostWholeBytes = 64 << 20
const mostWholeMs = 10_000

export interface ListContext {
  places: MailPlaces
  snippets: Snippets
  told: ToldMails
}

export async function listImapMails(
  session: ImapSession,
  { places, snippets, told }: ListContext,
  { query: text, limit, page_token }: ListRequest,
): Promise<{ mails: MailHead[]; next_page_token?: string }> {
  const { query, folders } = await questionOf(session, text)
  const start = page_token === undefined ? undefined : pageCursor(page_token)
  const pages = told.of(text, start === undefined)
  const found = new FoundMails(session, query, start)
  for (const folder of folders) await found.lookInto(folder)
  const look = new Look(session, query)
  const shown: ImapHead[] = []
  let end: MailPlace | undefined
  let hasMore = false
  while (!hasMore) {
    const step = await found.next(Math.min(mostInStep, 2 * (limit - shown.length + 1)))
    if (step.length === 0) break
    const looked = await look.at(step)
    hasMore = looked.length < step.length
    for (const { place, head } of looked) {
      if (head && !pages.isElsewhere(head)) {
        hasMore ||= shown.length === limit
        if (shown.length === limit) break
        pages.add(head)
        shown.push(head)
      }
      end = place
    }
  }
  for (const head of shown) places.remember(head)
  const beginnings = await snippets.of(session, shown)
  const mails = shown.map((head) => headOf(head, beginnings.get(head.id) ?? ''))
  return { mails, ...(hasMore && end && { next_page_token: pageToken(found.cursorAfter(end)) }) }
}

/** A query in the words of the server, and the folders in which it is asked. */
async function questionOf(session: ImapSession, text: string) {
  if (session.isGmail) {
    const all = await mailFolders(session)
    const query: MailQuery = new GmailQuery(text, all)
    return { query, folders: all.filter((folder) => query.concerns(folder)) }
  }
  const query: MailQuery = new ImapQuery(text, systemClock.now())
  const known = query.namesPlaces ? await mailFolders(session) : [inboxFolder]
  return { query, folders: known.filter((folder) => query.concerns(folder)) }
}

function headOf({ id, block, arrived }: ImapHead, snippet: string): MailHead {
  const { subject, sender, date } = headersOf(block)
  return { id, subject, sender, date: rfc3339(date ?? arrived), snippet }
}

interface Looked {
  place: MailPlace
  /** Nothing where the mail is not meant, or gone. */
  head: ImapHead | undefined
}

/** Looks at mails that were found, for as long as one call may. */
class Look {
  readonly #session: ImapSession
  readonly #query: MailQuery
  readonly #began = elapsedMs()
  #wholeBytes = 0

  constructor(session: ImapSession, query: MailQuery) {
    this.#session = session
    this.#query = query
  }

  /** In their order; fewer where it would cost too much to look at all of them, but one at least. */
  async at(step: MailPlace[]): Promise<Looked[]> {
    const query = this.#query
    const mails = await fetchPlaces(this.#session, step, headQuery)
    // A structure that cannot be read would take the rest of the answer with it.
    const structures = query.needsStructure
      ? await fetchPlaces(this.#session, step, { bodyStructure: true })
      : undefined
    const looked: Looked[] = []
    for (const place of step) {
      const mail = mails.get(placeKey(place))
      const head = mail && imapHead(place, mail)
      const structure = structures?.get(placeKey(place))?.bodyStructure
      let isMeant = head && query.isMeant({ arrived: head.arrived, structure })
      if (head && isMeant === undefined) {
        if (this.#isSpent) break
        isMeant = query.isMeantWhole(await this.#whole(head))
      }
      looked.push({ place, head: isMeant ? head : undefined })
    }
    return looked
  }

  get #isSpent(): boolean {
    const isLate = elapsedMs() - this.#began > mostWholeMs
    return this.#wholeBytes > 0 && (isLate || this.#wholeBytes > mostWholeBytes)
  }

  async #whole(head: ImapHead): Promise<CandidateMail> {
    const mails = await fetchPlaces(this.#session, [head], { source: { maxLength: maxMailBytes } })
    const bytes = bytesOf(mails.get(placeKey(head)), maxMailBytes)?.bytes ?? Buffer.alloc(0)
    this.#wholeBytes += Math.max(bytes.length, 1)
    const { subject, sender, recipients, text, html, attachment_names } = await readMime(bytes)
    const texts = [subject, sender, recipients, text ?? wordsOfHtml(html ?? '')].map(foldedText)
    return { texts, attachment_names }
  }
}

const mostQueries = 20
const mostMails = 20_000

/** Where each mail was told on the pages of a query so far: a copy of it is not told again. */
export class ToldMails {
  readonly #queries = new Map<string, ToldPages>()

  of(query: string, isFirstPage: boolean): ToldPages {
    const before = isFirstPage ? undefined : this.#queries.get(query)
    const pages = before ?? new ToldPages()
    this.#queries.delete(query)
    this.#queries.set(query, pages)
    const [oldest] = this.#queries.keys()
    if (this.#queries.size > mostQueries && oldest !== undefined) this.#queries.delete(oldest)
    return pages
  }
}

class ToldPages {
  readonly #places = new Map<string, string>()

  isElsewhere(head: ImapHead): boolean {
    const place = this.#places.get(head.id)
    return place !== undefined && place !== placeKey(head)
  }

  add(head: ImapHead): void {
    if (this.#places.size >= mostMails) this.#places.clear()
    this.#places.set(head.id, placeKey(head))
  }
}
