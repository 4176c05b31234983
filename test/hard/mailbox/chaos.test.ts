/** Receivers at once, and senders and receivers that are killed. */
import { describe, expect, it, vi } from 'vitest'
import { compare, intact } from '../../support/compare.ts'
import { expectDamage } from '../../support/control-run.ts'
import {
  allSaid,
  type Fault,
  idsOf,
  killAtRandom,
  linesOf,
  messages,
  name,
  openBox,
  parsed,
  startRole,
  startWorkers,
} from '../../support/mailbox/mailbox-workers.ts'
import { isLong } from '../../support/parts.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 240_000 })

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
    const kills = isLong ? 250 : 30
    const { box, acknowledged, missing, repeated } = await killSenders(kills)
    expect({ missing, repeated }).toEqual(intact)
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills)
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
