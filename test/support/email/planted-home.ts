/** A user with secrets everywhere, whose commands and servers are listened to. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Env, ended, type Ran, start } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { MailHome } from './mail-home.ts'
import { filesWithSecrets, foreign, own, secretsIn } from './planted-secrets.ts'

/** The files in which secrets belong. */
const isTokenFile = (path: string) =>
  /config\/agentmail\/gmail\/(token|client_secret)\.json$/.test(path)

export class PlantedHome extends MailHome {
  /** Whatever was printed, with what printed it. */
  readonly #printed: [string, string][] = []
  #forgotten = 0

  constructor(url: string, env: Env = {}) {
    super({
      ...foreign,
      POSTMARK_BASE_URL: url,
      GMAIL_BASE_URL: url,
      GOOGLE_OAUTH_BASE_URL: url,
      POSTMARK_SERVER_TOKEN: own.postmarkToken,
      AGENTMAIL_TOKEN: own.bearerToken,
      DEFAULT_FROM_ADDRESS: 'me@example.com',
      AGENTMAIL_MAIL_FROM: 'me@example.com',
      AGENTMAIL_SEND_TIMEOUT_SECONDS: '2',
      AGENTMAIL_SMTP_URL: `smtp://me:${encodeURIComponent(own.smtpPassword)}@127.0.0.1:1`,
      AGENTMAIL_IMAP_URL: `imap://me:${encodeURIComponent(own.imapPassword)}@127.0.0.1:1`,
      ENABLE_LOGGING: 'true',
      GOOGLE_SDK_NODE_LOGGING: 'all', // the library would log tokens to stderr
      NODE_DEBUG: undefined,
      ...env,
    })
    this.env.AGENTMAIL_DIR = join(this.folder, 'office')
    const folder = join(this.folder, 'config/agentmail/gmail')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const put = (name: string, value: object) =>
      writeFileSync(join(folder, name), JSON.stringify(value), { mode: 0o600 })
    const client = { client_id: 'client', client_secret: own.clientSecret }
    put('client_secret.json', { installed: { ...client, redirect_uris: ['http://localhost'] } })
    put('token.json', {
      access_token: own.accessToken,
      refresh_token: own.refreshToken,
      id_token: own.idToken,
      expiry_date: Date.now() + 3_600_000,
      ...client,
    })
  }

  /** Puts a note into the vault. */
  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.vault, path)), { recursive: true })
    writeFileSync(join(this.vault, path), text)
  }

  /** Lets the orchestrator begin anew; what it had kept is looked through all the same. */
  forget(): void {
    const logs = join(this.vault, 'Logs')
    renameSync(join(logs, 'orchestrator_state.json'), join(logs, `old${++this.#forgotten}.json`))
  }

  override async run(args: string[], env: Env = {}): Promise<Ran> {
    const ran = await super.run(args, env)
    this.#printed.push([args.join(' '), ran.stdout + ran.stderr])
    return ran
  }

  /** Calls of a toolset: those of a round at once, one round after the other. */
  async call(toolset: string, rounds: (() => [string, object][])[], env: Env = {}): Promise<void> {
    const server = await this.server(env, toolset)
    const answers: object[] = []
    for (const round of rounds) {
      answers.push(...(await Promise.all(round().map(([name, args]) => server.call(name, args)))))
    }
    const { stderr } = await server.finish()
    for (const answer of answers) this.#printed.push([`mcp ${toolset}`, JSON.stringify(answer)])
    this.#printed.push([`mcp ${toolset}, stderr`, stderr])
  }

  /** Logs in with this code; what a browser would show then is listened to, too. */
  async login(code: string): Promise<void> {
    const child = start(['gmail', 'login', '--no-browser'], { env: this.env })
    const done = ended(child)
    let shown = ''
    child.stdout.on('data', (chunk) => {
      shown += chunk
    })
    const address = await eventually(
      'an address is shown',
      () => /http\S+code_challenge\S+/.exec(shown)?.[0],
    )
    const { searchParams } = new URL(address)
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.search = String(new URLSearchParams({ code, state: searchParams.get('state') ?? '' }))
    const page = await (await fetch(back)).text()
    const { stdout, stderr } = await done
    this.#printed.push(['gmail login', stdout + stderr + page])
  }

  /** Where a secret came out, and which. */
  leaks(): string[] {
    const printed = this.#printed.flatMap(([what, text]) =>
      secretsIn(text).map((kind) => `${what}: ${kind}: ${text.slice(0, 300)}`),
    )
    return [...new Set(printed), ...filesWithSecrets(this.folder, isTokenFile)]
  }

  get printed(): string {
    return this.#printed.map(([, text]) => text).join('\n')
  }
}
