/** A session of Claude Code or Codex as its hooks show it, without the client: what it tells, and what waits for it in the background. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { agentmail, type Env, ended, type Ran, start } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { repository } from '../mailbox/tmux.ts'
import { TestServer } from '../server/server.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export interface Waiter {
  child: ChildProcessWithoutNullStreams
  ended: Promise<Ran>
}

export interface ClientWindow {
  /** As the client calls it. */
  session: string
  folder: string
  env: Env
  /** A hook of the session; gives the answer. */
  tell(event: string, more?: object): Promise<Record<string, unknown>>
  /** What Claude Code starts in the background. */
  wait(event?: string, env?: Env, args?: string[]): Waiter
  /** Until somebody waits for it who has found the session. */
  isWaitedFor(): Promise<unknown>
  /** What those say who wait for sessions. */
  wakers(): string[]
  as(name: string, ...args: string[]): Promise<Ran>
  /** Starts a server for its database. */
  serve(): Promise<TestServer>
  sent(name: string): Promise<{ state: string; notified_by?: string; text: string }[]>
}

export const attended = { CLAUDE_CODE_SESSION_ATTENDED: '1' }

let sessions = 0

/** Its agent is called ann, in a repository of its own. */
export function openWindow(
  given: Env = {},
  { client = 'claude', folder = repository() } = {},
): ClientWindow {
  const session_id = `session-${process.pid}-${++sessions}`
  // A busy machine must not make a hook give up.
  const own = { AGENTMAIL_AGENT: 'ann', AGENTMAIL_HOOK_MS: '20000' }
  const db = join(temporaryFolder(), 'agentmail.db')
  const env: Env = { ...own, XDG_STATE_HOME: temporaryFolder(), AGENTMAIL_DB: db, ...given }
  const inputAt = (event: string, more: object = {}) =>
    JSON.stringify({ session_id, cwd: folder, hook_event_name: event, ...more })
  const as = (name: string, ...args: string[]) =>
    agentmail(args, { cwd: folder, env: { ...env, AGENTMAIL_AGENT: name } })
  const wakers = () => {
    const place = join(env.XDG_STATE_HOME ?? '', 'agentmail/wakers')
    const files = existsSync(place) ? readdirSync(place) : []
    return files.map((file) => readFileSync(join(place, file), 'utf8'))
  }
  return {
    ...{ folder, env, as, wakers, session: session_id },
    isWaitedFor: () =>
      eventually('somebody waits for it', () =>
        wakers().some((words) => /"names":\["/.test(words)),
      ),
    serve: () => TestServer.start({ db, cwd: folder, env }),
    async tell(event, more) {
      const input = inputAt(event, more)
      const ran = await agentmail(['hook', client], { cwd: folder, env, input })
      if (ran.stderr !== '') throw new Error(ran.stderr)
      return JSON.parse(ran.stdout)
    },
    wait(event = 'SessionStart', more = {}, args = []) {
      const child = start(['wake', client, ...args], {
        cwd: folder,
        env: { ...env, ...attended, ...more },
      })
      onTestFinished(() => {
        child.kill('SIGKILL')
      })
      const over = ended(child)
      child.stdin.on('error', () => {})
      child.stdin.end(inputAt(event))
      return { child, ended: over }
    },
    async sent(name) {
      return JSON.parse((await as(name, 'sent', '--json')).stdout).sent
    },
  }
}
