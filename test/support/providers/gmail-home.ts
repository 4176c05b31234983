/** A user's config folder with a Gmail account in it, and the commands run on it. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { Config } from '../../../src/config.ts'
import { agentmail, type Env, ended, type Ran, start } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { client, type FakeGoogleLogin } from './fake-google-login.ts'

export class GmailHome {
  readonly folder = temporaryFolder()
  readonly #google: FakeGoogleLogin
  readonly #env: Env

  constructor(google: FakeGoogleLogin, env: Env = {}) {
    this.#google = google
    this.#env = env
    this.put('client_secret.json', { installed: client })
  }

  get env(): Env {
    return {
      XDG_CONFIG_HOME: this.folder,
      GOOGLE_OAUTH_BASE_URL: `${this.#google.url}/`,
      GMAIL_BASE_URL: this.#google.url,
      GMAIL_TOKEN_PATH: undefined,
      GMAIL_CREDENTIALS_PATH: undefined,
      AGENTMAIL_GMAIL_ACCOUNT: undefined,
      DISPLAY: undefined,
      WAYLAND_DISPLAY: undefined,
      GOOGLE_SDK_NODE_LOGGING: 'all', // the library would log tokens to stderr
      ...this.#env,
    }
  }

  get config(): Config {
    return new Config({}, this.env)
  }

  path(name = 'token.json'): string {
    return join(this.folder, 'agentmail/gmail', name)
  }

  put(name: string, content: unknown, mode = 0o600): void {
    mkdirSync(dirname(this.path(name)), { recursive: true, mode: 0o700 })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(this.path(name), text, { mode })
  }

  remove(name: string): void {
    rmSync(this.path(name))
  }

  token(name = 'token.json'): Record<string, unknown> {
    return JSON.parse(readFileSync(this.path(name), 'utf8'))
  }

  mode(path: string): string {
    return (statSync(path).mode & 0o777).toString(8)
  }

  async run(...args: string[]): Promise<Ran> {
    return this.#checked(await agentmail(['gmail', ...args], { env: this.env }))
  }

  start(...args: string[]) {
    return start(['gmail', ...args], { env: this.env })
  }

  /** Begins a login and gives the address that it shows. */
  async login(...args: string[]) {
    const child = this.start('login', ...args)
    let shown = ''
    child.stdout.on('data', (chunk) => {
      shown += chunk
    })
    const done = ended(child).then((ran) => this.#checked(ran))
    const url = await eventually(
      'an address is shown',
      () => /http:[^\s"]+\/auth\?[^\s"]+/.exec(shown)?.[0],
    )
    return { child, url, done }
  }

  /** Whatever was printed, no secret was. */
  #checked(ran: Ran): Ran {
    const printed = ran.stdout + ran.stderr
    expect(this.#google.secrets.filter((secret) => printed.includes(secret))).toEqual([])
    expect(this.#google.secrets.length).toBeGreaterThan(0)
    return ran
  }
}

const hour = 3_600_000
export const expired = { expiry_date: Date.now() - hour }
export const valid = { expiry_date: Date.now() + hour }

/** A home that is logged in, by a token with `extra` in its file. */
export function homeWith(google: FakeGoogleLogin, extra: object) {
  const home = new GmailHome(google)
  const token = google.issue()
  home.put('token.json', { ...token, ...extra })
  return { home, token }
}
