/** A home with real coding agents in it, set up by `agentmail setup` as a person does it, and the repository that they share. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { agentmail, binary, type Env, type Ran } from '../agentmail.ts'
import type { AtEnd } from '../at-end.ts'
import { eventually } from '../eventually.ts'
import { openSession, type Session } from '../mailbox/tmux.ts'
import { pathOf } from '../parts.ts'
import { freePort } from '../server-process.ts'
import { type Client, environmentOf, fillHome, programOf } from './clients.ts'
import { CodingAgent } from './coding-agent.ts'
import { startScriptedModel } from './scripted-model.ts'

export interface WorkplaceOptions {
  /** Whether the agents know that they are in tmux. */
  isTmux?: boolean
  /** Of all that runs there. */
  env?: Env
}

const upSchema = z.object({ server: z.object({ pid: z.number() }) })
const claimsSchema = z.object({ claims: z.array(z.object({ file_path: z.string() })) })
const agentsSchema = z.object({
  agents: z.array(z.object({ name: z.string(), state: z.string().nullable() })),
})
const sentSchema = z.object({ sent: z.array(z.object({ state: z.string() })) })

/** What agents have started may go on for a moment, and write what it knows. */
function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

const below = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
    : []

export class Workplace {
  readonly home: string
  readonly session: Session
  readonly isTmux: boolean
  readonly #clients = new Set<Client>()
  readonly #env: Env
  readonly #atEnd: AtEnd

  private constructor(port: number, { isTmux = true, env = {} }: WorkplaceOptions, atEnd: AtEnd) {
    this.#atEnd = atEnd
    this.isTmux = isTmux
    this.home = mkdtempSync(join(tmpdir(), 'agentmail-test-'))
    atEnd(async () => void (await eventually('nobody writes there', () => isRemoved(this.home))))
    this.session = openSession(['desk'], 'cat', atEnd)
    this.session.tmux('set-option', '-g', 'remain-on-exit', 'on')
    this.#env = {
      HOME: this.home,
      PATH: `${join(this.home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
      AGENTMAIL_PORT: String(port),
      AGENTMAIL_HOOK_MS: '60000', // not about time: on a busy machine every hook would be late
      AGENTMAIL_NUDGE_SECONDS: '0',
      ...env,
    }
    mkdirSync(join(this.home, 'bin'))
    symlinkSync(binary, join(this.home, 'bin/agentmail'))
  }

  static async open(
    options: WorkplaceOptions = {},
    atEnd: AtEnd = onTestFinished,
  ): Promise<Workplace> {
    return new Workplace(await freePort(), options, atEnd)
  }

  get repository(): string {
    return this.session.repository
  }

  /** What the server and the mailman have said. */
  logs(): string {
    const files = [
      ...below(join(this.home, '.local/state')),
      ...below(join(this.repository, '.agentmail')),
    ]
    return files
      .flatMap((file) => (file.endsWith('.log') ? [readFileSync(file, 'utf8')] : []))
      .join('\n')
  }

  at(file: string): string {
    return join(this.repository, file)
  }

  /** Somebody who is going to work here, with a model of their own. */
  async hire(client: Client, name: string): Promise<CodingAgent> {
    const model = await startScriptedModel(this.#atEnd)
    const place = { home: this.home, folder: this.repository, model: model.url }
    if (!this.#clients.has(client)) {
      this.#clients.add(client)
      fillHome(client, place)
      symlinkSync(pathOf(programOf(client)), join(this.home, 'bin', client.name))
    }
    const env = { ...environmentOf(client, place), ...this.#env }
    return new CodingAgent({ client, name, model, env }, this, this.#atEnd)
  }

  /** What a person runs at the desk. */
  async run(...args: string[]): Promise<Ran> {
    const desk = this.isTmux ? this.session.env(0) : { AGENTMAIL_AGENT: 'desk' }
    const env = { XDG_DATA_HOME: undefined, ...this.#env, ...desk }
    const ran = await agentmail(args, { cwd: this.repository, env })
    if (ran.exitCode === 0) return ran
    throw new Error(`agentmail ${args.join(' ')} failed: ${ran.stderr}${ran.stdout}`)
  }

  /** Every client that is here, and the post office. Gives the process of the server. */
  async setUp({ hasHooks = true } = {}): Promise<number> {
    await this.run('setup', '--yes', ...(hasHooks ? [] : ['--no-hooks']))
    if (hasHooks) for (const { name } of this.#clients) this.#givePatience(name)
    this.#atEnd(async () => void (await this.run('down')))
    return upSchema.parse(await this.#json('up')).server.pid
  }

  /** What setup wrote, with more time for each hook: a client gives up after a second or five. */
  #givePatience(client: string): void {
    const file = { claude: '.claude/settings.json', codex: '.codex/hooks.json' }[client]
    const path = join(this.home, file ?? '.gemini/settings.json')
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/"timeout": (1|5|5000)\b/g, '"timeout": $10'))
  }

  /** What is held. */
  async claims(): Promise<string[]> {
    const { claims } = claimsSchema.parse(await this.#json('claims'))
    return claims.map(({ file_path }) => file_path)
  }

  /** The states of all that an agent has sent, the newest first. */
  async sent(agent: string): Promise<string[]> {
    const { sent } = sentSchema.parse(await this.#json('sent', '--as', agent))
    return sent.map(({ state }) => state)
  }

  async #json(...args: string[]): Promise<unknown> {
    return JSON.parse((await this.run(...args, '--json')).stdout)
  }

  /** The state of each agent by its name. */
  async states(): Promise<Record<string, string | null>> {
    const { agents } = agentsSchema.parse(await this.#json('agents'))
    return Object.fromEntries(agents.map(({ name, state }) => [name, state]))
  }
}
