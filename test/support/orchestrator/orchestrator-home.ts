/** A user's vault and mail in folders of their own, and `agentmail orchestrate` at work on them. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import * as z from 'zod'
import { initMailVault } from '../../../src/orchestrator/rules/init-mail-vault.ts'
import { type Note, readNote } from '../../../src/vault/notes.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { agentmail, type Env, type Ran } from '../agentmail.ts'
import { mail, putQuiet } from '../providers/local-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { versionOf } from './drafts-to-decide.ts'
import { retrySends } from './kept-sends.ts'
import { RunningOrchestrator } from './running-orchestrator.ts'

const eventSchema = z.looseObject({ at: z.iso.datetime(), event: z.string(), text: z.string() })
export type TestEvent = z.infer<typeof eventSchema>

export const eventOf = (line: string): TestEvent => eventSchema.parse(JSON.parse(line))

export interface Worked extends Ran {
  events: TestEvent[]
  /** The texts of the events of this name. */
  told(event: string): string[]
}

interface Incoming {
  subject: string
  from?: string
  body?: string
  date?: string
}

export class OrchestratorHome {
  readonly folder: string
  readonly root: string
  readonly vault: Vault
  readonly env: Env
  #dropped = 0

  private constructor(env: Env, atEnd?: (end: () => void) => void) {
    this.folder = temporaryFolder(atEnd)
    this.root = join(this.folder, 'vault')
    this.vault = new Vault(this.root)
    mkdirSync(join(this.folder, 'mail/inbox'), { recursive: true })
    this.env = {
      HOME: this.folder,
      XDG_STATE_HOME: join(this.folder, 'state'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      XDG_CACHE_HOME: join(this.folder, 'cache'),
      VAULT_PATH: this.root,
      AGENTMAIL_MAIL: 'local',
      AGENTMAIL_MAIL_DIR: join(this.folder, 'mail'),
      AGENTMAIL_MAIL_FROM: 'Anna <anna@example.org>',
      AGENTMAIL_QUIET_SECONDS: '0',
      AGENTMAIL_LLM: undefined,
      GMAIL_MCP_SERVER: undefined,
      OBSIDIAN_MCP_SERVER: undefined,
      ...env,
    }
  }

  /** @param rules as they stand in Rules.md. */
  static async make(
    rules: object[] = [],
    env: Env = {},
    atEnd?: (end: () => void) => void,
  ): Promise<OrchestratorHome> {
    const home = new OrchestratorHome(env, atEnd)
    await initMailVault(home.root)
    home.rules(rules)
    return home
  }

  rules(rules: object[]): void {
    this.put('Rules.md', `---\nrules: ${JSON.stringify(rules)}\n---\n`)
  }

  /** A mail comes in. */
  drop({ subject, body, ...rest }: Incoming): void {
    const count = ++this.#dropped
    const from = rest.from ?? 'Jane Doe <jane@example.com>'
    const date = rest.date ?? new Date(Date.now() - count * 1000).toUTCString()
    const id = `<${count}@example.com>`
    const text = mail({ From: from, Subject: subject, Date: date, 'Message-ID': id }, body)
    putQuiet(join(this.folder, `mail/inbox/${count}.eml`), text)
  }

  put(path: string, text: string): void {
    writeFileSync(join(this.root, path), text)
  }

  text = (path: string): string => readFileSync(join(this.root, path), 'utf8')
  move = (from: string, to: string): void => renameSync(join(this.root, from), join(this.root, to))
  remove = (path: string): void => rmSync(join(this.root, path), { recursive: true })
  removeIfThere = (path: string): void => rmSync(join(this.root, path), { force: true })

  /** A draft that a person has written. */
  draft(path: string, fields: object, body = 'Hello.\n'): void {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    this.put(path, `---\n${lines.join('\n')}\n---\n${body}`)
  }

  /** As a person does it in Obsidian. */
  approveByHand(path: string): string {
    const approved = path.replace(/^[^/]+/, 'Approved')
    this.move(path, approved)
    return approved
  }

  /** By command, as somebody who has looked at it just now. */
  async approve(path: string, ...args: string[]): Promise<Ran> {
    const drafts = (...words: string[]) => this.run(['drafts', ...words])
    return drafts('approve', path, '--version', await versionOf(drafts, path), ...args)
  }

  list(folder: string): string[] {
    return readdirSync(join(this.root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`)
      .sort()
  }

  note(path: string): Promise<Note> {
    return readNote(this.vault, path)
  }

  /** The one note in a folder that has this subject. */
  async noteOn(folder: string, subject: string): Promise<Note> {
    const notes = await Promise.all(this.list(folder).map((path) => this.note(path)))
    const found = notes.filter(({ frontmatter }) => frontmatter.subject === subject)
    if (found.length === 1 && found[0]) return found[0]
    throw new Error(`${found.length} notes in ${folder}/ have the subject ${subject}`)
  }

  sent(): Promise<Email[]> {
    const folder = join(this.folder, 'mail/sent')
    // What begins with a dot is what a killed process had not finished, and no mail.
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => !/^\./.test(name)) : []
    return Promise.all(
      names.sort().map((name) => PostalMime.parse(readFileSync(join(folder, name)))),
    )
  }

  async sentSubjects(): Promise<(string | undefined)[]> {
    return (await this.sent()).map(({ subject }) => subject).sort()
  }

  run(args: string[], env: Env = {}): Promise<Ran> {
    return agentmail(args, { cwd: this.folder, env: { ...this.env, ...env } })
  }

  async once(env: Env = {}): Promise<Worked> {
    const ran = await this.run(['orchestrate', '--once', '--json'], env)
    const events = ran.stdout.split('\n').filter(Boolean).map(eventOf)
    const told = (event: string) =>
      events.filter((one) => one.event === event).map(({ text }) => text)
    return { ...ran, events, told }
  }

  start(env: Env = {}, ...flags: string[]): RunningOrchestrator {
    return new RunningOrchestrator({ cwd: this.folder, env: { ...this.env, ...env } }, flags)
  }

  /** What failed is tried again by the next run, instead of later. */
  async retryNow(): Promise<void> {
    await retrySends(this.env, this.vault)
    const path = 'Logs/orchestrator_state.json'
    this.put(path, this.text(path).replaceAll(/"next_ms":\d+/g, '"next_ms":0'))
  }

  /** The lines of a log in the vault, of whatever day. */
  log(name: string): Record<string, unknown>[] {
    return readdirSync(join(this.root, 'Logs'))
      .filter((file) => file.startsWith(name) && file.endsWith('.jsonl'))
      .sort()
      .flatMap((file) => this.text(`Logs/${file}`).split('\n').filter(Boolean))
      .map((line) => JSON.parse(line))
  }
}
