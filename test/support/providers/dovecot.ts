/** A real Dovecot with accounts of its own: any name, one password, a Maildir each that tests may write into. */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { onTestFinished } from 'vitest'
import type { AtEnd } from '../at-end.ts'
import { pathOf } from '../parts.ts'
import { freePort, ServerProcess } from '../server-process.ts'
import { dovecotSettings, type Owner } from './dovecot-settings.ts'

export interface DovecotOptions {
  /** Between the names of a folder and of one in it: `/` unless it says otherwise. */
  separator?: '/' | '.'
  /** What the names of all folders but INBOX begin with, such as `INBOX.`. */
  prefix?: string
  /** Capabilities that it does without, such as IDLE, MOVE, UIDPLUS, SPECIAL-USE. */
  without?: string[]
  /** Flags of one's own cannot be set. */
  withoutKeywords?: boolean
  /** Folders for sent mail, drafts, spam and trash are not there from the start. */
  withoutFolders?: boolean
  /** Can speak TLS, with a certificate that nobody knows. */
  tls?: boolean
  /** Knows people by what stands before the @, and nobody by an address. */
  shortNames?: boolean
  /** For so many seconds who was wrong waits for the answer. */
  failureDelay?: number
  /** How many connections an account may have at once. */
  connections?: number
}

export interface Delivery {
  folder?: string
  isRead?: boolean
  /** When it came. */
  at?: Date
}

export const dovecotPassword = 'p@ss/w:rd?ü'

/** It serves no account of root: mails then belong to a user that every system has. */
const { uid, gid, username } = userInfo()
const owner: Owner =
  uid === 0 ? { uid: 8, gid: 8 } : { uid, gid, user: username, group: groupName() }

function groupName(): string {
  return execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()
}

export class Dovecot {
  readonly port: number
  /** With TLS from the start. */
  readonly securePort: number
  readonly #server: ServerProcess
  #delivered = 0

  private constructor(server: ServerProcess, port: number, securePort: number) {
    this.#server = server
    this.port = port
    this.securePort = securePort
  }

  static async start(
    options: DovecotOptions = {},
    atEnd: AtEnd = onTestFinished,
  ): Promise<Dovecot> {
    const server = new ServerProcess('dovecot')
    const dovecot = new Dovecot(server, await freePort(), await freePort())
    atEnd(async () => {
      await server.end('SIGKILL')
      server.remove()
    })
    const { folder } = server
    const home = join(folder, 'home')
    mkdirSync(home)
    chownSync(home, owner.uid, owner.gid)
    chmodSync(folder, 0o755)
    if (options.tls) makeCertificate(folder)
    const { port, securePort } = dovecot
    const place = { folder, port, securePort, password: dovecotPassword, owner }
    for (const [name, text] of Object.entries(dovecotSettings(place, options)))
      writeFileSync(join(folder, name), text)
    await dovecot.resume()
    return dovecot
  }

  /** What it has logged. */
  get log(): string {
    return this.#server.log
  }

  /** The address of an account: what AGENTMAIL_IMAP_URL takes. */
  url(user: string, port = this.port): string {
    const login = [user, dovecotPassword].map(encodeURIComponent).join(':')
    return `imap${port === this.securePort ? 's' : ''}://${login}@127.0.0.1:${port}`
  }

  /** Ends it, and every connection to it. */
  async pause(): Promise<void> {
    await this.#server.end('SIGTERM')
  }

  async resume(): Promise<void> {
    await this.#server.start({
      program: pathOf('dovecot'),
      args: ['-F', '-c', this.#settings],
      isReady: () => answers(this.port),
      timeoutMs: 30_000,
    })
  }

  get #settings(): string {
    return join(this.#server.folder, 'dovecot.conf')
  }

  /** Brings mail as a mail server does: it is complete at once, and whoever waits for it is told. */
  deliver(user: string, raw: string | Buffer, { folder, isRead, at }: Delivery = {}): string {
    const maildir = this.maildir(user, folder)
    const name = `${Math.floor(Date.now() / 1000)}.M${++this.#delivered}P${process.pid}.test`
    const written = join(maildir, 'tmp', name)
    writeFileSync(written, raw)
    if (at) utimesSync(written, at, at)
    chownSync(written, owner.uid, owner.gid)
    const place = join(maildir, isRead ? `cur/${name}:2,S` : `new/${name}`)
    renameSync(written, place)
    return place
  }

  /** The Maildir of an account's inbox, or of a folder directly below it; made where it is missing. */
  maildir(user: string, folder?: string): string {
    const steps = [join(this.#server.folder, 'home', user), 'Maildir', ...(folder ? [folder] : [])]
    let path = ''
    for (const step of steps) {
      path = join(path, step)
      make(path)
    }
    for (const part of ['cur', 'new', 'tmp']) make(join(path, part))
    return path
  }

  /** All UIDs of a folder count no more: the mails are as new. */
  renumber(user: string, folder = 'INBOX', uidValidity = Date.now() % 4e9): void {
    this.#doveadm('mailbox', 'update', '-u', user, '--uid-validity', `${uidValidity}`, folder)
  }

  #doveadm(...args: string[]): string {
    return execFileSync(pathOf('doveadm'), ['-c', this.#settings, ...args], { encoding: 'utf8' })
  }

  /** Another mail program on the account. */
  async client(user: string, atEnd: AtEnd = onTestFinished, port = this.port): Promise<ImapFlow> {
    const auth = { user, pass: dovecotPassword }
    const client = new ImapFlow({ host: '127.0.0.1', port, auth, secure: false, logger: false })
    client.on('error', () => {}) // a server that ends is no failure of the test
    await client.connect()
    atEnd(() => client.close())
    return client
  }
}

function make(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) !== undefined) chownSync(folder, owner.uid, owner.gid)
}

function makeCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync(pathOf('openssl'), ['req', '-x509', ...key, ...files, ...names], { stdio: 'pipe' })
}

/** Greets once it can be logged in to. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    let greeting = ''
    socket.on('data', (chunk) => {
      greeting += chunk
      if (!/^\* OK \[CAPABILITY/m.test(greeting)) return
      resolve(true)
      socket.destroy()
    })
  })
}
