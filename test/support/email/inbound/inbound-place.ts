/** A server that takes in mail by HTTP, what is brought to it, and what it has stored. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Env } from '../../agentmail.ts'
import type { AtEnd } from '../../at-end.ts'
import { ask, type Reply } from '../../server/http.ts'
import { TestServer } from '../../server/server.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

export const inboundSecret = 'inb0und-s3cret-of-the-tests'

export class InboundPlace {
  readonly folder: string
  readonly mailDir: string
  readonly db: string
  readonly env: Env
  readonly #atEnd: AtEnd
  server!: TestServer

  private constructor(env: Env, atEnd: AtEnd) {
    this.#atEnd = atEnd
    this.folder = temporaryFolder(atEnd)
    this.mailDir = join(this.folder, 'mail')
    this.db = join(this.folder, 'agentmail.db')
    this.env = {
      AGENTMAIL_MAIL: 'local',
      AGENTMAIL_MAIL_DIR: this.mailDir,
      AGENTMAIL_INBOUND_SECRET: inboundSecret,
      AGENTMAIL_INBOUND_RATE: '100000',
      ...env,
    }
  }

  static async start(env: Env = {}, atEnd: AtEnd = onTestFinished): Promise<InboundPlace> {
    const place = new InboundPlace(env, atEnd)
    await place.restart()
    return place
  }

  async restart(): Promise<void> {
    const { env, db, folder: cwd } = this
    this.server = await TestServer.start({ env, db, cwd }, this.#atEnd)
  }

  /** Brings a mail: an object as Postmark does, else as it came. */
  post(mail: object | string | Buffer, options: PostOptions = {}): Promise<Reply> {
    const isRaw = typeof mail === 'string' || Buffer.isBuffer(mail)
    const { secret = inboundSecret, path, headers = {}, body } = options
    return ask(this.server.url, {
      method: 'POST',
      path: path ?? `/inbound/${isRaw ? 'raw' : 'postmark'}/${secret}`,
      headers: { 'content-type': isRaw ? 'message/rfc822' : 'application/json', ...headers },
      body: body ?? (isRaw ? mail : JSON.stringify(mail)),
    })
  }

  /** The names of the files in inbox/, with what is not complete. */
  names(): string[] {
    const inbox = join(this.mailDir, 'inbox')
    return existsSync(inbox) ? readdirSync(inbox).sort() : []
  }

  /** The mails in inbox/ that are complete, as far as their names tell. */
  get mails(): string[] {
    return this.names().filter((name) => !name.startsWith('.'))
  }

  read(name: string): Buffer {
    return readFileSync(join(this.mailDir, 'inbox', name))
  }

  stored(): string[] {
    return this.names().map((name) => readFileSync(join(this.mailDir, 'inbox', name), 'utf8'))
  }
}

interface PostOptions {
  secret?: string
  path?: string
  headers?: Record<string, string>
  /** In parts, without a length before them. */
  body?: Iterable<Buffer>
}

export const rawMail = (subject: string, body = 'Hi'): string =>
  `From: Ada <ada@example.com>\r\nTo: bob@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.com>\r\nDate: Tue, 1 Jul 2025 10:00:00 +0000\r\n\r\n${body}\r\n`
