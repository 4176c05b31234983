/** A user's places for mail, and processes that send from there through a fake service. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { agentmail, type Env, ended, type Ran, start } from '../agentmail.ts'
import { LineClient } from '../mcp/line-client.ts'
import type { FakeGmail } from '../providers/fake-gmail.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** How a call to send ended, by command or by tool. */
export type Outcome =
  | { is: 'sent'; message_id: string }
  | { is: 'unknown' }
  | { is: 'not sent'; text: string }

export interface Mail {
  to: string
  subject: string
  body: string
  key?: string | undefined
}

const receiptSchema = z.object({ message_id: z.string() })
const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ text: z.string() })]),
})
const logSchema = z.object({
  mails: z.array(
    z.object({
      id: z.string().nullable(),
      state: z.string(),
      subject: z.string(),
      to: z.string(),
      message_id: z.string().nullable(),
      is_audited: z.boolean(),
    }),
  ),
})
export type LoggedMail = z.infer<typeof logSchema>['mails'][number]

export class MailHome {
  readonly folder: string
  readonly vault: string
  /** Where the ledger is. */
  readonly state: string
  readonly env: Env

  constructor(env: Env = {}, atEnd?: (end: () => void) => void) {
    this.folder = temporaryFolder(atEnd)
    this.vault = join(this.folder, 'vault')
    this.state = join(this.folder, 'state/agentmail')
    for (const folder of [join(this.vault, 'Logs'), join(this.state, 'senders')]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    }
    this.env = {
      HOME: this.folder,
      XDG_STATE_HOME: join(this.folder, 'state'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      VAULT_PATH: this.vault,
      AGENTMAIL_MAIL: undefined,
      AGENTMAIL_SMTP_URL: undefined,
      POSTMARK_SERVER_TOKEN: undefined,
      ...env,
    }
  }

  /** With an account at this Gmail. */
  static gmail(fake: FakeGmail, env: Env = {}, atEnd?: (end: () => void) => void): MailHome {
    const home = new MailHome({ ...env }, atEnd)
    const own = join(home.folder, 'config/agentmail/gmail')
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const client = { client_id: 'client', client_secret: 'GOCSPX-secret-of-the-client' }
    const put = (name: string, value: object) =>
      writeFileSync(join(own, name), JSON.stringify(value), { mode: 0o600 })
    put('client_secret.json', { installed: { ...client, redirect_uris: ['http://localhost'] } })
    put('token.json', fake.login.grant())
    Object.assign(home.env, {
      AGENTMAIL_MAIL: 'gmail',
      GMAIL_BASE_URL: fake.url,
      GOOGLE_OAUTH_BASE_URL: fake.url,
      GMAIL_TOKEN_PATH: undefined,
      GMAIL_CREDENTIALS_PATH: undefined,
      AGENTMAIL_GMAIL_ACCOUNT: undefined,
    })
    return home
  }

  run(args: string[], env: Env = {}): Promise<Ran> {
    return agentmail(args, { env: { ...this.env, ...env }, cwd: this.folder })
  }

  /** `agentmail mail send`, under way. */
  startSend({ to, subject, body, key }: Mail, env: Env = {}): ChildProcessWithoutNullStreams {
    const words = ['--to', to, '--subject', subject, '--body', body, '--json']
    const keyed = key === undefined ? words : [...words, '--key', key]
    const child = start(['mail', 'send', ...keyed], { env: { ...this.env, ...env } })
    child.stdin.end()
    return child
  }

  async send(mail: Mail, env: Env = {}): Promise<Outcome> {
    return outcomeOf(await ended(this.startSend(mail, env)))
  }

  /** `agentmail mcp gmail` or another toolset. */
  server(env: Env = {}, toolset = 'gmail'): Promise<LineClient> {
    return LineClient.open({ env: { ...this.env, ...env }, args: ['mcp', toolset] })
  }

  async log(env: Env = {}): Promise<LoggedMail[]> {
    const { stdout, stderr } = await this.run(['mail', 'log', '--json', '--limit', '500'], env)
    if (stderr !== '') throw new Error(stderr)
    return logSchema.parse(JSON.parse(stdout)).mails
  }

  /** The subjects in the audit, as it is on disk now. */
  audited(): string[] {
    const logs = join(this.vault, 'Logs')
    return readdirSync(logs)
      .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).subject)
  }
}

export function outcomeOf({ exitCode, stdout, stderr }: Ran): Outcome {
  if (exitCode === 0) return { is: 'sent', ...receiptSchema.parse(JSON.parse(stdout)) }
  return stderr.includes('It is not known whether')
    ? { is: 'unknown' }
    : { is: 'not sent', text: stderr }
}

/** send_email of the gmail tools. */
export async function sendByTool(server: LineClient, { key, ...mail }: Mail): Promise<Outcome> {
  const { result } = await server.call('send_email', { ...mail, idempotency_key: key })
  const { isError, content } = resultSchema.parse(result)
  const { text } = content[0]
  if (!isError) return { is: 'sent', ...receiptSchema.parse(JSON.parse(text)) }
  return JSON.parse(text).details?.outcome === 'unknown'
    ? { is: 'unknown' }
    : { is: 'not sent', text }
}
