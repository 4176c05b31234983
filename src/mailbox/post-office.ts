/** The folder where a repository's mail lies, and the files in it. */
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { sharedFolder } from './git.ts'
import { Mailbox } from './mailbox.ts'
import { mailboxFile, nameOfMailboxFile } from './names.ts'
import { Recipients } from './recipients.ts'
import { openRegularFile } from './regular-file.ts'
import { withStorageErrors } from './storage-error.ts'

export class PostOffice {
  readonly dir: string
  readonly recipients: Recipients

  constructor(dir: string) {
    this.dir = dir
    this.recipients = new Recipients(join(dir, 'recipients.jsonl'))
  }

  /** The post office of the repository around this folder, or the one that AGENTMAIL_DIR names. */
  static async locate(config: Config): Promise<PostOffice> {
    const office = await PostOffice.locateUnchecked(config)
    office.#checkFolders()
    return office
  }

  /** For whoever looks for what is wrong with it. */
  static async locateUnchecked(config: Config): Promise<PostOffice> {
    const cwd = currentFolder()
    const dir = config.text('dir')
    return new PostOffice(dir ? resolve(cwd, dir) : join(await sharedFolder(cwd), '.agentmail'))
  }

  get folders(): string[] {
    return [this.dir, this.mailboxesDir, this.positionsDir]
  }

  /** A repository can bring a link along, and mail must not follow it out. */
  #checkFolders(): void {
    for (const folder of this.folders) {
      const found = withStorageErrors(() => lstatSync(folder, { throwIfNoEntry: false }))
      if (found && !found.isDirectory()) throw notAFolder(folder)
    }
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

  /** The windows that take no mail: one name a line of `.agentmailignore`, beside the post office. */
  ignored(): Set<string> {
    const file = join(dirname(this.dir), '.agentmailignore')
    try {
      const lines = statSync(file).isFile() ? readFileSync(file, 'utf8').split('\n') : []
      return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
    } catch {
      return new Set()
    }
  }

  /** Makes the folders, readable by their owner only and invisible to git. */
  create(): void {
    this.#checkFolders()
    withStorageErrors(() => {
      for (const folder of this.folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
      const ignoreAll = openRegularFile(join(this.dir, '.gitignore'), { create: true })
      if (fstatSync(ignoreAll).size === 0) writeSync(ignoreAll, '*\n')
      closeSync(ignoreAll)
    })
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw new AgentMailError(
      'not_in_repository',
      'not in a git repository',
      'The current folder is gone. Go into one that exists.',
    )
  }
}

const notAFolder = (path: string) =>
  new AgentMailError(
    'storage',
    `the post office is not a plain folder: ${path}`,
    'Remove the link that stands there; set AGENTMAIL_DIR to keep the mail elsewhere.',
  )
