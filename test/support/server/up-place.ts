/** A repository with data and state folders of its own, in which agentmail up is tried; what it starts ends with the test. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env, type Ran } from '../agentmail.ts'
import { repository } from '../mailbox/tmux.ts'
import { freePort } from '../server-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const viewSchema = z.object({
  project: z.string(),
  server: z
    .object({
      url: z.string(),
      page: z.string(),
      state: z.string(),
      version: z.string(),
      pid: z.number(),
      since: z.string(),
      database: z.string(),
      log: z.string(),
    })
    .nullable(),
  other_servers: z.array(z.object({ pid: z.number() })),
  mailman: z.object({ pid: z.number(), log: z.string() }).nullable(),
  agents: z.array(z.object({ name: z.string() })),
  waiting: z.object({
    name: z.string(),
    inbox: z.number(),
    drafts: z.number(),
    unknown_sends: z.number(),
    complete: z.boolean(),
  }),
  clients: z.array(z.object({ client: z.string(), state: z.string() })),
  next: z.string(),
  started: z.array(z.string()).optional(),
})
export type View = z.infer<typeof viewSchema>

/** Also one that has ended and of which nobody has taken notice yet. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export class UpPlace {
  readonly folder: string
  readonly env: Env
  readonly #home: string

  private constructor(folder: string, port: number, env: Env) {
    this.folder = folder
    this.#home = temporaryFolder()
    this.env = {
      XDG_DATA_HOME: join(this.#home, 'data'),
      XDG_STATE_HOME: join(this.#home, 'state'),
      AGENTMAIL_PORT: String(port),
      ...env,
    }
    onTestFinished(async () => void (await this.run(['down'])))
  }

  static async open(folder = repository(), env: Env = {}): Promise<UpPlace> {
    return new UpPlace(folder, await freePort(), env)
  }

  get port(): number {
    return Number(this.env.AGENTMAIL_PORT)
  }

  run(args: string[], { cwd = this.folder, env = {} }: { cwd?: string; env?: Env } = {}) {
    return agentmail(args, { cwd, env: { ...this.env, ...env } })
  }

  /** What `up --json` or `ps --json` shows. */
  async view(command: 'up' | 'ps', ...args: string[]): Promise<View> {
    const ran = await this.run([command, '--json', ...args])
    if (ran.exitCode !== 0) throw new Error(`agentmail ${command} failed: ${ran.stderr}`)
    return viewSchema.parse(JSON.parse(ran.stdout))
  }

  /** The view after `up`, with a server. */
  async up(...args: string[]): Promise<View & { server: NonNullable<View['server']> }> {
    const view = await this.view('up', ...args)
    if (!view.server) throw new Error('No server is up')
    return { ...view, server: view.server }
  }

  /** The files of the state folder, by their names. */
  stateFiles(): string[] {
    const folder = join(this.#home, 'state')
    mkdirSync(folder, { recursive: true })
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  }

  statePath(name: string): string {
    return join(this.#home, 'state', name)
  }

  down(): Promise<Ran> {
    return this.run(['down'])
  }
}
