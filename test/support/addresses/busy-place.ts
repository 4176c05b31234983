/** A repository with windows, a server, agents by HTTP and the person, in which everybody writes to everybody while parts are killed. */
import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'vitest'
import { agentmail, type Env } from '../agentmail.ts'
import { messagesOf } from '../coordination/coordination.ts'
import { openSession, type Session } from '../mailbox/tmux.ts'
import { callTool, TestServer } from '../server/server.ts'
import { sql } from '../store/sqlite-files.ts'
import type { CallTool, Where } from './busy.ts'
import { page } from './busy.ts'
import type { Receipt } from './receipts.ts'
import type { Traffic } from './traffic.ts'

/** Nobody goes stale on a machine that stalls, and the mailman tells of each mail. */
export const patient: Env = { AGENTMAIL_STALE_SECONDS: '3600', AGENTMAIL_NUDGE_SECONDS: '0' }

export class BusyPlace {
  readonly session: Session
  readonly call: CallTool
  readonly #database: string
  readonly #marks = new Map<string, number>()

  private constructor(session: Session, server: TestServer) {
    this.session = session
    this.#database = server.database
    const project = basename(session.repository)
    this.call = async (tool, args) => {
      const { structuredContent, text } = await callTool(server.url, tool, args, project)
      if (!structuredContent) throw new Error(`${tool} failed: ${text}`)
      return structuredContent
    }
  }

  static async open(windows: string[]): Promise<BusyPlace> {
    const session = openSession(windows)
    const db = join(process.env.XDG_DATA_HOME ?? '', 'agentmail/agentmail.db')
    mkdirSync(dirname(db), { recursive: true, mode: 0o700 })
    const server = await TestServer.start({ db, cwd: session.repository, env: patient })
    return new BusyPlace(session, server)
  }

  /** Outside tmux. */
  get outside(): Where {
    return { repository: this.session.repository, env: patient }
  }

  window(window: number): Where {
    const { repository, env } = this.session
    return { repository, env: { ...patient, ...env(window) } }
  }

  /** How far each has been handed its messages; that never goes back. */
  checkMarks(): void {
    const rows = sql(this.#database, 'SELECT agent_id, channel, last_id FROM marks')
    for (const row of rows) {
      const { agent_id, channel, last_id } = Object(row)
      const key = `${agent_id} ${channel}`
      expect(last_id).toBeGreaterThanOrEqual(this.#marks.get(key) ?? 0)
      this.#marks.set(key, last_id)
    }
  }

  /** What a cursor finds in the channel of a name, also of what was handed over. */
  async channelOf(name: string): Promise<string[]> {
    const { repository, env } = this.outside
    const texts: string[] = []
    for (let last = 0; ; ) {
      const page = ['--channel', `@${name}`, '--after-id', `${last}`, '--limit', '500', '--json']
      const { stdout } = await agentmail(['messages', ...page], { cwd: repository, env })
      const found = messagesOf(JSON.parse(stdout))
      texts.push(...found.map(({ body }) => body))
      last = found.at(-1)?.id ?? last
      if (found.length === 0) return texts
    }
  }
}

/**
 * Nothing is lost but what somebody was handed when it was killed, nothing comes twice or from
 * nowhere, and the receipts say what happened.
 * @param options.perCut how many may be lost with each read that was cut off, by the name of the reader.
 */
export function expectTrue(
  traffic: Traffic,
  receipts: Receipt[],
  { perCut = {} }: { perCut?: Record<string, number> } = {},
): void {
  for (const name of traffic.names) {
    expect([name, traffic.wrong(name)]).toEqual([name, []])
    const lost = traffic.lost(name)
    const most = (traffic.cut.get(name) ?? 0) * (perCut[name] ?? page)
    if (lost.length > most) expect([name, lost]).toEqual([name, []])
    const handed = new Set(traffic.handed.get(name))
    const gone = new Set(lost)
    // What is read was handed over, or lost with its reader; an unclear one that nobody has may be either.
    const untrue = receipts.filter(({ to, text, state }) => {
      if (to !== name) return false
      if (handed.has(text) || gone.has(text)) return state !== 'read'
      return state === 'read' && !traffic.textsTo(name, 'unclear').includes(text)
    })
    expect([name, untrue]).toEqual([name, []])
  }
  const known = new Set(receipts.map(({ text }) => text))
  const unknown = traffic.sent.filter(
    ({ text, outcome }) => outcome === 'acknowledged' && !known.has(text),
  )
  expect(unknown).toEqual([])
}
