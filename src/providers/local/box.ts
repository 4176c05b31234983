/** One box of local mail: what is in it, newest first, and the files behind it. */
import type { BigIntStats } from 'node:fs'
import { type HeaderBlock, headersOf, readHeaders } from '../../mime/mail-headers.ts'
import { pauses } from '../../system/clock.ts'
import type { Folder } from '../../system/folder.ts'
import { type BoxName, type OpenMail, openBox, withMail } from './folder.ts'
import { mailId, threadId } from './id.ts'

/** Of larger ones, the rest is not read. */
const maxMailBytes = 25 << 20
/** Most headers end before the first of these, and none that is read after the last. */
const headSteps = [8 << 10, 128 << 10, 1 << 20, 8 << 20]

/** What is known of a mail without its body; kept in memory, so texts are short. */
export interface LocalHead {
  id: string
  box: BoxName
  name: string
  /** Unix milliseconds. */
  date: number
  subject: string
  sender: string
  recipients: string
  thread_id: string
  key: string | undefined
  /** Whether something may be attached. */
  hasParts: boolean
}

export interface MailBytes {
  head: LocalHead
  bytes: Buffer
  /** Whether it has no more. */
  isWhole: boolean
}

interface Known {
  stamp: string
  head: LocalHead
}

export class LocalBox {
  readonly name: BoxName
  readonly #root: string
  #known = new Map<string, Known>()
  /** When a mail last came to the box, or left it, before it was looked through. */
  #changedNs: bigint | undefined
  readonly #names = new Map<string, string>()

  constructor(root: string, name: BoxName) {
    this.name = name
    this.#root = root
  }

  /**
   * Everything in it now, in no order. Only files that are new or changed are opened.
   *
   * @param isNextPage of what was looked through a moment ago: unless mails came or went, that will do.
   */
  async heads(isNextPage: boolean): Promise<LocalHead[]> {
    const pause = pauses()
    const seen = new Map<string, Known>()
    const folder = openBox(this.#root, this.name)
    try {
      const changedNs = folder.stat('.')?.mtimeNs
      if (isNextPage && changedNs === this.#changedNs) return headsOf(this.#known)
      this.#changedNs = changedNs
      for (const { name } of folder.entries()) {
        if (!isMailName(name)) continue
        const known = this.#look(folder, name)
        if (known) seen.set(name, known)
        await pause()
      }
    } finally {
      folder.close()
    }
    this.#known = seen
    return headsOf(seen)
  }

  /** The first bytes of a mail; nothing where it is not here. */
  read(id: string, limit = maxMailBytes): MailBytes | undefined {
    const folder = openBox(this.#root, this.name)
    try {
      const name = this.#nameOf(folder, id)
      const known = name === undefined ? undefined : this.#look(folder, name)
      if (!known) return undefined
      return withMail(folder, known.head.name, ({ stat, start }) => ({
        head: known.head,
        bytes: start(limit),
        isWhole: stat.size <= limit,
      }))
    } finally {
      folder.close()
    }
  }

  #nameOf(folder: Folder, id: string): string | undefined {
    const known = this.#names.get(id)
    if (known !== undefined && folder.stat(known)) return known
    const entry = folder
      .entries()
      .find(({ name }) => isMailName(name) && mailId(this.name, name) === id)
    return entry?.name
  }

  #look(folder: Folder, name: string): Known | undefined {
    const stat = folder.stat(name)
    if (!stat?.isFile() || stat.size === 0n) return undefined
    const known = this.#known.get(name)
    if (known?.stamp === stampOf(stat)) return known
    const id = mailId(this.name, name)
    this.#names.set(id, name)
    return withMail(folder, name, (mail) => ({
      stamp: stampOf(mail.stat),
      head: this.#headOf(mail, { id, box: this.name, name }),
    }))
  }

  #headOf(mail: OpenMail, place: Pick<LocalHead, 'id' | 'box' | 'name'>): LocalHead {
    const block = headerBlock(mail)
    const headers = headersOf(block)
    return {
      ...place,
      date: headers.date ?? Number(mail.stat.mtimeMs),
      subject: shortened(headers.subject, 1000),
      sender: shortened(headers.sender, 500),
      recipients: shortened(headers.recipients, 4000),
      thread_id: threadId(headers, place.id),
      key: headers.key,
      hasParts: mayHaveParts(block.fields),
    }
  }
}

const headsOf = (known: Map<string, Known>): LocalHead[] =>
  Array.from(known.values(), ({ head }) => head)

const mayHaveParts = (fields: HeaderBlock['fields']): boolean =>
  !/^text\/(?:plain|html)\b|^$/i.test(fields.get('content-type') ?? '') ||
  fields.has('content-disposition')

/** A file that begins with a dot is another program's, or not yet complete. */
const isMailName = (name: string): boolean => /^[^.][\s\S]*\.eml$/i.test(name)

const stampOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs}`

function headerBlock(mail: OpenMail): HeaderBlock {
  let block: HeaderBlock | undefined
  for (const size of headSteps) {
    block = readHeaders(mail.start(size))
    if (block.bodyStart !== undefined || mail.stat.size <= size) return block
  }
  return block ?? readHeaders(Buffer.alloc(0))
}

/** Copied, so that the long text is not kept for the sake of its beginning. */
const shortened = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
