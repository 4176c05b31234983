/** An inbox and a vault that the orchestrator works on, and what came of it. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonOf } from '../../../src/system/text.ts'
import { type Note, readNote } from '../../../src/vault/notes.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { agentmail, type Env, type Ran, start } from '../agentmail.ts'
import { LocalPlace } from '../email/mail-place.ts'

/** Hurries where a person would not mind to wait. */
const hurry: Env = {
  AGENTMAIL_QUIET_SECONDS: '0',
  AGENTMAIL_POLL_SECONDS: '0.3',
  AGENTMAIL_RETRY_SECONDS: '0.1',
}

export interface Told {
  event: string
  text: string
  [fact: string]: unknown
}

export class Clerk extends LocalPlace {
  override get env(): Env {
    return {
      ...super.env,
      HOME: this.folder,
      AGENTMAIL_DIR: join(this.folder, 'office'),
      XDG_CACHE_HOME: join(this.folder, 'cache'),
      AGENTMAIL_LLM: undefined,
      AGENTMAIL_LLM_API_KEY: undefined,
      AGENTMAIL_LLM_BASE_URL: undefined,
      GMAIL_MCP_SERVER: undefined,
      OBSIDIAN_MCP_SERVER: undefined,
      ...hurry,
    }
  }

  run(args: string[], env: Env = {}): Promise<Ran> {
    return agentmail(args, { env: { ...this.env, ...env }, cwd: this.folder })
  }

  /** Gives its events, too. */
  async once(env: Env = {}): Promise<Ran & { events: Told[] }> {
    const ran = await this.run(['orchestrate', '--once', '--json'], env)
    const events = ran.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    return { ...ran, events }
  }

  start(env: Env = {}): ChildProcessWithoutNullStreams {
    const options = { env: { ...this.env, ...env }, cwd: this.folder }
    return start(['orchestrate', '--json'], options)
  }

  async notes(folder: string): Promise<Note[]> {
    const names = existsSync(join(this.vault, folder)) ? readdirSync(join(this.vault, folder)) : []
    const vault = new Vault(this.vault)
    return Promise.all(names.sort().map((name) => readNote(vault, `${folder}/${name}`)))
  }

  /** By hand, as a person writes or moves it. */
  put(path: string, text: string | Buffer): void {
    mkdirSync(dirname(join(this.vault, path)), { recursive: true })
    writeFileSync(join(this.vault, path), text)
  }

  text(path: string): string {
    return readFileSync(join(this.vault, path), 'utf8')
  }

  /** The addresses that each sent mail went to, of every kind. */
  async recipients(): Promise<(string | undefined)[][]> {
    return (await this.sent()).map(({ mail: { to = [], cc = [], bcc = [] } }) =>
      [...to, ...cc, ...bcc].map(({ address }) => address),
    )
  }

  state(): unknown {
    return jsonOf(this.text('Logs/orchestrator_state.json'))
  }
}

export const draft = (to: string, body = 'Yes.', more = '') =>
  `---\nstatus: pending_approval\nto: ${to}\nsubject: Hello\n${more}---\n${body}\n`
