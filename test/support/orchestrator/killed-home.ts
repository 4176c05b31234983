/** An orchestrator with a vault and a mailbox, run as a user would, and what became of every mail and draft. */

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import type { DraftSend } from '../../../src/orchestrator/sends.ts'
import { type Note, readNote } from '../../../src/vault/notes.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { binary, type Env, ended, type Ran, start, worker } from '../agentmail.ts'
import { MailHome } from '../email/mail-home.ts'
import { oddTime } from '../loading.ts'
import type { FakeGmail } from '../providers/fake-gmail.ts'
import { keptSends } from './kept-sends.ts'
import { approveAsItIs, recordsIn } from './records-in.ts'

const rules = `---
rules:
  - subject: News
    decision: archive
  - subject: Question
    decision: draft_reply
    reply: Yes, of course.
---
`
const hourMs = 3600_000

/** Where mail comes from and goes to. */
export interface Post {
  add(subject: string, id?: string): string
  /** The subjects of what has left. */
  sent(): string[]
  /** Whether it can be found again what has left. */
  isHonest: boolean
}

interface FilesOptions {
  isHonest?: boolean
  env?: Env
  /** Where it is not below the home. */
  vault?: string
}

export class KilledHome {
  readonly home: MailHome
  vault: string
  readonly post: Post
  /** Ids of mails that are answered, and of those that are filed at once, by their subjects. */
  readonly questions = new Map<string, string>()
  readonly news = new Map<string, string>()
  /** The subjects of mails whose answers were approved. */
  readonly approved = new Set<string>()
  /** How far its clock is ahead, so that nobody waits for what is tried again later. */
  #aheadMs = 0
  #count = 0

  private constructor(home: MailHome, post: Post, env: Env, vault = home.vault) {
    this.home = home
    this.vault = vault
    this.post = post
    Object.assign(home.env, {
      VAULT_PATH: vault,
      AGENTMAIL_QUIET_SECONDS: '0',
      AGENTMAIL_LLM: undefined,
      ...env,
    })
    for (const name of ['Needs_Action', 'Drafts', 'Approved', 'Done', 'Logs']) {
      mkdirSync(join(this.vault, name), { recursive: true })
      // As if one had been killed before while it wrote.
      writeFileSync(join(this.vault, name, '.0123456789ab.agentmail-new'), 'half a no')
    }
    writeFileSync(join(this.vault, 'Rules.md'), rules)
  }

  /** Our own gmail server. */
  static gmail(fake: FakeGmail, env: Env = {}, vault?: string): KilledHome {
    fake.mailbox.mails.clear()
    fake.sent.length = 0
    const add = (subject: string) =>
      fake.addMail({
        raw: `From: zoe@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replace(/\W/g, '')}@a>\r\n\r\nWell?`,
      })
    const sent = () => fake.sent.map(({ mail }) => mail.subject ?? '')
    return new KilledHome(MailHome.gmail(fake), { add, sent, isHonest: true }, env, vault)
  }

  /** Our own gmail server on another account. */
  static with(post: Post, env: Env): KilledHome {
    return new KilledHome(new MailHome(), post, env)
  }

  /** A server that knows no keys, and perhaps finds nothing that was sent. */
  static files({ isHonest = true, env = {}, vault }: FilesOptions = {}) {
    const home = new MailHome()
    const folder = join(home.folder, 'mail')
    for (const name of ['inbox', 'sent']) mkdirSync(join(folder, name), { recursive: true })
    const add = (subject: string, id = subject.replace(/\W/g, '')) => {
      const head = { id, subject, sender: 'zoe@example.com', to: 'me@example.com' }
      const mail = { ...head, date: '2026-01-15T10:00:00Z', body: 'Well?' }
      writeFileSync(join(folder, 'inbox', id), JSON.stringify(mail))
      return id
    }
    const sent = () =>
      readdirSync(join(folder, 'sent')).map(
        (name) => JSON.parse(readFileSync(join(folder, 'sent', name), 'utf8')).subject,
      )
    const words = [process.execPath, worker('file-mail'), folder, ...(isHonest ? [] : ['forgets'])]
    const post = { add, sent, isHonest }
    const all = { GMAIL_MCP_SERVER: words.join(' '), ...env }
    return new KilledHome(home, post, all, vault)
  }

  /** Both servers behind relays, which can stop at a call. */
  relayed(): Env {
    const relay = [process.execPath, worker('relay'), this.home.folder]
    const own = (name: string) => [process.execPath, binary, 'mcp', name].join(' ')
    const gmail = this.home.env.GMAIL_MCP_SERVER ?? own('gmail')
    return {
      GMAIL_MCP_SERVER: [...relay, gmail].join(' '),
      OBSIDIAN_MCP_SERVER: [...relay, own('obsidian')].join(' '),
    }
  }

  /** A mail that is answered, and one that is filed at once. */
  addMails(): void {
    const count = String(++this.#count).padStart(3, '0')
    this.questions.set(`Question ${count}`, this.post.add(`Question ${count}`))
    this.news.set(`News ${count}`, this.post.add(`News ${count}`))
  }

  /** Every draft, by hand or by command. Gives the subject of the last mail that is answered. */
  async approve(): Promise<string> {
    for (const name of readdirSync(join(this.vault, 'Drafts'))) {
      if (!name.endsWith('.md')) continue
      const note = await readNote(new Vault(this.vault), `Drafts/${name}`)
      this.approved.add(String(note.frontmatter.subject).replace('Re: ', ''))
      if (this.approved.size % 2 === 0)
        await approveAsItIs(recordsIn(new Vault(this.vault)), note.path, { by: 'anna' })
      else renameSync(join(this.vault, note.path), join(this.vault, 'Approved', name))
    }
    return [...this.approved].at(-1) ?? ''
  }

  start(env: Env = {}, isOnce = true): ChildProcessWithoutNullStreams {
    const time = this.#aheadMs > 0 ? oddTime({ shiftMs: this.#aheadMs }) : {}
    const child = start(['orchestrate', '--json', ...(isOnce ? ['--once'] : [])], {
      env: { ...this.home.env, ...time, ...env },
      cwd: this.home.folder,
    })
    child.stdin.end()
    return child
  }

  async once(env: Env = {}): Promise<Ran> {
    const ran = await ended(this.start(env))
    expect([0, 1], ran.stderr).toContain(ran.exitCode)
    return ran
  }

  /** When everything that waited may be tried again. */
  later(env: Env = {}): Promise<Ran> {
    this.#aheadMs += 2 * hourMs
    return this.once(env)
  }

  /** Whether something has left and its note does not say so yet. */
  async isBehind(): Promise<boolean> {
    const done = (await this.notes()).filter(({ frontmatter: { status } }) => status === 'done')
    const subjects = new Set(done.map(({ frontmatter }) => frontmatter.subject))
    return this.post.sent().some((subject) => !subjects.has(subject))
  }

  async notes(): Promise<Note[]> {
    const paths = readdirSync(this.vault, { recursive: true, encoding: 'utf8' })
    const vault = new Vault(this.vault)
    return Promise.all(
      paths.filter((path) => path.endsWith('.md')).map((path) => readNote(vault, path)),
    )
  }

  /** Holds the vault against what was given to it and what has left; gives how each approved answer ended. */
  async check(): Promise<Record<string, 'sent' | 'unknown'>> {
    const notes = await this.notes()
    const ends: Record<string, 'sent' | 'unknown'> = {}
    const placesOf = (field: string, id: string) =>
      notes
        .filter((note) => note.frontmatter[field] === id)
        .map(({ path, frontmatter }) => `${path.split('/')[0]} ${frontmatter.status}`)
    for (const [subject, id] of this.news) {
      expect(placesOf('message_id', id), subject).toEqual(['Done done'])
    }
    const sent = this.post.sent()
    for (const [subject, id] of this.questions) {
      const count = sent.filter((one) => one === `Re: ${subject}`).length
      const [mail, reply] = [placesOf('message_id', id), placesOf('reply_to_message_id', id)]
      const found = { subject, count, mail, reply }
      const drafted = { subject, count: 0, mail: ['Needs_Action drafted'] }
      if (!this.approved.has(subject)) {
        expect(found).toEqual({ ...drafted, reply: ['Drafts pending_approval'] })
        continue
      }
      const isKnown = reply[0] === 'Done done'
      ends[subject] = isKnown ? 'sent' : 'unknown'
      const isSent = isKnown || (count === 1 && !this.post.isHonest)
      expect(found).toEqual({
        ...drafted,
        count: isSent ? 1 : 0,
        ...(isKnown && { mail: ['Done done'] }),
        reply: [isKnown ? 'Done done' : 'Approved unknown'],
      })
    }
    expect(sent.length).toBe(new Set(sent).size)
    const files = readdirSync(this.vault, { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => /^\.(?!orchestrator\.lock$)/.test(basename(path)))).toEqual([])
    this.state()
    return ends
  }

  /** What its runs remember can be read. */
  state(): unknown {
    return JSON.parse(readFileSync(this.stateFile, 'utf8'))
  }

  /** As a person moves a folder. */
  moveVault(): void {
    const place = `${this.vault}-moved`
    renameSync(this.vault, place)
    this.vault = place
    this.home.env.VAULT_PATH = place
  }

  /** As if it had never sent anything. */
  forgetSends(): void {
    rmSync(join(this.home.env.XDG_STATE_HOME ?? '', 'agentmail'), { recursive: true })
  }

  /** What the ledger has of its drafts. */
  sends(): Promise<DraftSend[]> {
    return keptSends(this.home.env, new Vault(this.vault))
  }

  get stateFile(): string {
    return join(this.vault, 'Logs/orchestrator_state.json')
  }
}
