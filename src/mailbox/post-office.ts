/** The folder where a repository's mail lies, and the files in it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { log } from '../system/log.ts'
import {
  checkPlainFolder,
  checkPostOffice,
  makePostOffice,
  postOfficeFolder,
  withStorageErrors,
} from '../system/post-office-folder.ts'
import { Mailbox } from './mailbox.ts'
import { mailboxFile, nameOfMailboxFile } from './names.ts'
import { Recipients } from './recipients.ts'
import { MailReceipts } from './sent/mail-receipts.ts'
import { hasLeft } from './whereabouts.ts'

/** A larger file is no list of windows. */
const maxIgnoreBytes = 1 << 20

export class PostOffice {
  readonly dir: string
  readonly recipients: Recipients
  readonly #config: Config | undefined

  constructor(dir: string, config?: Config) {
    this.dir = dir
    this.#config = config
    this.recipients = new Recipients(join(dir, 'recipients.jsonl'))
  }

  /** The post office of the repository around a folder, by default this one, or the one that AGENTMAIL_DIR names. */
  static async locate(config: Config, folder?: string): Promise<PostOffice> {
    const office = new PostOffice(await postOfficeFolder(config, folder), config)
    office.folders.forEach(checkPlainFolder)
    return office
  }

  /** For whoever looks for what is wrong with it. */
  static async locateUnchecked(config: Config): Promise<PostOffice> {
    return new PostOffice(await postOfficeFolder(config), config)
  }

  /** Whether a command in this folder finds this post office; true where that cannot be known. */
  async isFoundFrom(folder: string): Promise<boolean> {
    if (!this.#config || !existsSync(folder)) return true
    const found = await postOfficeFolder(this.#config, folder).catch(() => undefined)
    return found === this.dir
  }

  /** How the person is called: an address of its own, and never a mailbox that agents read. */
  get person(): string | undefined {
    return this.#config?.text('person')?.trim()
  }

  /** One that came with its repository is not, and neither is one that is not there. */
  get isUsable(): boolean {
    if (!existsSync(this.mailboxesDir)) return false
    try {
      this.check()
      return true
    } catch (error) {
      log(`${this.dir} is left alone: ${error instanceof Error ? error.message : error}`)
      return false
    }
  }

  get folders(): string[] {
    return [this.dir, this.mailboxesDir, this.positionsDir, this.receiptsDir]
  }

  get pidFile(): string {
    return join(this.dir, 'mailman.pid')
  }

  get mailboxesDir(): string {
    return join(this.dir, 'mailboxes')
  }

  /** Where unread mail starts in each mailbox: see position.ts. */
  get positionsDir(): string {
    return join(this.dir, 'positions')
  }

  /** When the mail of each mailbox was told and read. */
  get receiptsDir(): string {
    return join(this.dir, 'receipts')
  }

  receipts(name: string): MailReceipts {
    return new MailReceipts(join(this.receiptsDir, mailboxFile(name)))
  }

  mailbox(name: string): Mailbox {
    const file = mailboxFile(name)
    const path = join(this.mailboxesDir, file)
    return new Mailbox({ path, positionPath: join(this.positionsDir, file) })
  }

  /** The names that have a mailbox, sorted. */
  mailboxNames(): string[] {
    if (!existsSync(this.mailboxesDir)) return []
    const entries = withStorageErrors(() => readdirSync(this.mailboxesDir, { withFileTypes: true }))
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => nameOfMailboxFile(entry.name))
      .filter((name) => name !== undefined)
      .sort()
  }

  /** Those who have used it, or were written to, as far as they take mail; whose name nobody has any more is none. */
  recipientNames(known = this.recipients.list()): string[] {
    const ignored = this.ignored()
    const left = new Set(known.filter(hasLeft).map(({ name }) => name))
    const names = new Set([...known.map(({ name }) => name), ...this.mailboxNames()])
    const takesMail = (name: string) =>
      !left.has(name) && !ignored.has(name) && name !== this.person
    return [...names].filter(takesMail)
  }

  /** The windows that take no mail: one name a line of `.agentmailignore`, beside the post office. */
  ignored(): Set<string> {
    const file = join(dirname(this.dir), '.agentmailignore')
    try {
      const found = statSync(file)
      const isList = found.isFile() && found.size <= maxIgnoreBytes
      const lines = isList ? readFileSync(file, 'utf8').split('\n') : []
      return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
    } catch {
      return new Set()
    }
  }

  /** Refuses one that came with the repository. */
  check(): void {
    checkPostOffice(this.dir)
  }

  create(): void {
    makePostOffice(this.folders)
  }
}
