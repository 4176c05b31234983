/** A person's own folders, in which they log in to a mail account; and what of their password can be seen afterwards. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { agentmail, type Env, type Ran } from '../../agentmail.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { startSmtpServer } from '../smtp-server.ts'

export class LoginHome {
  readonly folder = temporaryFolder()
  readonly path = join(this.folder, 'config/agentmail/mail.json')
  readonly env: Env

  constructor(more: Env = {}) {
    this.env = {
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      XDG_STATE_HOME: join(this.folder, 'state'),
      ...more,
    }
  }

  /** Whatever it says, the password that is piped in is no part of it. */
  async run(args: string[], password = '', more: Env = {}): Promise<Ran> {
    const input = password === '' ? '' : `${password}\n`
    const ran = await agentmail(args, { cwd: this.folder, env: { ...this.env, ...more }, input })
    if (password !== '') expect(tracesOf(password, ran.stdout + ran.stderr)).toEqual([])
    return ran
  }

  /** What is kept; nothing where there is no login, and nothing else is left behind either. */
  kept(): Record<string, unknown> | undefined {
    if (existsSync(this.path)) return JSON.parse(readFileSync(this.path, 'utf8'))
    const folder = join(this.folder, 'config/agentmail')
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
    return undefined
  }
}

/** In which forms a secret stands in a text. */
export function tracesOf(secret: string, text: string): string[] {
  const bytes = Buffer.from(secret)
  const forms = [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('hex'),
  ]
  return forms.filter((form) => text.includes(form))
}

/** A server that sends for one account, until the test is over. */
export async function smtpWith(password: string, user = 'jane@example.test') {
  const server = await startSmtpServer({ user, password })
  onTestFinished(() => server.close())
  return server
}
