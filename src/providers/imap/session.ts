/** The commands of one connection, each in bounded time: what the server refuses, and what breaks, is thrown. */
import type {
  ESearchResult,
  FetchMessageObject,
  FetchQueryObject,
  ImapFlow,
  ListResponse,
  MailboxObject,
  SearchObject,
  SearchOptions,
} from 'imapflow'
import { atLatest } from '../../system/time-limit.ts'
import { BrokenConnection, ImapRefusal, refusalIn } from './error.ts'

const commandMs = 30_000
/** For what may be large, or needs a look at every mail. */
const longCommandMs = 60_000
/** So many mails are asked for at once: a command has to fit into a line that every server takes. */
const mostAtOnce = 200
/** More than any folder has: what a server may make us keep in memory. */
const mostFound = 10_000_000

export class ImapSession {
  readonly client: ImapFlow
  #folders: Promise<ListResponse[]> | undefined
  #open: { mailbox: MailboxObject; isToChange: boolean } | undefined
  /** The server's word in its last answer; the library keeps it to itself. */
  #lastReason = ''

  constructor(client: ImapFlow) {
    this.client = client
    client.on('response', ({ response, code = '' }) => {
      this.#lastReason = response === 'OK' ? '' : code.toUpperCase()
    })
  }

  /** To be called before each piece of work: what was known of the folders may have changed. */
  begin(): void {
    this.#folders = undefined
    this.#open = undefined
  }

  has(capability: string): boolean {
    return this.client.capabilities.has(capability)
  }

  get isGmail(): boolean {
    return this.has('X-GM-EXT-1')
  }

  /** Between the names of a folder and of one in it; nothing where there are none in it. */
  get delimiter(): string {
    return this.client.namespace?.delimiter ?? ''
  }

  /** What the names of all folders but INBOX begin with. */
  get prefix(): string {
    return this.client.namespace?.prefix ?? ''
  }

  folders(): Promise<ListResponse[]> {
    this.#folders ??= this.#ask(() => this.client.list())
    return this.#folders
  }

  /** @param isToChange otherwise nothing in it can be changed, not even by chance. */
  async open(path: string, isToChange = false): Promise<MailboxObject> {
    const known = this.#open
    if (known?.mailbox.path === path && (known.isToChange || !isToChange)) return known.mailbox
    this.#open = undefined
    const mailbox = await this.#ask(() => this.client.mailboxOpen(path, { readOnly: !isToChange }))
    this.#open = { mailbox, isToChange }
    return mailbox
  }

  /** The UIDs in the open folder, the highest first. */
  async search(query: SearchObject): Promise<number[]> {
    // Where a server can, it tells them in ranges: to read so many numbers takes long.
    const options: SearchOptions = { uid: true, returnOptions: ['ALL'] }
    const found = await this.#ask<ESearchResult | number[]>(
      () => this.client.search(query, options),
      longCommandMs,
    )
    return Array.isArray(found) ? found.toReversed() : numbersIn(found.all ?? '')
  }

  /** In the order in which they were asked for; those that are gone are left out. */
  async mails(uids: number[], query: FetchQueryObject): Promise<FetchMessageObject[]> {
    const found = new Map<number, FetchMessageObject>()
    for (let start = 0; start < uids.length; start += mostAtOnce) {
      const range = uids.slice(start, start + mostAtOnce)
      const mails = await this.#ask(
        () => this.client.fetchAll(range.join(','), { uid: true, ...query }, { uid: true }),
        longCommandMs,
      )
      // A server may tell of the flags of others in between.
      for (const mail of mails) found.set(mail.uid, { ...found.get(mail.uid), ...mail })
    }
    return uids.flatMap((uid) => found.get(uid) ?? [])
  }

  async addFlags(uids: number[], flags: string[]): Promise<void> {
    if (uids.length === 0) return
    await this.#ask(() => this.client.messageFlagsAdd(uids, flags, { uid: true }))
  }

  async removeFlags(uids: number[], flags: string[]): Promise<void> {
    if (uids.length === 0) return
    await this.#ask(() => this.client.messageFlagsRemove(uids, flags, { uid: true }))
  }

  async copy(uids: number[], path: string): Promise<void> {
    await this.#ask(() => this.client.messageCopy(uids, path, { uid: true }), longCommandMs)
  }

  async move(uids: number[], path: string): Promise<void> {
    if (this.has('MOVE')) {
      await this.#ask(() => this.client.messageMove(uids, path, { uid: true }), longCommandMs)
      return
    }
    await this.copy(uids, path)
    await this.remove(uids)
  }

  /** Where single mails cannot be expunged they stay there, marked: others may have marked theirs. */
  async remove(uids: number[]): Promise<void> {
    if (uids.length === 0) return
    await this.addFlags(uids, ['\\Deleted'])
    if (this.has('UIDPLUS')) await this.#ask(() => this.client.messageDelete(uids, { uid: true }))
  }

  async append(path: string, raw: Buffer, flags: string[]): Promise<void> {
    await this.#ask(() => this.client.append(path, raw, flags), longCommandMs)
  }

  /** Made with those above it, where they are missing, and subscribed. */
  async create(path: string): Promise<void> {
    await this.#ask(() => this.client.mailboxCreate(path))
    this.#folders = undefined
  }

  async noop(): Promise<void> {
    await this.#ask(() => this.client.noop().then(() => true))
  }

  /** The library says no with false, whatever the reason. */
  async #ask<T>(work: () => Promise<T | false | undefined>, limitMs = commandMs): Promise<T> {
    this.#lastReason = ''
    const answer = await answeredInTime(this.client, limitMs, work).catch((error: unknown) => {
      if (error instanceof BrokenConnection) throw error
      if (!this.client.usable) throw new BrokenConnection(false, error)
      throw refusalIn(error) ?? error
    })
    if (answer !== false && answer !== undefined) return answer
    if (!this.client.usable) throw new BrokenConnection(false)
    throw new ImapRefusal(this.#lastReason)
  }
}

/** @example numbersIn('1:3,7') // [7, 3, 2, 1] */
function numbersIn(ranges: string): number[] {
  const numbers: number[] = []
  for (const range of ranges.split(',').toReversed()) {
    const [first = 0, last = first] = range.split(':').map(Number)
    const [low, high] = [Math.min(first, last), Math.max(first, last)]
    if (!(low > 0 && high <= 0xffffffff && high - low < mostFound - numbers.length)) continue
    for (let number = high; number >= low; number--) numbers.push(number)
  }
  return numbers
}

/** A connection that is late with an answer is closed: the answer would be taken for that of the next command. */
const answeredInTime = <T>(client: ImapFlow, limitMs: number, work: () => Promise<T>): Promise<T> =>
  atLatest(limitMs, work(), () => {
    client.close()
    throw new BrokenConnection(true)
  })
