/** Mailboxes under load, with processes killed at random moments. Each promise is also tried with its safeguard off. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lineOf, type Message, messageOf } from '../../src/mailbox/message.ts'
import { PostOffice } from '../../src/mailbox/post-office.ts'
import { ended, startWorker } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { isLong } from '../support/parts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 240_000 })

const name = 'reader'

type Role = 'send' | 'receive' | 'cleanup'
/** What is switched off in a control run. */
type Fault = 'no lock' | 'early word' | 'late mark' | 'in place'

interface Box {
  office: PostOffice
  path: string
  /** Messages that are in the file now, in its order. */
  stored(): Message[]
}

function openBox(content: Message[] = []): Box {
  const office = new PostOffice(temporaryFolder())
  office.create()
  const path = join(office.mailboxesDir, `${name}.jsonl`)
  if (content.length > 0) writeFileSync(path, Buffer.concat(content.map(lineOf)))
  return { office, path, stored: () => linesOf(path).flatMap((line) => parsed(line) ?? []) }
}

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1)

function parsed(line: string): Message | undefined {
  const message = messageOf(Buffer.from(line))
  return message && { to: name, read_flag: false, created_at: '', ...message }
}

function messages(count: number, message = 'hello'): Message[] {
  const created_at = '2026-01-01T00:00:00.000Z'
  const rest = { from: 'sender', to: name, message, read_flag: false, created_at }
  return Array.from({ length: count }, (_, index) => ({ id: `m${index}`, ...rest }))
}

const idsOf = (list: Message[]) => list.map(({ id }) => id)

interface Running {
  /** Its words so far: the ids that it vouches for, or that it cleaned up once more. */
  said(): string[]
  go(): void
  /** Lets it finish; one that fails makes the test fail, unless it runs without its safeguard. */
  stop(): Promise<void>
  kill(): Promise<void>
}

async function startRole({ office }: Box, role: Role, fault?: Fault): Promise<Running> {
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

const startWorkers = (count: number, box: Box, role: Role, fault?: Fault) =>
  Promise.all(Array.from({ length: count }, () => startRole(box, role, fault)))

/** Starts workers and kills each in the midst of its work: after some words of it and a moment more. */
async function killAtRandom(
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

const allSaid = (workers: Running[]) => workers.flatMap((one) => one.said())

/** The one checker of all runs: which of `expected` is not in `found`, and what is there twice. */
function compare(expected: string[], found: string[]): { missing: string[]; repeated: string[] } {
  const there = new Set<string>()
  const repeated = found.filter((id) => there.has(id) || !there.add(id))
  return { missing: expected.filter((id) => !there.has(id)), repeated }
}

const intact = { missing: [], repeated: [] }

/** A control run must show damage, or the test beside it proves nothing; chance gets a few tries. */
async function expectDamage(run: (attempt: number) => Promise<number>): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt++) if ((await run(attempt)) > 0) return
  expect.fail('the control run showed no damage')
}

describe('eight processes receiving from one mailbox', () => {
  async function receiveAll(count: number, fault?: Fault) {
    const sent = messages(count)
    const box = openBox(sent)
    const receivers = await startWorkers(8, box, 'receive', fault)
    for (const one of receivers) one.go()
    await Promise.all(receivers.map((one) => one.stop()))
    return { receivers, ...compare(idsOf(sent), allSaid(receivers)) }
  }

  it('get each of 400 messages exactly once', async () => {
    const { receivers, ...damage } = await receiveAll(400)
    expect(damage).toEqual(intact)
    expect(receivers.filter((one) => one.said().length > 0).length).toBeGreaterThan(1)
  })

  it('get messages twice when the lock is off (control)', async () => {
    await expectDamage(async (attempt) => {
      const { missing, repeated } = await receiveAll(400 * attempt, 'no lock')
      return missing.length + repeated.length
    })
  })
})

describe('senders killed at random moments', () => {
  async function killSenders(kills: number, fault?: Fault) {
    const box = openBox()
    const senders = await killAtRandom(kills, () => startRole(box, 'send', fault))
    const acknowledged = allSaid(senders)
    return { box, acknowledged, ...compare(acknowledged, idsOf(box.stored())) }
  }

  it('leave every acknowledged message in the mailbox, once, and a mailbox that works', async () => {
    const { box, acknowledged, missing, repeated } = await killSenders(isLong ? 250 : 30)
    expect({ missing, repeated }).toEqual(intact)
    expect(acknowledged.length).toBeGreaterThanOrEqual(100)
    // A line that a killed sender did not finish holds one message's beginning and nothing else.
    const torn = linesOf(box.path).filter((line) => !parsed(line))
    for (const line of torn) expect(line.lastIndexOf('{')).toBe(0)

    const [after] = messages(1)
    const oldest = box.stored()[0]
    if (after) await box.office.mailbox(name).append(after)
    expect(box.stored().at(-1)).toEqual(after)
    expect((await box.office.mailbox(name).take())?.id).toBe(oldest?.id)
  })

  it('lose messages when they acknowledge before the write (control)', async () => {
    await expectDamage(async () => (await killSenders(20, 'early word')).missing.length)
  })
})

describe('receivers killed at random moments', () => {
  async function killReceivers(kills: number, fault?: Fault) {
    const sent = messages(kills * 40)
    const box = openBox(sent)
    const killed = await killAtRandom(kills, () => startRole(box, 'receive', fault))
    const [last] = await startWorkers(1, box, 'receive')
    last?.go()
    await last?.stop()
    const delivered = [...allSaid(killed), ...(last?.said() ?? [])]
    return { byKilled: allSaid(killed), ...compare(idsOf(sent), delivered) }
  }

  it('cost at most the message that each was being handed, and none comes twice', async () => {
    const kills = isLong ? 200 : 15
    const { byKilled, missing, repeated } = await killReceivers(kills)
    expect(repeated).toEqual([])
    expect(missing.length).toBeLessThanOrEqual(kills)
    expect(byKilled.length).toBeGreaterThanOrEqual(kills)
  })

  it('get messages twice when they mark them after handing them out (control)', async () => {
    await expectDamage(async () => (await killReceivers(12, 'late mark')).repeated.length)
  })
})

describe('cleanup in a loop beside senders and receivers', () => {
  async function cleanBeside(backlog: number, kills: number, atLeast: number, fault?: Fault) {
    const waiting = messages(backlog)
    const box = openBox(waiting)
    const senders = await startWorkers(2, box, 'send', fault)
    const receivers = await startWorkers(2, box, 'receive', fault)
    const cleaners = await startWorkers(1, box, 'cleanup', fault)
    const all = [...senders, ...receivers, ...cleaners]
    for (const one of all) one.go()
    if (kills > 0) await killAtRandom(kills, () => startRole(box, 'cleanup', fault))
    await eventually('enough is sent', () => allSaid(senders).length >= atLeast, 120_000)
    for (const group of [senders, receivers, cleaners]) {
      await Promise.all(group.map((one) => one.stop()))
    }
    const [last] = await startWorkers(1, box, 'receive')
    last?.go()
    await last?.stop()
    const sent = [...idsOf(waiting), ...allSaid(senders)]
    return compare(sent, allSaid(last ? [...receivers, last] : receivers))
  }

  it.each([
    { state: 'almost empty', backlog: 0 },
    { state: 'never empty', backlog: 400 },
  ])(
    'loses and repeats nothing in a mailbox that is $state, though it is killed again and again',
    async ({ backlog }) => {
      expect(await cleanBeside(backlog, isLong ? 100 : 5, 200)).toEqual(intact)
    },
  )

  it('loses messages when the lock is off (control)', async () => {
    await expectDamage(async (attempt) => {
      const { missing } = await cleanBeside(400, 0, 150 * attempt, 'no lock')
      return missing.length
    })
  })
})

describe('cleanup killed while it writes', () => {
  async function killCleanups(kills: number, fault?: Fault) {
    const text = 'x'.repeat(1_000)
    const content = messages(3_000, text).map((one, index) => ({
      ...one,
      read_flag: index % 2 > 0,
    }))
    const unread = idsOf(content.filter((one) => !one.read_flag))
    const boxes: Box[] = []
    const start = () => {
      const box = openBox(content)
      boxes.push(box)
      return startRole(box, 'cleanup', fault)
    }
    await killAtRandom(kills, start, { words: 0, ms: 100 })
    const left = boxes.map((box) => idsOf(box.stored().filter((one) => !one.read_flag)))
    return left.filter((ids) => ids.join() !== unread.join()).length
  }

  it('leaves every unread message where it was', async () => {
    expect(await killCleanups(isLong ? 200 : 8)).toBe(0)
  })

  it('loses messages when it writes over the file itself (control)', async () => {
    await expectDamage(() => killCleanups(12, 'in place'))
  })
})

describe('the order of messages', () => {
  it('is the order of arrival, for the file and for each of several receivers', async () => {
    const box = openBox()
    const [sender] = await startWorkers(1, box, 'send')
    const receivers = await startWorkers(3, box, 'receive')
    for (const one of receivers) one.go()
    sender?.go()
    await eventually('200 messages are sent', () => (sender?.said().length ?? 0) >= 200, 40_000)
    await sender?.stop()
    await Promise.all(receivers.map((one) => one.stop()))
    const sent = sender?.said() ?? []
    expect(idsOf(box.stored())).toEqual(sent)
    expect(compare(sent, allSaid(receivers))).toEqual(intact)
    const place = new Map(sent.map((id, index) => [id, index]))
    for (const one of receivers) {
      const places = one.said().map((id) => place.get(id) ?? -1)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    }
  })

  it('is that of each sender when several send at once', async () => {
    const box = openBox()
    const senders = await startWorkers(3, box, 'send')
    for (const one of senders) one.go()
    await eventually('150 messages are sent', () => allSaid(senders).length >= 150, 40_000)
    await Promise.all(senders.map((one) => one.stop()))
    const stored = idsOf(box.stored())
    for (const one of senders) {
      const own = new Set(one.said())
      expect(stored.filter((id) => own.has(id))).toEqual(one.said())
    }
  })
})

describe('a mailbox with 100,000 messages', () => {
  const read = (list: Message[]) => list.map((one) => ({ ...one, read_flag: true }))
  const long = messages(100_000)
  const tail = 10
  const mostlyRead = [...read(long.slice(0, -tail)), ...long.slice(-tail)]

  /** Bytes that one call of `take` reads, at most. */
  async function costOfTake(content: Message[], positionFolder = '.'): Promise<number> {
    const { office, path } = openBox(content)
    const args = [path, join(office.dir, positionFolder, 'position')]
    const { stdout, stderr } = await ended(startWorker('bytes-read', args))
    expect(stderr).toBe('')
    return Math.max(...JSON.parse(stdout))
  }

  it.runIf(process.platform === 'linux')(
    'is read no further than one with 10, once the position is remembered',
    async () => {
      const short = await costOfTake(messages(tail))
      expect(short).toBeGreaterThan(0)
      expect(await costOfTake(mostlyRead)).toBeLessThanOrEqual(2 * short)
      // What is unread is read ahead in pieces of a fixed size, never the 13 MB of the file.
      expect(await costOfTake(long)).toBeLessThanOrEqual(short + (1 << 19))
      // Control: where no position can be kept, the measure sees the whole file being read.
      expect(await costOfTake(mostlyRead, 'missing')).toBeGreaterThan(100 * short)
    },
  )

  it('still gives the oldest unread after another program changed it in place', async () => {
    const { office, path } = openBox(mostlyRead)
    const mailbox = office.mailbox(name)
    expect((await mailbox.take())?.id).toBe('m99990')
    const bytes = readFileSync(path)
    const flag = bytes.indexOf('"read_flag":true', bytes.indexOf('"m5000"'))
    bytes.write('"read_flag":null', flag)
    writeFileSync(path, bytes)
    expect((await mailbox.take())?.id).toBe('m5000')
    expect((await mailbox.take())?.id).toBe('m99991')
  })

  it('still gives the oldest unread after another program wrote it anew', async () => {
    const { office, path } = openBox(mostlyRead)
    const mailbox = office.mailbox(name)
    await mailbox.take()
    const [first, ...others] = mostlyRead.slice(0, 50)
    if (first)
      writeFileSync(path, Buffer.concat([...others, { ...first, read_flag: false }].map(lineOf)))
    expect((await mailbox.take())?.id).toBe('m0')
    expect(await mailbox.take()).toBeUndefined()
  })
})
