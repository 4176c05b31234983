/** Those who write to each other by one address book: windows, panes, other sessions and worktrees, agents of the tools, and the person. */
import { join } from 'node:path'
import * as z from 'zod'
import { agentmail, type Env } from '../agentmail.ts'
import { openAgent, structured, type WorkingAgent } from '../coordination/coordination.ts'
import { git, type Session } from '../mailbox/tmux.ts'
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
const handed = z.object({
  messages: z.array(z.object({ sender_name: z.string(), channel: z.string(), body: z.string() })),
})
const inboxSchema = z.object({ inbox: z.array(z.object({ from: z.string(), text: z.string() })) })

async function succeed(args: string[], cwd: string, env: Env): Promise<string> {
  const { stdout, stderr, exitCode } = await agentmail(args, { cwd, env })
  if (exitCode !== 0) throw new Error(`agentmail ${args.join(' ')} gave ${exitCode}: ${stderr}`)
  return stdout
}

/** Works by the commands, in a tmux pane or under AGENTMAIL_AGENT. */
export function byCommands(name: string, cwd: string, env: Env): Correspondent {
  return {
    name,
    write: async (to, text) => {
      await succeed(['send', '-r', to, '-m', text], cwd, env)
    },
    async read() {
      const letters: Letter[] = []
      for (;;) {
        const answer = received.parse(JSON.parse(await succeed(['receive', '--json'], cwd, env)))
        if ('status' in answer) return letters
        letters.push({ from: answer.from, text: answer.message })
      }
    },
  }
}

type Call = (tool: string, args: object) => Promise<Record<string, unknown>>

function byTools(name: string, call: Call): Correspondent {
  return {
    name,
    write: async (to, text) => {
      await call('send_message', { channel: `@${to}`, subject: 'A letter', body: text })
    },
    async read() {
      const { messages } = handed.parse(await call('read_messages', { unread: true, limit: 500 }))
      return messages
        .filter(({ channel }) => channel === `@${name}`)
        .map(({ sender_name, body }) => ({ from: sender_name, text: body }))
    },
  }
}

/** Works by the tools, over HTTP. */
export async function byHttp(name: string, url: string, project: string): Promise<Correspondent> {
  const ask: Call = async (tool, args) => {
    const { structuredContent, text } = await callTool(url, tool, args, project)
    if (!structuredContent) throw new Error(`${tool} failed: ${text}`)
    return structuredContent
  }
  const { agent_id } = await ask('register', { name, role: 'coder' })
  return byTools(name, (tool, args) => ask(tool, { agent_id, ...args }))
}

/** Works by the tools, over STDIO. */
export async function byStdio(name: string, repository: string, env: Env): Promise<Correspondent> {
  const agent: WorkingAgent = await openAgent({ repository, env }, name)
  return byTools(name, (tool, args) => agent.call(tool, args))
}

/** Works by the tools of the mailbox, over STDIO, in a tmux pane. */
export { structured }

/** Asks and answers by the commands for people. */
export function person(repository: string, env: Env): Correspondent {
  return {
    name: 'human',
    write: async (to, text) => {
      const own = { ...env, AGENTMAIL_AGENT: 'human', TMUX: '', TMUX_PANE: '' }
      await succeed(['send', '-r', to, '-m', text], repository, own)
    },
    async read() {
      const args = ['inbox', '--as', 'human', '--read', '--json']
      const { inbox: items } = inboxSchema.parse(JSON.parse(await succeed(args, repository, env)))
      return items.map(({ from, text }) => ({ from, text }))
    },
  }
}

/** One more pane in a window, and its environment. */
export function splitWindow(session: Session, window: number, cwd: string): Env {
  const pane = session
    .tmux(
      'split-window',
      '-d',
      '-t',
      session.pane(window),
      '-c',
      cwd,
      '-P',
      '-F',
      '#{pane_id}',
      'cat',
    )
    .trim()
  return { ...session.env(window), TMUX_PANE: pane }
}

/** A window of another session, and its environment. */
export function otherSession(session: Session, name: string, cwd: string): Env {
  const args = ['-d', '-s', 'other', '-n', name, '-c', cwd, '-P', '-F', '#{pane_id}', 'cat']
  return { ...session.env(0), TMUX_PANE: session.tmux('new-session', ...args).trim() }
}

export function worktree(repository: string): string {
  const folder = join(temporaryFolder(), 'tree')
  git(repository, 'worktree', 'add', '--quiet', '--detach', folder)
  return folder
}
