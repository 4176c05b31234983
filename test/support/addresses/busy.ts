/** Those who write and read under load, each by its own door; those by STDIO are started again whenever they were killed. */
import * as z from 'zod'
import { agentmail, type Env, type Ran } from '../agentmail.ts'
import { mcpCoordination, structured } from '../coordination/coordination.ts'
import { eventually } from '../eventually.ts'
import { LineClient } from '../mcp/line-client.ts'
import type { Busy, Outcome } from './traffic.ts'

export interface Where {
  repository: string
  env: Env
}

/** Messages that an agent of the tools asks for at once. */
export const page = 7

/** What `receive` answers, as texts. */
export const receivedSchema = z.union([
  z.object({ message: z.string() }).transform(({ message }) => [message]),
  z.object({ status: z.string() }).transform((): string[] => []),
])
const messagesSchema = z.object({ messages: z.array(z.object({ body: z.string() })) })
const inboxSchema = z.object({ inbox: z.array(z.object({ text: z.string() })) })
const registeredSchema = z.object({ agent_id: z.string() })

export type CallTool = (tool: string, args: object) => Promise<Record<string, unknown>>

const lettersIn = (answer: unknown): string[] =>
  messagesSchema.parse(answer).messages.map(({ body }) => body)

/** Only what is to the name: who comes and goes is told in `broadcast`. */
const unread = (name: string) => ({ unread: true, channel: `@${name}`, limit: page })

/** A machine that is very busy may let git or tmux wait too long: nothing was done then. */
export const isBusy = (stderr: string): boolean => /did not answer in time/.test(stderr)

async function run(args: string[], where: Where): Promise<string> {
  const { stdout, stderr, exitCode } = await agentmail(args, {
    cwd: where.repository,
    env: where.env,
  })
  if (exitCode !== 0 && isBusy(stderr)) return run(args, where)
  if (exitCode !== 0) throw new Error(`agentmail ${args.join(' ')} gave ${exitCode}: ${stderr}`)
  return stdout
}

/** Nobody of that name may be there; nothing else may be wrong on a machine that has time. */
export function outcomeOf({ exitCode, stderr }: Pick<Ran, 'exitCode' | 'stderr'>): Outcome {
  if (exitCode === 0) return 'acknowledged'
  if (/recipient not found/.test(stderr)) return 'refused'
  if (isBusy(stderr)) return 'unclear'
  throw new Error(`a message could not be sent: ${stderr}`)
}

/** In a window, by the commands. */
export async function inWindow(name: string, where: Where): Promise<Busy> {
  await run(['status', 'work'], where)
  return {
    name,
    write: async (to, text) =>
      outcomeOf(await agentmail(['send', to, text], { cwd: where.repository, env: where.env })),
    read: async () => receivedSchema.parse(JSON.parse(await run(['receive', '--json'], where))),
  }
}

/** The person, who is no window. */
export function thePerson({ repository, env }: Where): Busy {
  const where = { repository, env: { ...env, AGENTMAIL_AGENT: 'human' } }
  return {
    name: 'human',
    write: async (to, text) =>
      outcomeOf(await agentmail(['send', to, text], { cwd: repository, env: where.env })),
    read: async () => {
      const shown: unknown = JSON.parse(await run(['inbox', '--read', '--json'], where))
      return inboxSchema.parse(shown).inbox.map(({ text }) => text)
    },
  }
}

/** By the tools of coordination, over HTTP. */
export async function overHttp(name: string, call: CallTool): Promise<Busy & { id: string }> {
  const { agent_id } = registeredSchema.parse(await call('register', { name, role: 'coder' }))
  return {
    name,
    id: agent_id,
    async write(to, text) {
      await call('send_message', { agent_id, channel: `@${to}`, subject: text, body: text })
      return 'acknowledged'
    },
    read: async () => lettersIn(await call('read_messages', { agent_id, ...unread(name) })),
  }
}

/** A window whose agent is registered too: mail is in its mailbox, and messages in its channel. */
export async function inBoth(window: Busy, call: CallTool): Promise<Busy> {
  const registered = await overHttp(window.name, call)
  return {
    ...window,
    read: async () => [...((await window.read()) ?? []), ...((await registered.read()) ?? [])],
  }
}

/** An MCP server over STDIO that is started again when it is gone. */
class Restarted {
  readonly #args: string[]
  readonly #where: Where
  readonly #greet: (client: LineClient) => Promise<unknown>
  #client: Promise<LineClient> | undefined
  /** How many calls it has answered since its start. */
  #answered = 0

  constructor(args: string[], where: Where, greet: (client: LineClient) => Promise<unknown>) {
    this.#args = args
    this.#where = where
    this.#greet = greet
  }

  async start(): Promise<void> {
    this.#client = this.#open()
    await this.#client
  }

  /** Once it has worked, so that it is killed over something. */
  async kill(): Promise<void> {
    await eventually('it works', () => this.#answered > 2, 120_000)
    const client = await this.#client
    this.#client = undefined
    client?.child.kill('SIGKILL')
    await client?.ended
  }

  /** Nothing where it was killed over the call. */
  async call(tool: string, args: object): Promise<Record<string, unknown> | undefined> {
    this.#client ??= this.#open()
    const opened = this.#client
    try {
      const client = await opened
      const answer = structured(await client.call(tool, args))
      this.#answered++
      return answer
    } catch (error) {
      if (this.#client === opened) throw error // nobody has killed it
      return undefined
    }
  }

  async #open(): Promise<LineClient> {
    const { repository: cwd, env } = this.#where
    const client = await LineClient.open({ args: this.#args, cwd, env })
    await this.#greet(client)
    this.#answered = 0
    return client
  }
}

export interface Mortal extends Busy {
  kill(): Promise<void>
}

/**
 * By the tools of coordination, over STDIO, under one agent_id.
 * @param isKeyed whether it gives each message a key; it asks again until it is answered anyhow.
 */
export async function overStdio(name: string, where: Where, isKeyed = true): Promise<Mortal> {
  let agent_id: string | undefined
  const server = new Restarted(mcpCoordination, where, async (client) => {
    if (agent_id) return client.call('heartbeat', { agent_id })
    const answer = structured(await client.call('register', { name, role: 'coder' }))
    agent_id = registeredSchema.parse(answer).agent_id
  })
  await server.start()
  return {
    name,
    kill: () => server.kill(),
    async write(to, text): Promise<Outcome> {
      const key = isKeyed ? { idempotency_key: text } : {}
      const letter = { agent_id, channel: `@${to}`, subject: text, body: text, ...key }
      while (!(await server.call('send_message', letter)));
      return 'acknowledged'
    },
    async read() {
      const answer = await server.call('read_messages', { agent_id, ...unread(name) })
      return answer && lettersIn(answer)
    },
  }
}

/** By the tools of the mailbox, over STDIO in a window: a call has no key, and is not made again. */
export async function byMailboxTools(name: string, where: Where): Promise<Mortal> {
  const server = new Restarted(['mcp'], where, (client) =>
    client.call('status', { status: 'work' }),
  )
  await server.start()
  return {
    name,
    kill: () => server.kill(),
    write: async (recipient, message) =>
      (await server.call('send', { recipient, message })) ? 'acknowledged' : 'unclear',
    async read() {
      const answer = await server.call('receive', {})
      return answer && receivedSchema.parse(answer)
    },
  }
}
