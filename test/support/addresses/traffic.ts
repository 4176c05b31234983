/** Everybody writes to everybody and reads, under load, while parts are killed: what was acknowledged, handed over and cut off. */
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '../seeded-random.ts'

export interface Sent {
  from: string
  to: string
  text: string
}

/** What became of an attempt to write: it may have gone out, or was refused in words. */
export type Outcome = 'acknowledged' | 'unclear' | 'refused'

/** Somebody who writes and reads at once. */
export interface Busy {
  name: string
  write(to: string, text: string): Promise<Outcome>
  /** A portion of what waits, text by text; nothing where it was cut off over one. */
  read(): Promise<string[] | undefined>
}

/** So many can be asked for with `agentmail sent`. */
const mostLetters = 450

export class Traffic {
  readonly everybody: Busy[]
  /** Whom everybody writes to. */
  readonly names: string[]
  readonly sent: (Sent & { outcome: Outcome })[] = []
  readonly handed = new Map<string, string[]>()
  /** How often somebody was cut off over a portion. */
  readonly cut = new Map<string, number>()
  readonly #random
  readonly #counts = new Map<string, number>()
  #isOver = true
  #underWay: Promise<unknown> = Promise.resolve()

  /** @param others who is written to as well, and works by itself. */
  constructor(everybody: Busy[], seed: number, others: string[] = []) {
    this.everybody = everybody
    this.names = [...everybody.map(({ name }) => name), ...others]
    this.#random = randomFrom(seed)
  }

  /** @param readers who reads meanwhile; the others leave their mail. */
  start(readers: string[] = this.names): void {
    this.#isOver = false
    const reading = this.everybody.filter(({ name }) => readers.includes(name))
    this.#underWay = Promise.all([
      ...this.everybody.map((one) => this.#writes(one)),
      ...reading.map((one) => this.#reads(one)),
    ])
    this.#underWay.catch(() => {}) // `stop` tells
  }

  /** When it returns, nothing is under way. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#underWay
  }

  /** Everybody reads until nothing is left. */
  async readAll(): Promise<void> {
    const readUp = async (one: Busy) => {
      while ((await this.readOnce(one)) !== 0);
    }
    await Promise.all(this.everybody.map(readUp))
  }

  /** How many it was handed; -1 where it was cut off. */
  async readOnce(one: Busy): Promise<number> {
    const texts = await one.read()
    this.noteRead(one.name, texts)
    return texts?.length ?? -1
  }

  noteRead(name: string, texts: string[] | undefined): void {
    if (texts) this.handed.set(name, [...(this.handed.get(name) ?? []), ...texts])
    else this.cut.set(name, (this.cut.get(name) ?? 0) + 1)
  }

  async write(one: Busy, to: string): Promise<Sent> {
    const count = (this.#counts.get(one.name) ?? 0) + 1
    this.#counts.set(one.name, count)
    const letter = { from: one.name, to, text: `${one.name} to ${to} ${count}.` }
    this.sent.push({ ...letter, outcome: await one.write(to, letter.text) })
    return letter
  }

  async #writes(one: Busy): Promise<void> {
    const others = this.names.filter((name) => name !== one.name)
    for (let turn = Math.floor(this.#random() * others.length); !this.#isOver; turn++) {
      const to = others[turn % others.length]
      if (to && (this.#counts.get(one.name) ?? 0) < mostLetters) await this.write(one, to)
      await sleep(this.#random() * 60)
    }
  }

  async #reads(one: Busy): Promise<void> {
    while (!this.#isOver) {
      await this.readOnce(one)
      await sleep(this.#random() * 150)
    }
  }

  textsTo(name: string, ...outcomes: Outcome[]): string[] {
    return this.sent
      .filter(({ to, outcome }) => to === name && outcomes.includes(outcome))
      .map(({ text }) => text)
  }

  /** What was acknowledged for this name, and never handed over. */
  lost(name: string): string[] {
    const handed = new Set(this.handed.get(name))
    return this.textsTo(name, 'acknowledged').filter((text) => !handed.has(text))
  }

  /** What a name was handed twice, or was refused, or never written. */
  wrong(name: string): string[] {
    const written = new Set(this.textsTo(name, 'acknowledged', 'unclear'))
    const handed = this.handed.get(name) ?? []
    return handed.filter((text, at) => handed.indexOf(text) !== at || !written.has(text))
  }

  /** How many messages went to and fro. */
  get summary(): string {
    const count = (outcome: Outcome) => this.sent.filter((one) => one.outcome === outcome).length
    const cuts = [...this.cut.values()].reduce((sum, one) => sum + one, 0)
    return `${count('acknowledged')} acknowledged, ${count('unclear')} unclear, ${count('refused')} refused, ${cuts} reads cut off`
  }
}
