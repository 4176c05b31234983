/** Lists the mails on an IMAP server that match a query, newest first, page by page. */
import type { FetchMessageObject } from 'imapflow'
import { headersOf } from '../../mime/mail-headers.ts'
import { readMime } from '../../mime/read-mime.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { wordsOfHtml } from '../local/list.ts'
import type { ListRequest, MailHead } from '../provider.ts'
import { foldedText } from '../query-terms.ts'
import { mailSnippet, maxMailBytes, type ShownText, snippetBytes } from '../raw-mail.ts'
import { ifRefused } from './error.ts'
import { inboxFolder, mailFolders } from './folders.ts'
import { FoundMails, pageCursor, pageToken } from './found-mails.ts'
import { GmailQuery, gmailCapability } from './gmail-query.ts'
import { headQuery, type ImapHead, imapHead, type MailPlace, type MailPlaces } from './places.ts'
import { type CandidateMail, ImapQuery, type MailQuery } from './query.ts'
import { bytesOf } from './read.ts'
import type { ImapSession } from './session.ts'

/** Where most of what was found is not meant, so many are looked at in one step. */
const mostInStep = 200
/** So many beginnings of mails are in memory at once. */
const snippetsAtOnce = 20

export interface ListContext {
  places: MailPlaces
  shownText: ShownText
  told: ToldMails
}

export async function listImapMails(
  session: ImapSession,
  { places, shownText, told }: ListContext,
  { query: text, limit, page_token }: ListRequest,
): Promise<{ mails: MailHead[]; next_page_token?: string }> {
  const query = session.has(gmailCapability)
    ? new GmailQuery(text)
    : new ImapQuery(text, systemClock.now())
  const known = query.namesPlaces ? await mailFolders(session) : [inboxFolder]
  const folders = known.filter((folder) => query.concerns(folder))
  const start = page_token === undefined ? undefined : pageCursor(page_token)
  const pages = told.of(text, start === undefined)
  const found = new FoundMails(session, query, start)
  for (const folder of folders) await found.lookInto(folder)
  const shown: ImapHead[] = []
  let hasMore = false
  while (!hasMore) {
    const step = await found.next(Math.min(mostInStep, 2 * (limit - shown.length + 1)))
    if (step.length === 0) break
    for (const head of await look(session, query, step)) {
      if (pages.isElsewhere(head)) continue
      hasMore = shown.length === limit
      if (hasMore) break
      pages.add(head)
      shown.push(head)
    }
  }
  for (const head of shown) places.remember(head)
  const mails = await tell(session, shownText, shown)
  const last = shown.at(-1)
  return { mails, ...(hasMore && last && { next_page_token: pageToken(found.cursorAfter(last)) }) }
}

/** The mails that are meant, of some that were found. */
async function look(
  session: ImapSession,
  query: MailQuery,
  step: MailPlace[],
): Promise<ImapHead[]> {
  const mails = await fetchPlaces(session, step, headQuery)
  // A structure that cannot be read would take the rest of the answer with it.
  const structures = query.needsStructure
    ? await fetchPlaces(session, step, { bodyStructure: true })
    : undefined
  const meant: ImapHead[] = []
  for (const found of step) {
    const mail = mails.get(keyOf(found))
    const head = mail && imapHead(found, mail)
    if (!head) continue
    const structure = structures?.get(keyOf(found))?.bodyStructure
    const isMeant = query.isMeant({ arrived: head.arrived, structure })
    if (isMeant ?? query.isMeantWhole(await wholeMail(session, head))) meant.push(head)
  }
  return meant
}

async function wholeMail(session: ImapSession, head: ImapHead): Promise<CandidateMail> {
  const mails = await fetchPlaces(session, [head], { source: { maxLength: maxMailBytes } })
  const read = bytesOf(mails.get(keyOf(head)), maxMailBytes)
  const { attachment_names, ...mail } = await readMime(read?.bytes ?? Buffer.alloc(0))
  const { subject, sender, recipients, text, html } = mail
  const texts = [subject, sender, recipients, text ?? wordsOfHtml(html ?? '')].map(foldedText)
  return { texts, attachment_names }
}

const keyOf = ({ path, uid }: Pick<MailPlace, 'path' | 'uid'>): string => `${uid} ${path}`

async function fetchPlaces(
  session: ImapSession,
  places: Pick<MailPlace, 'path' | 'uid'>[],
  query: Parameters<ImapSession['mails']>[1],
): Promise<Map<string, FetchMessageObject>> {
  const mails = new Map<string, FetchMessageObject>()
  for (const path of new Set(places.map((place) => place.path))) {
    if (!(await session.open(path).catch(ifRefused))) continue
    const uids = places.filter((place) => place.path === path).map(({ uid }) => uid)
    for (const mail of await session.mails(uids, query)) {
      mails.set(keyOf({ path, uid: mail.uid }), mail)
    }
  }
  return mails
}

async function tell(
  session: ImapSession,
  shownText: ShownText,
  heads: ImapHead[],
): Promise<MailHead[]> {
  const mails: MailHead[] = []
  for (let next = 0; next < heads.length; next += snippetsAtOnce) {
    const some = heads.slice(next, next + snippetsAtOnce)
    const starts = await fetchPlaces(session, some, { source: { maxLength: snippetBytes } })
    for (const head of some) {
      const start = bytesOf(starts.get(keyOf(head)), snippetBytes)
      const snippet = await mailSnippet(shownText, async (limit) => {
        if (limit < maxMailBytes) return start
        const whole = await fetchPlaces(session, [head], { source: { maxLength: limit } })
        return bytesOf(whole.get(keyOf(head)), limit)
      })
      const { subject, sender, date } = headersOf(head.block)
      mails.push({ id: head.id, subject, sender, date: rfc3339(date ?? head.arrived), snippet })
    }
  }
  return mails
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
    return place !== undefined && place !== keyOf(head)
  }

  add(head: ImapHead): void {
    if (this.#places.size >= mostMails) this.#places.clear()
    this.#places.set(head.id, keyOf(head))
  }
}
