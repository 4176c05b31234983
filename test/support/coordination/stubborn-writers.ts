/** Agents that write through one server while its database comes and goes, and what each was told of its writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { compare } from '../compare.ts'
import { query } from '../store/database-servers.ts'
import { agentIdOf, Caller, ToolFailed } from './caller.ts'
import { markerOf } from './stored.ts'
import { makeWrite, type Write } from './write-storm.ts'

/** What an answer says about a write: it is stored, it is not, or nobody can tell. */
type Told = 'stored' | 'nothing' | 'perhaps'

interface ToldWrite extends Write {
  told: Told | undefined
}

/** Long beyond need. */
const patienceMs = 60_000

export interface WritersOptions {
  random: () => number
  count?: number
  /** Tells their writes from those of others. */
  name?: string
  /** With a key a write is repeated until it is stored; without one its first answer is taken for true. */
  withKeys?: boolean
}

export class StubbornWriters {
  readonly writes: ToldWrite[] = []
  /** Errors that were answered. */
  errors = 0
  stored = 0
  readonly #url: string
  readonly #options: Required<WritersOptions>
  readonly #caller = new Caller()
  #isOver = false

  constructor(url: string, options: WritersOptions) {
    this.#url = url
    this.#options = { count: 16, name: '', withKeys: true, ...options }
  }

  /** For people: how many were told what. */
  get summary(): string {
    const times = (told: Told) => this.writes.filter((write) => write.told === told).length
    return `${times('stored')} stored, ${times('nothing')} not, ${times('perhaps')} perhaps, ${this.errors} errors`
  }

  /** Writes while `work` goes on; over when every write is answered. */
  async writeDuring(work: () => Promise<void>): Promise<void> {
    const agents = await Promise.all(
      Array.from({ length: this.#options.count }, (_, index) => this.#register(`writer ${index}`)),
    )
    const writing = agents.map((agent, index) => this.#write(agent, index))
    try {
      await Promise.race([work(), Promise.all(writing)]) // a writer that fails is heard of at once
    } finally {
      this.#isOver = true
      await Promise.all(writing)
    }
  }

  /** How long it takes until another write is stored. */
  async untilNext(): Promise<number> {
    const start = performance.now()
    const { stored } = this
    while (this.stored === stored && !this.#isOver) {
      if (performance.now() - start > patienceMs) throw new Error('Nothing is stored any more')
      await sleep(1)
    }
    return performance.now() - start
  }

  /** As stubborn as its writes: on a busy machine a cluster may refuse it for a while, with words. */
  async #register(name: string): Promise<string> {
    const start = performance.now()
    for (;;) {
      try {
        return agentIdOf(await this.#call('register', { name, role: 'writer' }))
      } catch (error) {
        if (!(error instanceof ToolFailed) || performance.now() - start > patienceMs) throw error
        toldBy(error.message)
        await sleep(50)
      }
    }
  }

  async #write(agent_id: string, index: number): Promise<void> {
    const { random, withKeys, name } = this.#options
    for (let count = 0; !this.#isOver; count++) {
      const tool = random() < 0.7 ? 'send_message' : 'announce_change'
      const marker = `${name}-${index}-${count}`
      const write = { ...makeWrite(tool, { agent_id, marker, withKeys }), told: undefined }
      this.writes.push(write)
      do await this.#attempt(write)
      while (withKeys && write.told !== 'stored')
    }
  }

  async #attempt(write: ToldWrite): Promise<void> {
    try {
      await this.#call(write.tool, write.args)
      write.told = 'stored'
      this.stored++
    } catch (error) {
      if (!(error instanceof ToolFailed)) throw error
      this.errors++
      write.told = toldBy(error.message)
      await sleep(50)
    }
  }

  #call(tool: string, args: object) {
    return this.#caller.call(this.#url, tool, args)
  }
}

function toldBy(text: string): Told {
  if (/^the database could not be written\nNothing of this call was stored\. /.test(text))
    return 'nothing'
  expect(text).toMatch(/^the database did not say whether it stored this\nPerhaps it did, /)
  return 'perhaps'
}

/** What is wrong with what a database holds, after all that its writers were told. */
export async function faultsOf(url: string, writes: ToldWrite[]): Promise<string[]> {
  const messages = await query(url, 'SELECT id, body AS text FROM messages ORDER BY id')
  const changes = await query(url, 'SELECT id, summary AS text FROM changes ORDER BY id')
  const journal = await query(url, 'SELECT entry AS id FROM journal ORDER BY entry')
  const [counters] = await query(url, 'SELECT last_message, last_change, last_entry FROM projects')
  const found = [
    ...messages.map(({ text }) => `message ${markerOf(text)}`),
    ...changes.map(({ text }) => `change ${markerOf(text)}`),
  ]
  const namesOf = (told: Told) =>
    writes.filter((write) => write.told === told).flatMap(({ names }) => names)
  const { missing, repeated } = compare(namesOf('stored'), found)
  const there = new Set(found)
  const series = { messages, changes, journal }
  return [
    ...missing.map((name) => `${name} was acknowledged and is not there`),
    ...repeated.map((name) => `${name} is there twice`),
    ...namesOf('nothing')
      .filter((name) => there.has(name))
      .map((name) => `${name} is there, though nothing of it was stored`),
    ...Object.entries(series).flatMap(([what, rows]) =>
      rows.flatMap(({ id }, index) => (id === index + 1 ? [] : [`${what}: a gap before ${id}`])),
    ),
    ...(counters?.last_message === messages.length &&
    counters?.last_change === changes.length &&
    counters?.last_entry === journal.length
      ? []
      : [`the counters are ${JSON.stringify(counters)}`]),
  ]
}
