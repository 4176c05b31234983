/** Many agents that write to a coordination server which is killed again and again, and what they know of each write. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { ended, start, startWorker } from '../agentmail.ts'
import { TestServer } from '../server/server.ts'
import {
  agentIdOf,
  Caller,
  ConnectionLost,
  changesOf,
  messagesOf,
  type Structured,
} from './caller.ts'
import { type Entry, markerOf } from './stored.ts'

const writers = 16

/** One call that writes, repeated until it is acknowledged. */
export interface Write {
  tool: 'send_message' | 'announce_change' | 'claim_files'
  args: Record<string, unknown>
  /** What it must leave in the database: see `Entry`. */
  names: string[]
  /** How often its connection ended before the answer. */
  lost: number
  isAcknowledged: boolean
  /** As it was acknowledged; a claim has none. */
  id: number | undefined
}

interface WriteOptions {
  agent_id: string
  marker: string
  /** Of its text, if it has any. */
  length?: number
  withKeys?: boolean
}

/** A server to be killed. */
export interface Victim {
  url: string
  child: ChildProcess
  ended: Promise<unknown>
}

export interface StormOptions {
  database: string
  random: () => number
  withKeys?: boolean
  startVictim?: (database: string) => Promise<Victim>
  /** Is run after each kill, before the next start. */
  afterKill?: () => void
}

/** A write whose traces can be told from all others by its marker. */
export function makeWrite(
  tool: Write['tool'],
  { agent_id, marker, length = 100, withKeys = true }: WriteOptions,
): Write {
  const fresh = { tool, lost: 0, isAcknowledged: false, id: undefined }
  const text = `${marker} ${'x'.repeat(length)}`
  const key = withKeys ? { idempotency_key: `key of ${marker}` } : {}
  if (tool === 'send_message') {
    const args = { agent_id, subject: marker, body: text, ...key }
    return { ...fresh, args, names: [`message ${marker}`] }
  }
  if (tool === 'announce_change') {
    const args = { agent_id, file_path: `src/${marker}.ts`, summary: text, ...key }
    return { ...fresh, args, names: [`change ${marker}`] }
  }
  const files = [1, 2, 3].map((part) => `src/${marker}/${part}.ts`)
  const names = files.map((file) => `claim ${file} ${agent_id}`)
  return { ...fresh, args: { agent_id, files }, names }
}

const startReal = (db: string): Promise<Victim> => TestServer.start({ db })

/** One that acknowledges before it commits. */
export const startHasty = (database: string): Promise<Victim> =>
  startCareless('hasty-server', database)

/** One that does not look whether its file is still there. */
export const startHeedless = (database: string): Promise<Victim> =>
  startCareless('heedless-server', database)

async function startCareless(worker: string, database: string): Promise<Victim> {
  const child = startWorker(worker, [database])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const over = ended(child)
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)))
    over.then(({ stderr }) => reject(new Error(`The server did not start: ${stderr}`)))
  })
  return { ...z.object({ url: z.string() }).parse(JSON.parse(line)), child, ended: over }
}

export class WriteStorm {
  readonly writes: Write[] = []
  /** What readers with a cursor got, in the order in which they got it. */
  readonly seen: Record<'messages' | 'changes', Entry[]> = { messages: [], changes: [] }
  readonly #options: Required<StormOptions>
  readonly #caller = new Caller()
  #victim: Promise<Victim>
  #acknowledged = 0
  #isOver = false
  #isQuiet = false

  constructor(options: StormOptions) {
    this.#options = { withKeys: true, startVictim: startReal, afterKill: () => {}, ...options }
    this.#victim = this.#start()
  }

  /** Kills the server so many times; gives the last one, which lives, when all that was begun is acknowledged. */
  async run(kills: number): Promise<Victim> {
    const agents = await Promise.all(Array.from({ length: writers }, (_, n) => this.#register(n)))
    const [reader = ''] = agents
    const writing = Promise.all(agents.map((agent, index) => this.#write(agent, index))).then(
      () => {
        this.#isQuiet = true
      },
    )
    const reading = Promise.all([
      this.#follow(this.seen.messages, (cursor) =>
        this.#readMessages({ agent_id: reader, ...cursor }),
      ),
      this.#follow(this.seen.changes, (cursor) => this.#getChanges(cursor)),
    ])
    try {
      await Promise.all([this.#killOften(kills), writing, reading])
    } finally {
      this.#isOver = true
    }
    return this.#victim
  }

  /** Repeats a call that was made before, and gives what it is acknowledged with. */
  async repeat({ tool, args }: Write): Promise<number | undefined> {
    return acknowledgedId(await this.#call(tool, args))
  }

  #start = () => this.#options.startVictim(this.#options.database)

  async #killOften(kills: number): Promise<void> {
    const { random } = this.#options
    for (let kill = 0; kill < kills; kill++) {
      const enough = this.#acknowledged + Math.ceil(random() * 60)
      while (this.#acknowledged < enough && !this.#isOver) await sleep(1)
      await sleep(random() * 10)
      await this.#kill()
    }
    this.#isOver = true
  }

  async #kill(): Promise<void> {
    const { random, afterKill } = this.#options
    const { child, ended } = await this.#victim
    this.#victim = (async () => {
      child.kill('SIGKILL')
      await ended
      afterKill()
      if (random() < 0.15) await this.#interruptStart()
      return this.#start()
    })()
    await this.#victim
  }

  /** A server that is killed while it opens the database. */
  async #interruptStart(): Promise<void> {
    const { database, random } = this.#options
    const child = start(['serve', '--port', '0', '--db', database])
    const over = ended(child)
    await sleep(random() * 300)
    child.kill('SIGKILL')
    await over
  }

  async #register(index: number): Promise<string> {
    return agentIdOf(await this.#call('register', { name: `writer ${index}`, role: 'writer' }))
  }

  async #write(agent_id: string, index: number): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const write = this.#nextWrite(agent_id, `${index}-${count}`)
      this.writes.push(write)
      while (!write.isAcknowledged) await this.#attempt(write)
    }
  }

  #nextWrite(agent_id: string, marker: string): Write {
    const { random, withKeys } = this.#options
    const kind = random()
    const tool = kind < 0.6 ? 'send_message' : kind < 0.85 ? 'announce_change' : 'claim_files'
    const length = random() * (random() < 0.1 ? 20_000 : 300)
    return makeWrite(tool, { agent_id, marker, length, withKeys })
  }

  async #attempt(write: Write): Promise<void> {
    const { random } = this.#options
    // Some clients give up by themselves, while the server lives on.
    const signal = random() < 0.02 ? AbortSignal.timeout(Math.ceil(random() * 12)) : undefined
    try {
      write.id = acknowledgedId(await this.#call(write.tool, write.args, signal))
      write.isAcknowledged = true
      this.#acknowledged++
    } catch (error) {
      if (!(error instanceof ConnectionLost) || write.lost++ > 200) throw error
      await sleep(1)
    }
  }

  /** Reads on and on from where it stands, until all is quiet and nothing is left. */
  async #follow(seen: Entry[], read: (cursor: object) => Promise<Entry[]>): Promise<void> {
    for (;;) {
      const isLast = this.#isQuiet
      try {
        const page = await read({ after_id: seen.at(-1)?.id ?? 0, limit: 500 })
        seen.push(...page)
        if (page.length === 0 && isLast) return
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error
      }
      await sleep(25)
    }
  }

  async #readMessages(request: object): Promise<Entry[]> {
    const wait_seconds = this.#isQuiet ? 0 : 1
    const answer = await this.#call('read_messages', { ...request, wait_seconds })
    return messagesOf(answer).map(({ id, body }) => ({ name: `message ${markerOf(body)}`, id }))
  }

  async #getChanges(request: object): Promise<Entry[]> {
    const answer = await this.#call('get_changes', request)
    return changesOf(answer).map(({ id, summary }) => ({ name: `change ${markerOf(summary)}`, id }))
  }

  async #call(tool: string, args: object, signal?: AbortSignal): Promise<Structured> {
    const { url } = await this.#victim
    return this.#caller.call(url, tool, args, signal)
  }
}

function acknowledgedId(answer: Structured): number | undefined {
  return z
    .int()
    .optional()
    .parse(answer.message_id ?? answer.change_id)
}
