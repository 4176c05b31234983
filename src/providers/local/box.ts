/** One box of local mail: the mails in it, whatever their files are called. */
import type { BigIntStats } from 'node:fs'
import { type Clock, pauses, sleep, systemClock } from '../../system/clock.ts'
import type { Folder } from '../../system/folder.ts'
import { type MailStart, maxMailBytes } from '../raw-mail.ts'
import { type BoxName, openBox, withMail } from './folder.ts'
import { nameId } from './id.ts'
import { keepFiles, keptFiles } from './kept-files.ts'
import { byContent, fileStamp, type MailFile, mailFileOf } from './mail-file.ts'
import { keepNameIds, type NameIds, readNameIds } from './name-ids.ts'

/** A file that was written to a moment ago may not be complete, and half a mail would be a mail of its own. */
const quietMs = 1000
/** So many files are read again rather than all that is known written down. */
const fewFiles = 200

export interface LocalHead
  extends Pick<MailFile, 'date' | 'subject' | 'sender' | 'recipients' | 'key' | 'hasParts'> {
  id: string
  /** By which it is known too. */
  otherIds: string[]
  box: BoxName
  thread_id: string
}

export interface MailBytes extends MailStart {
  head: LocalHead
}

interface LocatedMail {
  head: LocalHead
  file: MailFile
}

export class LocalBox {
  readonly name: BoxName
  readonly #root: string
  readonly #clock: Clock
  #nameIds: NameIds | undefined
  /** By their names. */
  #files: Map<string, MailFile> | undefined
  /** How many of them are not kept on disk. */
  #newFiles = 0
  /** By each of their ids; nothing where the files were not looked at yet. */
  #mails: Map<string, LocatedMail> | undefined
  /** When a mail last came to the box, or left it, before it was looked through. */
  #changedNs: bigint | undefined

  constructor(root: string, name: BoxName, clock = systemClock) {
    this.name = name
    this.#root = root
    this.#clock = clock
  }

  /**
   * Everything in it now, in no order. Only files that are new or changed are opened.
   *
   * @param isNextPage of what was looked through a moment ago: unless mails came or went, that will do.
   */
  async heads(isNextPage: boolean): Promise<LocalHead[]> {
    const hasChanged = () => this.#changedNs !== this.#in((folder) => folder.stat('.')?.mtimeNs)
    if (!isNextPage || hasChanged()) await this.#lookThrough({ isPatient: true })
    return [...new Set(Array.from(this.#mails?.values() ?? [], ({ head }) => head))]
  }

  /** The first bytes of a mail; nothing where it is not here. */
  async read(id: string, limit = maxMailBytes): Promise<MailBytes | undefined> {
    await this.prepare()
    const read = this.#read(id, limit)
    if (read) return read
    await this.#lookThrough({ isPatient: false })
    return this.#read(id, limit)
  }

  /** To be done before a mail is put here: then it is none of those that were known by the names of their files. */
  async prepare(): Promise<void> {
    this.#nameIds ??= readNameIds(this.#root, this.name)
    if (!this.#nameIds) await this.#lookThrough({ isPatient: false })
    else if (!this.#mails) this.#setFiles(keptFiles(this.#root, this.name), this.#nameIds)
  }

  /** Nothing where the file is not as it was when the mail was found in it. */
  #read(id: string, limit: number): MailBytes | undefined {
    const mail = this.#mails?.get(id)
    if (!mail) return undefined
    const { head, file } = mail
    return this.#in((folder) =>
      withMail(folder, file.name, ({ stat, start }) =>
        fileStamp(stat) === file.stamp
          ? { head, bytes: start(limit), isWhole: stat.size <= limit }
          : undefined,
      ),
    )
  }

  #in<T>(use: (folder: Folder) => T): T {
    const folder = openBox(this.#root, this.name)
    try {
      return use(folder)
    } finally {
      folder.close()
    }
  }

  /** @param isPatient waits for what was written to a moment ago; what is written to even then has to wait itself. */
  async #lookThrough({ isPatient }: { isPatient: boolean }): Promise<void> {
    this.#nameIds ??= readNameIds(this.#root, this.name)
    let { files, restMs } = await this.#lookAtFiles()
    if (restMs > 0 && (isPatient || !this.#nameIds)) {
      await sleep(restMs)
      files = (await this.#lookAtFiles()).files
    }
    // The first to look through a box writes down the names of what is there.
    this.#nameIds ??= keepNameIds(this.#root, this.name, idsOfNames(this.name, files.values()))
    this.#setFiles(files, this.#nameIds)
    if (this.#newFiles < fewFiles) return
    keepFiles(this.#root, this.name, files.values())
    this.#newFiles = 0
  }

  #setFiles(files: Map<string, MailFile>, nameIds: NameIds): void {
    const known = this.#files ?? new Map<string, MailFile>()
    const isSame =
      files.size === known.size && [...files].every(([name, file]) => known.get(name) === file)
    this.#files = files
    if (!isSame || !this.#mails) this.#mails = mailsOf(this.name, files.values(), nameIds)
  }

  /** Tells how long it takes until the files that it left out are quiet, if they stay so. */
  async #lookAtFiles(): Promise<{ files: Map<string, MailFile>; restMs: number }> {
    this.#files ??= keptFiles(this.#root, this.name)
    const pause = pauses()
    const files = new Map<string, MailFile>()
    let restMs = 0
    const folder = openBox(this.#root, this.name)
    try {
      this.#changedNs = folder.stat('.')?.mtimeNs
      for (const { name } of folder.entries()) {
        if (!isMailName(name)) continue
        const file = this.#look(folder, name)
        if (typeof file === 'number') restMs = Math.max(restMs, file)
        else if (file) files.set(name, file)
        await pause()
      }
    } finally {
      folder.close()
    }
    return { files, restMs }
  }

  /** The mail in a file, or how long to wait for it. */
  #look(folder: Folder, name: string): MailFile | number | undefined {
    const stat = folder.stat(name)
    if (!stat?.isFile() || stat.size === 0n) return undefined
    const known = this.#files?.get(name)
    if (known?.stamp === fileStamp(stat)) return known
    const restMs = this.#restMs(stat)
    if (restMs > 0) return restMs
    const read = withMail(folder, name, (mail) =>
      mailFileOf(this.name, name, mail.stat, mail.start(maxMailBytes)),
    )
    const after = folder.stat(name)
    if (!read || !after) return undefined
    if (fileStamp(after) !== read.stamp) return quietMs
    this.#newFiles++
    return read
  }

  /** What is sent is put in its place in one step. */
  #restMs({ mtimeMs }: BigIntStats): number {
    const age = this.#clock.now() - Number(mtimeMs)
    return this.name === 'inbox' && age >= 0 && age < quietMs ? quietMs - age + 5 : 0
  }
}

const idsOfNames = (box: BoxName, files: Iterable<MailFile>): NameIds =>
  new Map(
    Array.from(byContent(files), ([content, alike]) => [
      content,
      alike.map(({ name }) => nameId(box, name)),
    ]),
  )

function mailsOf(
  box: BoxName,
  files: Iterable<MailFile>,
  nameIds: NameIds,
): Map<string, LocatedMail> {
  const mails = new Map<string, LocatedMail>()
  for (const [content, [file]] of byContent(files)) {
    const ids = [...(nameIds.get(content) ?? []), content]
    const [id = content, ...otherIds] = ids
    const mail = { head: { ...file, box, id, otherIds, thread_id: file.thread ?? id }, file }
    for (const one of ids) mails.set(one, mail)
  }
  return mails
}

/** A file that begins with a dot is another program's, or not yet complete. */
const isMailName = (name: string): boolean => /^[^.][\s\S]*\.eml$/i.test(name)
