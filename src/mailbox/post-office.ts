/** The folder where a repository's mail lies, and the files in it. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { sharedFolder } from './git.ts'
import { Mailbox } from './mailbox.ts'
import { mailboxFile, nameOfMailboxFile } from './names.ts'
import { Recipients } from './recipients.ts'

export class PostOffice {
  readonly dir: string
  readonly recipients: Recipients

  constructor(dir: string) {
    this.dir = dir
    this.recipients = new Recipients(join(dir, 'recipients.jsonl'))
  }

  /** The post office of the repository around `cwd`, or the one that AGENTMAIL_DIR names. */
  static async locate(config: Config, cwd = process.cwd()): Promise<PostOffice> {
    const dir = config.text('dir')
    return new PostOffice(dir ? resolve(cwd, dir) : join(await sharedFolder(cwd), '.agentmail'))
  }

  get pidFile(): string {
    return join(this.dir, 'mailman.pid')
  }

  get mailboxesDir(): string {
    return join(this.dir, 'mailboxes')
  }

  mailbox(name: string): Mailbox {
    const file = mailboxFile(name)
    const path = join(this.mailboxesDir, file)
    return new Mailbox({ path, positionPath: join(this.dir, 'positions', file) })
  }

  /** The names that have a mailbox, sorted. */
  mailboxNames(): string[] {
    try {
      return readdirSync(this.mailboxesDir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => nameOfMailboxFile(entry.name))
        .filter((name) => name !== undefined)
        .sort()
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return []
      throw error
    }
  }

  /** The windows that take no mail: one name a line of `.agentmailignore`, beside the post office. */
  ignored(): Set<string> {
    try {
      const lines = readFileSync(join(dirname(this.dir), '.agentmailignore'), 'utf8').split('\n')
      return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
    } catch {
      return new Set()
    }
  }

  /** Makes the folders, readable by their owner only and invisible to git. */
  create(): void {
    const folders = [this.dir, this.mailboxesDir, join(this.dir, 'positions')]
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      // A repository can bring a link along, and mail must not follow it out.
      if (!lstatSync(folder).isDirectory()) throw notAFolder(folder)
    }
    try {
      writeFileSync(join(this.dir, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

const notAFolder = (path: string) =>
  new AgentMailError(
    'storage',
    `the post office is not a plain folder: ${path}`,
    'Remove the link that stands there; set AGENTMAIL_DIR to keep the mail elsewhere.',
  )
