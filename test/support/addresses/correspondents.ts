/** Those who write to each other by one address book: windows, panes, other sessions and worktrees, agents of the tools, and the person. */
import { basename, join } from 'node:path'
import * as z from 'zod'
import { agentmail, type Env } from '../agentmail.ts'
import { openAgent, structured } from '../coordination/coordination.ts'
import { git, openSession } from '../mailbox/tmux.ts'
import { LineClient } from '../mcp/line-client.ts'
import { callTool } from '../server/server.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export interface Letter {
  from: string
  text: string
}

/** Somebody with an address. */
export interface Correspondent {
  name: string
  write(to: string, text: string): Promise<void>
  /** What it was not handed before. */
  read(): Promise<Letter[]>
}

const received = z.union([
  z.object({ from: z.string(), message: z.string() }),
  z.object({ status: z.string() }),
])
const messages = z.object({
  messages: z.array(
    z.object({ id: z.number(), sender_name: z.string(), channel: z.string(), body: z.string() }),
  ),
})

async function succeed(args: string[], cwd: string, env: Env): Promise<string> {
  const { stdout, stderr, exitCode } = await agentmail(args, { cwd, env })
  if (exitCode !== 0) throw new Error(`agentmail ${args.join(' ')} gave ${exitCode}: ${stderr}`)
  return stdout
}

type Call = (tool: string, args: object) => Promise<Record<string, unknown>>

/** Until there is no more. */
async function receiveAll(receive: () => Promise<unknown>): Promise<Letter[]> {
  const letters: Letter[] = []
  for (;;) {
    const answer = received.parse(await receive())
    if ('status' in answer) return letters
    letters.push({ from: answer.from, text: answer.message })
  }
}

/** Works by the commands, in a tmux pane or under AGENTMAIL_AGENT; from now on others can write to it. */
export async function byCommands(name: string, cwd: string, env: Env): Promise<Correspondent> {
  await succeed(['status', 'work'], cwd, env)
  return {
    name,
    write: async (to, text) => {
      await succeed(['send', '-r', to, '-m', text], cwd, env)
    },
    read: () => receiveAll(async () => JSON.parse(await succeed(['receive', '--json'], cwd, env))),
  }
}

/** Works by the tools of the mailbox, in a tmux pane. */
export async function byMailboxTools(name: string, cwd: string, env: Env): Promise<Correspondent> {
  const client = await LineClient.open({ cwd, env })
  const call: Call = async (tool, args) => structured(await client.call(tool, args))
  return {
    name,
    write: async (to, text) => {
      await call('send', { recipient: to, message: text })
    },
    read: () => receiveAll(() => call('receive', {})),
  }
}

function byTools(name: string, call: Call): Correspondent {
  return {
    name,
    write: async (to, text) => {
      await call('send_message', { channel: `@${to}`, subject: text, body: text })
    },
    async read() {
      const unread = messages.parse(await call('read_messages', { unread: true, limit: 500 }))
      return unread.messages
        .filter(({ channel }) => channel === `@${name}`)
        .map(({ sender_name, body }) => ({ from: sender_name, text: body }))
    },
  }
}

/** Works by the tools of coordination, over HTTP. */
export async function byHttp(name: string, url: string, project: string): Promise<Correspondent> {
  const ask: Call = async (tool, args) => {
    const { structuredContent, text } = await callTool(url, tool, args, project)
    if (!structuredContent) throw new Error(`${tool} failed: ${text}`)
    return structuredContent
  }
  const { agent_id } = await ask('register', { name, role: 'coder' })
  return byTools(name, (tool, args) => ask(tool, { agent_id, ...args }))
}

/** Works by the tools of coordination, over STDIO. */
export async function byStdio(name: string, repository: string, env: Env): Promise<Correspondent> {
  const agent = await openAgent({ repository, env }, name)
  return byTools(name, agent.call)
}

/** Reads its channel with a cursor, and writes by the commands. */
export function person(cwd: string, env: Env): Correspondent {
  const name = 'human'
  let last = 0
  return {
    name,
    write: async (to, text) => {
      await succeed(['send', '-r', to, '-m', text], cwd, { ...env, AGENTMAIL_AGENT: name })
    },
    async read() {
      const page = ['--channel', `@${name}`, '--after-id', `${last}`, '--limit', '500']
      const answer = JSON.parse(await succeed(['messages', ...page, '--json'], cwd, env))
      const found = messages.parse(answer).messages
      last = found.at(-1)?.id ?? last
      return found.map(({ sender_name, body }) => ({ from: sender_name, text: body }))
    },
  }
}

/**
 * Four windows in two sessions, one of them in a second worktree, one with a pane that was given a
 * name; two agents of the tools; and the person.
 *
 * @param open starts the server for the repository, where there is one.
 */
export async function company(
  open: (repository: string) => Promise<{ env: Env; url?: string }>,
): Promise<Correspondent[]> {
  const session = openSession(['coder', 'planner', 'build'])
  const { repository } = session
  const tree = join(temporaryFolder(), 'tree')
  git(repository, 'worktree', 'add', '--quiet', '--detach', tree)
  const pane = session.openBy('split-window', '-t', session.pane(2))
  const other = session.openBy('new-session', '-s', 'other', '-n', 'reviewer')
  const { env, url } = await open(repository)
  const at = (window: number): Env => ({ ...env, ...session.env(window) })
  await succeed(['name', 'helper'], repository, at(pane))
  const stdio = (name: string) => byStdio(name, repository, env)
  return Promise.all([
    byMailboxTools('coder', repository, at(0)),
    byCommands('planner', tree, at(1)),
    byCommands('helper', repository, at(pane)),
    byCommands('reviewer', repository, at(other)),
    url === undefined ? stdio('visitor') : byHttp('visitor', url, basename(repository)),
    stdio('local'),
    person(repository, env),
  ])
}
