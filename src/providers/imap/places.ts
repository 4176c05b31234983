/** Where a mail is: looked for by its id, first where it was last, then everywhere. */
import type { FetchMessageObject } from 'imapflow'
import { AgentMailError } from '../../errors.ts'
import { type HeaderBlock, readHeaders } from '../../mime/mail-headers.ts'
import { ifRefused } from './error.ts'
import { inSearchOrder, type MailFolder, mailFolders } from './folders.ts'
import { headFields, isSameMail, mailId, searchFor, threadFields } from './id.ts'
import type { ImapSession } from './session.ts'

/** So many places are remembered. */
const mostKnown = 5000

export interface MailPlace {
  path: string
  uidValidity: bigint
  uid: number
}

/** A mail in some place, as far as it is known without its body. */
export interface ImapHead extends MailPlace {
  id: string
  block: HeaderBlock
  /** When it came there, in Unix milliseconds. */
  arrived: number
  flags: ReadonlySet<string>
}

/** What is asked for to know a head. */
export const headQuery = {
  flags: true,
  internalDate: true,
  size: true,
  headers: [...headFields, ...threadFields],
}

export function imapHead(
  place: Omit<MailPlace, 'uid'>,
  { uid, headers, internalDate, size = 0, flags = new Set() }: FetchMessageObject,
): ImapHead | undefined {
  if (!headers) return undefined // told of in between, not asked for
  const block = readHeaders(headers)
  const arrived = arrivalOf(internalDate)
  return { ...place, uid, id: mailId(block, { arrived, size }), block, arrived, flags }
}

/** A server that does not tell when a mail came has it from long ago. */
export const arrivalOf = (date: Date | string | undefined): number =>
  (date === undefined ? 0 : new Date(date).getTime()) || 0

export class MailPlaces {
  /** The last used last. */
  readonly #known = new Map<string, MailPlace>()

  remember({ id, path, uidValidity, uid }: ImapHead): void {
    this.#known.delete(id)
    this.#known.set(id, { path, uidValidity, uid })
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** A place of the mail; its folder is open then. */
  async find(session: ImapSession, id: string): Promise<ImapHead> {
    if (!searchFor(id)) throw notFound()
    const head = (await this.#atKnown(session, id)) ?? (await this.#anywhere(session, id))
    if (!head) throw notFound()
    this.remember(head)
    return head
  }

  async #atKnown(session: ImapSession, id: string): Promise<ImapHead | undefined> {
    const known = this.#known.get(id)
    if (!known) return undefined
    const mailbox = await session.open(known.path).catch(ifRefused)
    if (mailbox?.uidValidity !== known.uidValidity) return undefined
    const [mail] = await session.mails([known.uid], headQuery)
    const head = mail && imapHead(known, mail)
    return head && !head.flags.has('\\Deleted') && isSameMail(head.id, id) ? head : undefined
  }

  async #anywhere(session: ImapSession, id: string): Promise<ImapHead | undefined> {
    for (const folder of inSearchOrder(await mailFolders(session))) {
      const [head] = await copiesIn(session, folder, id)
      if (head) return head
    }
    return undefined
  }
}

/** All copies of a mail in a folder, which is open then; the newest first. */
export async function copiesIn(
  session: ImapSession,
  { path }: Pick<MailFolder, 'path'>,
  id: string,
  isToChange = false,
): Promise<ImapHead[]> {
  const query = searchFor(id)
  // A folder may go while the others are looked through.
  const mailbox = await session.open(path, isToChange).catch(ifRefused)
  if (!query || !mailbox) return []
  const uids = await session.search(query)
  const heads = await session.mails(uids, headQuery)
  return heads.flatMap((mail) => {
    const head = imapHead({ path, uidValidity: mailbox.uidValidity }, mail)
    return head && isSameMail(head.id, id) ? head : []
  })
}

export const placeKey = ({ path, uid }: Pick<MailPlace, 'path' | 'uid'>): string => `${uid} ${path}`

/** What is asked for of mails in whichever folders, by their keys; those that are gone are left out. */
export async function fetchPlaces(
  session: ImapSession,
  places: Pick<MailPlace, 'path' | 'uid'>[],
  query: Parameters<ImapSession['mails']>[1],
): Promise<Map<string, FetchMessageObject>> {
  const mails = new Map<string, FetchMessageObject>()
  for (const path of new Set(places.map((place) => place.path))) {
    if (!(await session.open(path).catch(ifRefused))) continue
    const uids = places.filter((place) => place.path === path).map(({ uid }) => uid)
    for (const mail of await session.mails(uids, query)) {
      mails.set(placeKey({ path, uid: mail.uid }), mail)
    }
  }
  return mails
}

export const goneMeanwhile = () =>
  new AgentMailError('not_found', 'the mail was moved or deleted meanwhile', 'Try again.')

const notFound = () =>
  new AgentMailError(
    'not_found',
    'there is no mail with this id',
    'List the mails to see their ids.',
  )
