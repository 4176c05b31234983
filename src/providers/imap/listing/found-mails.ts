/** The mails that a search found in one folder or several, newest first, and where a page of them ended. */
import { AgentMailError } from '../../../errors.ts'
import { isRecord, jsonOf } from '../../../system/text.ts'
import { ifRefused } from '../error.ts'
import type { MailFolder } from '../folders.ts'
import { arrivalOf, type MailPlace } from '../places.ts'
import type { ImapSession } from '../session.ts'
import type { MailQuery } from './query.ts'

/** So many of a folder are put in the order in which they came. To ask that of more takes too long: they are taken as they were put there. */
const fewMails = 1000
/** Of how many of the others it is asked at once when they came. */
const arrivalsAtOnce = 50

interface Found extends MailPlace {
  arrived: number
}

/** Where a page ended. */
export interface Cursor {
  /** The last of those that are in order; nothing where there was none of them. */
  last: Found | undefined
  /** The last one of each folder with many. */
  ends: MailPlace[]
}

interface Stream extends Omit<MailPlace, 'uid'> {
  isMany: boolean
  /** Not looked at yet, the next first. */
  uids: number[]
  /** The next to come, in order. */
  ready: Found[]
}

export class FoundMails {
  readonly #session: ImapSession
  readonly #query: MailQuery
  readonly #start: Cursor
  readonly #isFirstPage: boolean
  readonly #streams: Stream[] = []
  readonly #given: Found[] = []

  constructor(session: ImapSession, query: MailQuery, start: Cursor | undefined) {
    this.#session = session
    this.#query = query
    this.#start = start ?? { last: undefined, ends: [] }
    this.#isFirstPage = start === undefined
  }

  /** Finds those in a folder that come after the start. */
  async lookInto(folder: MailFolder): Promise<void> {
    const mailbox = await this.#session.open(folder.path).catch(ifRefused)
    if (!mailbox) return
    const { path, uidValidity } = mailbox
    const { last, ends } = this.#start
    const end = ends.find((one) => one.path === path)
    for (const place of [last, end]) {
      if (place?.path === path && place.uidValidity !== uidValidity)
        throw badToken('page_token is of a folder that was made anew since')
    }
    const search = this.#query.searchIn(folder, mailbox)
    const uids = search ? await this.#session.search(search) : []
    // What was in order on the first page stays so.
    const isMany = end !== undefined || (this.#isFirstPage && uids.length > fewMails)
    const place = { path, uidValidity }
    this.#streams.push(
      isMany
        ? { ...place, isMany, uids: uids.filter((uid) => !end || uid < end.uid), ready: [] }
        : { ...place, isMany, uids: [], ready: await this.#inOrder(place, uids) },
    )
  }

  /** The next of them, at most so many; none at the end. */
  async next(count: number): Promise<MailPlace[]> {
    const found: Found[] = []
    while (found.length < count) {
      for (const stream of this.#streams) await this.#fill(stream)
      const [newest] = this.#streams.flatMap(({ ready }) => ready[0] ?? []).sort(newestFirst)
      if (!newest) break
      this.#streams.find(({ path }) => path === newest.path)?.ready.shift()
      found.push(newest)
    }
    this.#given.push(...found)
    return found
  }

  /** @param told the last one that is on the page; what was given after it comes again. */
  cursorAfter(told: MailPlace): Cursor {
    const isTold = (one: MailPlace) => one.path === told.path && one.uid === told.uid
    const given = this.#given.slice(0, this.#given.findIndex(isTold) + 1)
    const lastIn = (path: string) => given.findLast((one) => one.path === path)
    const isInOrder = ({ path }: Found) =>
      this.#streams.some((stream) => stream.path === path && !stream.isMany)
    return {
      last: given.findLast(isInOrder) ?? this.#start.last,
      ends: this.#streams.flatMap(({ path, uidValidity, isMany }) => {
        const before = this.#start.ends.find((end) => end.path === path)
        const { uid } = lastIn(path) ?? before ?? { uid: 2 ** 32 }
        return isMany ? [{ path, uidValidity, uid }] : []
      }),
    }
  }

  async #inOrder(place: Omit<MailPlace, 'uid'>, uids: number[]): Promise<Found[]> {
    const { last } = this.#start
    const all = (await this.#withArrival(place, uids)).sort(newestFirst)
    return last ? all.filter((one) => newestFirst(last, one) < 0) : all
  }

  async #fill(stream: Stream): Promise<void> {
    if (stream.ready.length > 0 || stream.uids.length === 0) return
    const { path, uidValidity } = stream
    const uids = stream.uids.splice(0, arrivalsAtOnce)
    const isAlone = this.#streams.length === 1
    stream.ready = isAlone
      ? uids.map((uid) => ({ path, uidValidity, uid, arrived: 0 }))
      : await this.#withArrival(stream, uids)
    if (stream.ready.length === 0) await this.#fill(stream) // they were deleted meanwhile
  }

  async #withArrival(
    { path, uidValidity }: Omit<MailPlace, 'uid'>,
    uids: number[],
  ): Promise<Found[]> {
    await this.#session.open(path)
    const mails = await this.#session.mails(uids, { internalDate: true })
    return mails.map(({ uid, internalDate }) => {
      return { path, uidValidity, uid, arrived: arrivalOf(internalDate) }
    })
  }
}

const newestFirst = (one: Found, other: Found): number =>
  other.arrived - one.arrived ||
  (one.path === other.path ? other.uid - one.uid : one.path < other.path ? -1 : 1)

export function pageToken({ last, ends }: Cursor): string {
  const plain = (place: MailPlace) => ({ ...place, uidValidity: String(place.uidValidity) })
  const content = { ...(last && { last: plain(last) }), ends: ends.map(plain) }
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

export function pageCursor(token: string): Cursor {
  const content = jsonOf(Buffer.from(token, 'base64url').toString())
  if (isRecord(content) && Array.isArray(content.ends)) {
    const last = content.last === undefined ? undefined : placeIn(content.last)
    return { last, ends: content.ends.map(placeIn) }
  }
  throw badToken('page_token is not one of a list of IMAP mail')
}

function placeIn(value: unknown): Found {
  const { path, uidValidity, uid, arrived = 0 } = isRecord(value) ? value : {}
  const isPlace =
    typeof path === 'string' &&
    typeof uidValidity === 'string' &&
    /^\d{1,20}$/.test(uidValidity) &&
    typeof uid === 'number' &&
    typeof arrived === 'number'
  if (isPlace) return { path, uidValidity: BigInt(uidValidity), uid, arrived }
  throw badToken('page_token is not one of a list of IMAP mail')
}

const badToken = (message: string) =>
  new AgentMailError(
    'invalid_request',
    message,
    'Use next_page_token of the page before, or leave it out.',
  )
