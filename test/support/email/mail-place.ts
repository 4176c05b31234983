/** An account to try the mail tools on: a fake Gmail or a folder of local mail, with a vault and folders of its own. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { onTestFinished } from 'vitest'
import { readHeaders } from '../../../src/mime/mail-headers.ts'
import { contentId } from '../../../src/providers/local/id.ts'
import { isRecord } from '../../../src/system/text.ts'
import type { Env } from '../agentmail.ts'
import type { AtEnd } from '../at-end.ts'
import { connect } from '../mcp/mcp-client.ts'
import { ToolClient } from '../mcp/tool-client.ts'
import { FakeGmail } from '../providers/fake-gmail.ts'
import { putQuiet } from '../providers/local-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const client = {
  client_id: 'client',
  client_secret: 'secret-of-the-client',
  redirect_uris: ['http://localhost'],
}

export abstract class MailPlace {
  readonly folder: string
  readonly vault: string
  readonly #atEnd: AtEnd

  constructor(atEnd: AtEnd) {
    this.#atEnd = atEnd
    this.folder = temporaryFolder(atEnd)
    this.vault = join(this.folder, 'vault')
    mkdirSync(this.vault)
  }

  /** Puts a mail into the inbox and gives its id. */
  abstract add(raw: string | Buffer, options?: { isRead?: boolean }): string
  /** What has left, in the order of its ids or as it was sent. */
  abstract sent(): Promise<{ id: string; mail: Email }[]>
  protected abstract readonly accountEnv: Env

  get env(): Env {
    return {
      AGENTMAIL_MAIL: undefined,
      AGENTMAIL_MAIL_DIR: undefined,
      AGENTMAIL_SEND_POLICY: undefined,
      AGENTMAIL_SEND_TO: undefined,
      VAULT_PATH: this.vault,
      XDG_STATE_HOME: join(this.folder, 'state'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      ...this.accountEnv,
    }
  }

  /** The gmail server on this account. */
  async tools(env: Env = {}, atEnd: AtEnd = onTestFinished): Promise<ToolClient> {
    const options = { env: { ...this.env, ...env }, args: ['mcp', 'gmail'], cwd: this.folder }
    return new ToolClient(await connect('auto', options, atEnd))
  }

  async mailSent(id: unknown): Promise<Email> {
    const found = (await this.sent()).filter((mail) => mail.id === id)
    if (found.length === 1 && found[0]) return found[0].mail
    throw new Error(`${found.length} mails were sent with this id`)
  }

  /** The lines of the audit, as they are on disk now. */
  audit(logs = join(this.vault, 'Logs')): string[] {
    return namesIn(logs)
      .filter((name) => name !== 'proposals.jsonl')
      .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n').slice(0, -1))
  }

  drafts(): string[] {
    return namesIn(join(this.vault, 'Drafts'))
  }

  protected atEnd(end: () => void | Promise<void>): void {
    this.#atEnd(end)
  }
}

export class GmailPlace extends MailPlace {
  readonly fake: FakeGmail

  private constructor(atEnd: AtEnd, fake: FakeGmail) {
    super(atEnd)
    this.fake = fake
    this.atEnd(() => fake.stop())
    writeFileSync(join(this.folder, 'client.json'), JSON.stringify({ installed: client }))
    this.putToken(fake.login.grant())
  }

  static async make(atEnd: AtEnd = onTestFinished): Promise<GmailPlace> {
    return new GmailPlace(atEnd, await FakeGmail.start())
  }

  putToken(token: object): void {
    writeFileSync(join(this.folder, 'token.json'), JSON.stringify(token), { mode: 0o600 })
  }

  add(raw: string | Buffer, { isRead = false } = {}): string {
    return this.fake.addMail({ raw, labelIds: isRead ? ['INBOX'] : ['INBOX', 'UNREAD'] })
  }

  async sent() {
    return this.fake.sent
  }

  protected get accountEnv(): Env {
    return {
      GMAIL_BASE_URL: this.fake.url,
      GOOGLE_OAUTH_BASE_URL: this.fake.url,
      GMAIL_TOKEN_PATH: join(this.folder, 'token.json'),
      GMAIL_CREDENTIALS_PATH: join(this.folder, 'client.json'),
    }
  }
}

export class LocalPlace extends MailPlace {
  readonly mailDir = join(this.folder, 'mail')
  #count = 0

  constructor(atEnd: AtEnd = onTestFinished) {
    super(atEnd)
    mkdirSync(join(this.mailDir, 'inbox'), { recursive: true })
  }

  add(raw: string | Buffer, { isRead = false } = {}): string {
    const name = `${++this.#count}.eml`
    putQuiet(join(this.mailDir, 'inbox', name), raw)
    const id = idOf('inbox', Buffer.from(raw))
    if (isRead) writeFileSync(join(this.mailDir, 'labels.json'), this.#labelsWith(id))
    return id
  }

  sent() {
    const folder = join(this.mailDir, 'sent')
    return Promise.all(
      namesIn(folder).map(async (name) => {
        const raw = readFileSync(join(folder, name))
        return { id: idOf('sent', raw), mail: await PostalMime.parse(raw) }
      }),
    )
  }

  protected get accountEnv(): Env {
    return { AGENTMAIL_MAIL: 'local', AGENTMAIL_MAIL_DIR: this.mailDir }
  }

  #labelsWith(id: string): string {
    const isThere = namesIn(this.mailDir).includes('labels.json')
    const known: unknown = isThere
      ? JSON.parse(readFileSync(join(this.mailDir, 'labels.json'), 'utf8'))
      : {}
    return JSON.stringify({ ...(isRecord(known) ? known : {}), [id]: ['INBOX'] })
  }
}

function idOf(box: 'inbox' | 'sent', raw: Buffer): string {
  const block = readHeaders(raw)
  return contentId(box, block, raw.subarray(block.bodyStart ?? raw.length))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
