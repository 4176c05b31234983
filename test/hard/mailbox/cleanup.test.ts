/** Cleanup beside senders and receivers, killed or not, and the order and the size of a mailbox. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { lineOf, type Message } from '../../../src/mailbox/message.ts'
import { ended, startWorker } from '../../support/agentmail.ts'
import { compare, intact } from '../../support/compare.ts'
import { expectDamage } from '../../support/control-run.ts'
import { eventually } from '../../support/eventually.ts'
import {
  allSaid,
  type Box,
  type Fault,
  idsOf,
  killAtRandom,
  messages,
  name,
  openBox,
  startRole,
  startWorkers,
} from '../../support/mailbox/mailbox-workers.ts'
import { isLong } from '../../support/parts.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 240_000 })

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
