/** Processes that send, receive and clean up at one mailbox, and the one checker of what they did. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { lineOf, type Message, messageOf } from '../../../src/mailbox/message.ts'
import { PostOffice } from '../../../src/mailbox/post-office.ts'
import { ended, startWorker } from '../agentmail.ts'
import { seededRandom } from '../seeded-random.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export const name = 'reader'

export type Role = 'send' | 'receive' | 'cleanup'
/** What is switched off in a control run. */
export type Fault = 'no lock' | 'early word' | 'late mark' | 'in place'

export interface Box {
  office: PostOffice
  path: string
  /** Messages that are in the file now, in its order. */
  stored(): Message[]
}

export function openBox(content: Message[] = []): Box {
  const office = new PostOffice(temporaryFolder())
  office.create()
  const path = join(office.mailboxesDir, `${name}.jsonl`)
  if (content.length > 0) writeFileSync(path, Buffer.concat(content.map(lineOf)))
  return { office, path, stored: () => linesOf(path).flatMap((line) => parsed(line) ?? []) }
}

export const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1)

export function parsed(line: string): Message | undefined {
  const message = messageOf(Buffer.from(line))
  return message && { to: name, read_flag: false, created_at: '', ...message }
}

export function messages(count: number, message = 'hello'): Message[] {
  const created_at = '2026-01-01T00:00:00.000Z'
  const rest = { from: 'sender', to: name, message, read_flag: false, created_at }
  return Array.from({ length: count }, (_, index) => ({ id: `m${index}`, ...rest }))
}

export const idsOf = (list: Message[]) => list.map(({ id }) => id)

export interface Running {
  /** Its words so far: the ids that it vouches for, or that it cleaned up once more. */
  said(): string[]
  go(): void
  /** Lets it finish; one that fails makes the test fail, unless it runs without its safeguard. */
  stop(): Promise<void>
  kill(): Promise<void>
}

export async function startRole({ office }: Box, role: Role, fault?: Fault): Promise<Running> {
  const child = startWorker('mailbox', [office.dir, name, role, ...(fault ? [fault] : [])])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  child.stdin.on('error', () => {}) // it may be dead by now
  const end = ended(child)
  let output = ''
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.startsWith('ready\n')) resolve(output)
    })
    end.then(({ stderr }) => reject(new Error(`${role} did not start: ${stderr}`)), reject)
  })
  return {
    said: () => output.split('\n').slice(1, -1),
    go: () => child.stdin.write('go\n'),
    async stop() {
      child.stdin.end()
      const { exitCode, stderr } = await end
      if (!fault && exitCode !== 0) throw new Error(`${role} failed: ${stderr}`)
    },
    async kill() {
      child.kill('SIGKILL')
      const { signal, stderr } = await end
      if (!fault && signal !== 'SIGKILL') throw new Error(`${role} failed: ${stderr}`)
    },
  }
}

export const startWorkers = (count: number, box: Box, role: Role, fault?: Fault) =>
  Promise.all(Array.from({ length: count }, () => startRole(box, role, fault)))

/** Starts workers and kills each in the midst of its work: after some words of it and a moment more. */
export async function killAtRandom(
  kills: number,
  start: () => Promise<Running>,
  { words, ms } = { words: 6, ms: 10 },
): Promise<Running[]> {
  const random = seededRandom()
  const killed: Running[] = []
  let started = 0
  const slot = async () => {
    while (started++ < kills) {
      const one = await start()
      one.go()
      const enough = Math.ceil(random() * words)
      const waitingSince = Date.now()
      while (one.said().length < enough && Date.now() - waitingSince < 20_000) await sleep(1)
      await sleep(random() * ms)
      await one.kill()
      killed.push(one)
    }
  }
  await Promise.all([slot(), slot(), slot(), slot()])
  return killed
}

export const allSaid = (workers: Running[]) => workers.flatMap((one) => one.said())
