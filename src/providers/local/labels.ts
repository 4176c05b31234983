/** The labels of local mails, in one file beside them that several processes may change at once. */
import { closeSync, constants } from 'node:fs'
import { AgentMailError } from '../../errors.ts'
import { replaceIn } from '../../system/files.ts'
import type { Folder } from '../../system/folder.ts'
import { type Lock, openLocked } from '../../system/lock.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { sortedLabels } from '../label-names.ts'
import { type BoxName, openFolder, withMail } from './folder.ts'

const fileName = 'labels.json'
const lockName = '.labels.lock'
const maxBytes = 64 << 20
const { O_RDWR, O_CREAT } = constants

const defaults: Record<BoxName, string[]> = { inbox: ['INBOX', 'UNREAD'], sent: ['SENT'] }

export type LabelledMail = { id: string; otherIds: string[]; box: BoxName }

/** As the file holds them: the labels of mails that have others than new mail has. */
class LabelBook {
  readonly mails: Map<string, string[]>

  constructor(mails: Map<string, string[]>) {
    this.mails = mails
  }

  of({ id, otherIds, box }: LabelledMail): string[] {
    const known = [id, ...otherIds].find((one) => this.mails.has(one))
    return this.mails.get(known ?? id) ?? defaults[box]
  }

  /** In the order of their first use. */
  names(): Set<string> {
    return new Set([...this.mails.values()].flat())
  }
}

export class LocalLabels {
  readonly #root: string
  readonly #lock: Lock | undefined
  #read: { stamp: string; book: LabelBook } | undefined

  /** Tests switch the lock off to show what it holds together. */
  constructor(root: string, lock?: Lock) {
    this.#root = root
    this.#lock = lock
  }

  read(): LabelBook {
    return openFolder(this.#root, (folder) => this.#bookIn(folder))
  }

  /** Changes the labels of one mail while nobody else changes any; gives them as they are then. */
  change(
    mail: LabelledMail,
    work: (labels: string[], known: Set<string>) => string[],
  ): Promise<string[]> {
    return this.#whileLocked((folder) => {
      const book = this.#bookIn(folder)
      const before = book.of(mail)
      const after = sortedLabels([...new Set(work(before, book.names()))])
      if (after.join('\n') === before.join('\n')) return after
      write(folder, new Map([...book.mails, [mail.id, after]]))
      return after
    })
  }

  /** `work` is synchronous, so that nothing can hold the lock for long. */
  async #whileLocked<T>(work: (folder: Folder) => T): Promise<T> {
    const inRoot = <U>(use: (folder: Folder) => U): U => openFolder(this.#root, use)
    const fd = await openLocked({
      open: () => inRoot((folder) => folder.open(lockName, O_RDWR | O_CREAT, 0o600)),
      there: () => inRoot((folder) => folder.stat(lockName)),
      busy,
      lock: this.#lock,
    })
    try {
      return inRoot(work)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  #bookIn(folder: Folder): LabelBook {
    const there = folder.stat(fileName)
    if (!there) return new LabelBook(new Map())
    const stamp = `${there.ino} ${there.size} ${there.mtimeNs}`
    if (this.#read?.stamp === stamp) return this.#read.book
    const text = withMail(folder, fileName, ({ start }) => start(maxBytes).toString('utf8'))
    const book = new LabelBook(labelsIn(text ?? ''))
    this.#read = { stamp, book }
    return book
  }
}

function labelsIn(text: string): Map<string, string[]> {
  const content = jsonOf(text)
  if (!isRecord(content)) throw unreadable()
  return new Map(
    Object.entries(content).map(([id, labels]) => {
      if (!Array.isArray(labels) || !labels.every((label) => typeof label === 'string')) {
        throw unreadable()
      }
      return [id, labels]
    }),
  )
}

function write(folder: Folder, mails: Map<string, string[]>): void {
  const lines = Array.from(mails, (entry) => entry.map((part) => JSON.stringify(part)).join(': '))
  const content = [Buffer.from(`{\n${lines.join(',\n')}\n}\n`)]
  replaceIn(folder, fileName, { content, temporary: `.${fileName}.new` })
}

const busy = () =>
  new AgentMailError(
    'busy',
    'the labels of local mail are being changed by another process',
    'Try again.',
  )

const unreadable = () =>
  new AgentMailError(
    'storage',
    `${fileName} in the folder of local mail cannot be read`,
    'Mend it, or move it away: mails then have the labels that new mail has.',
  )
