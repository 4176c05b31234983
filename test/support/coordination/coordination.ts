/** A repository whose agents coordinate, reached through a running server or on its database. */
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env, ended, type Ran, type RunOptions, start } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { repository } from '../mailbox/tmux.ts'
import { LineClient } from '../mcp/line-client.ts'
import type { Answer, Era } from '../mcp/protocol.ts'
import { TestServer } from '../server/server.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export const ways = ['a running server', 'the database itself'] as const
export type Way = (typeof ways)[number]

/** Short enough to see agents go stale, long enough for a busy machine to keep the others alive. */
/** A machine that stalls for so long makes an agent stale that lives. */
export const shortLives: Env = { AGENTMAIL_STALE_SECONDS: '3', AGENTMAIL_SWEEP_SECONDS: '0.3' }

export const mcpCoordination = ['mcp', 'coordination']

export interface Place {
  repository: string
  /** As it is called by its folder. */
  project: string
  database: string
  env: Env
  server: TestServer | undefined
  /** Runs a command at the root of the repository. */
  run(args: string[], options?: RunOptions): Promise<Ran>
  /** Runs a command with --json that must succeed, and gives its answer. */
  json(args: string[], options?: RunOptions): Promise<unknown>
}

/** @param serverEnv what only the server has in its environment. */
export async function openPlace(way: Way, given: Env = {}, serverEnv: Env = {}): Promise<Place> {
  const folder = repository()
  const data = temporaryFolder()
  const database = join(data, 'agentmail/agentmail.db')
  const env = { XDG_DATA_HOME: data, ...given }
  let server: TestServer | undefined
  if (way === 'a running server') {
    mkdirSync(join(data, 'agentmail'))
    server = await TestServer.start({
      db: database,
      cwd: folder,
      env: { ...env, ...serverEnv },
    })
  }
  const run = (args: string[], options: RunOptions = {}) =>
    agentmail(args, { cwd: folder, ...options, env: { ...env, ...options.env } })
  const json = async (args: string[], options: RunOptions = {}) => {
    const { stdout, stderr, exitCode } = await run([...args, '--json'], options)
    if (exitCode !== 0) throw new Error(`agentmail ${args.join(' ')} gave ${exitCode}: ${stderr}`)
    return JSON.parse(stdout)
  }
  return { repository: folder, project: basename(folder), database, env, server, run, json }
}

/** An agent at work through `agentmail mcp coordination`. */
export interface WorkingAgent {
  id: string
  client: LineClient
  /** Calls a tool in its name; an error of the tool is thrown. */
  call(tool: string, args?: object): Promise<Record<string, unknown>>
  say(subject: string, body?: string): Promise<unknown>
}

export async function openAgent(
  place: Pick<Place, 'repository' | 'env'>,
  name: string,
  options: { env?: Env; era?: Era; role?: string } = {},
): Promise<WorkingAgent> {
  const client = await openStdio(place, options)
  const registered = await client.call('register', { name, role: options.role ?? 'coder' })
  const id = String(structured(registered).agent_id)
  const call = async (tool: string, args: object = {}) =>
    structured(await client.call(tool, { agent_id: id, ...args }))
  const say = (subject: string, body = 'text') => call('send_message', { subject, body })
  return { id, client, call, say }
}

export function openStdio(
  place: Pick<Place, 'repository' | 'env'>,
  options: { env?: Env; era?: Era } = {},
): Promise<LineClient> {
  return LineClient.open({
    ...(options.era ? { era: options.era } : {}),
    args: mcpCoordination,
    cwd: place.repository,
    env: { ...place.env, ...options.env },
  })
}

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})

/** What a tool answered; its error is thrown. */
export function structured(answer: Answer): Record<string, unknown> {
  const { content, structuredContent } = resultSchema.parse(answer.result)
  if (!structuredContent) throw new Error(`The tool failed: ${content[0]?.text}`)
  return structuredContent
}

const messagesSchema = z.object({
  messages: z.array(
    z.object({
      id: z.number(),
      sender_id: z.string(),
      sender_name: z.string(),
      channel: z.string(),
      subject: z.string(),
      body: z.string(),
      created_at: z.string(),
    }),
  ),
})

export const messagesOf = (answer: unknown) => messagesSchema.parse(answer).messages
export const subjectsOf = (answer: unknown) => messagesOf(answer).map(({ subject }) => subject)

/** Writes a read_messages that waits until there are any. */
export function waitForMessages(agent: WorkingAgent, id: string, request: object = {}): void {
  const { client } = agent
  const args = { agent_id: agent.id, wait_seconds: 50, ...request }
  client.write(client.line(id, 'tools/call', { name: 'read_messages', arguments: args }))
}

/** What a waiting reader was answered, long before it would have given up. */
export async function subjectsHeard({ client }: WorkingAgent, id: string): Promise<string[]> {
  await eventually(`${id} is answered`, () => client.answersTo(id).length > 0)
  return subjectsOf(structured(await client.answer(id)))
}

/** What `agentmail history --json` gives: exactly these fields. */
export const historySchema = z.array(
  z.strictObject({
    at: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    event: z.string(),
    file: z.string().nullable(),
    text: z.string().nullable(),
  }),
)

/** A command that goes on until it is stopped, and what it has said so far. */
export class Running {
  readonly ended: Promise<Ran>
  readonly #child
  #stdout = ''

  constructor(place: Pick<Place, 'repository' | 'env'>, args: string[], env: Env = {}) {
    const child = start(args, { cwd: place.repository, env: { ...place.env, ...env } })
    child.stdin.end()
    child.stdout.on('data', (chunk) => {
      this.#stdout += chunk
    })
    this.#child = child
    this.ended = ended(child)
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
  }

  get stdout(): string {
    return this.#stdout
  }

  get lines(): string[] {
    return this.#stdout.split('\n').slice(0, -1)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Ran> {
    this.signal(signal)
    return this.ended
  }
}

/** What it did, by the journal. */
export const eventsOf = async (place: Place, agent: string) =>
  historySchema.parse(await place.json(['history', '--agent', agent])).map(({ event }) => event)

/** As the command tells them. */
export const heldFiles = async (place: Place): Promise<string[]> => {
  const { stdout } = await place.run(['claims'])
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('  ')[0] ?? '')
}
