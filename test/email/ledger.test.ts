/** The ledger, when a process dies between its steps. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SendLedger } from '../../src/email/outgoing/send-ledger.ts'
import type { Intent } from '../../src/email/outgoing/send-record.ts'
import { migrate } from '../../src/store/schema.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { Holder } from '../../src/system/holder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const intent = {
  scope: 'a',
  key: 'k',
  content_hash: 'c',
  provider: 'gmail' as const,
  recipients: ['jane@example.com'],
  subject: 'Hello',
} satisfies Intent
const sending = { subject: 'Hello', audited_at: '2026-01-15T10:00:00.000Z' }
const receipt = { message_id: 'm', thread_id: 't', sent_at: '2026-01-15T10:00:00.000Z' }

interface Process {
  ledger: SendLedger
  /** What the system does to a process that dies: its lock is gone, its file stays. */
  die(): void
}

async function startIn(folder: string, now = () => Date.now()): Promise<Process> {
  const store = await openSqlite(join(folder, 'mail.db'))
  await migrate(store)
  const holder = new Holder(join(folder, 'senders'))
  const ledger = new SendLedger({ store, holder, timeoutMs: 30_000, clock: { now } })
  onTestFinished(() => ledger.close())
  return {
    ledger,
    die() {
      holder.close()
      writeFileSync(join(folder, 'senders', holder.name), '')
    },
  }
}

describe('the ledger of mails', () => {
  it('lets another process send what a dead one had only prepared', async () => {
    const folder = temporaryFolder()
    const [one, two] = [await startIn(folder), await startIn(folder)]
    const first = await one.ledger.begin(intent)
    one.die()
    const second = await two.ledger.begin(intent)
    expect(second).toMatchObject({ isMine: true, record: { id: first.record.id } })
    // Should the first one wake after all, it may not send any more.
    await expect(one.ledger.sending(first.record, sending)).rejects.toMatchObject({
      details: { outcome: 'not_sent' },
    })
    await two.ledger.sending(second.record, sending)
  })

  it('gives nothing out to be sent once its file is gone', async () => {
    const folder = temporaryFolder()
    const { ledger } = await startIn(folder)
    const { record } = await ledger.begin(intent)
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `mail.db${end}`))
    const lost = { code: 'database_lost' }
    await expect(ledger.sending(record, sending)).rejects.toMatchObject(lost)
    await expect(ledger.begin({ ...intent, key: 'another' })).rejects.toMatchObject(lost)
  })

  it('calls unknown what a dead process had given to the service, and never gives it out again', async () => {
    const folder = temporaryFolder()
    const [one, two] = [await startIn(folder), await startIn(folder)]
    const { record } = await one.ledger.begin(intent)
    const taken = await one.ledger.sending(record, sending)
    one.die()
    for (const process of [two, await startIn(folder)]) {
      expect(await process.ledger.begin(intent)).toMatchObject({
        isMine: false,
        record: { state: 'unknown', id: record.id },
      })
    }
    // If it lived after all, what it knows counts.
    await one.ledger.settle(taken, 'sent', { receipt })
    expect(await two.ledger.begin(intent)).toMatchObject({ record: { state: 'sent', ...receipt } })
  })

  it('keeps unknown what a process that had never sent it would call failed', async () => {
    const folder = temporaryFolder()
    const [slept, died, asks] = [
      await startIn(folder),
      await startIn(folder),
      await startIn(folder),
    ]
    const { record } = await slept.ledger.begin(intent)
    slept.die() // taken for dead, as one is that was stopped for too long
    const second = await died.ledger.begin(intent)
    await died.ledger.sending(second.record, sending)
    died.die()
    expect(await asks.ledger.begin(intent)).toMatchObject({ record: { state: 'unknown' } })
    await slept.ledger.settle(record, 'failed', { reason: 'no audit' })
    expect(await asks.ledger.begin(intent)).toMatchObject({
      isMine: false,
      record: { state: 'unknown' },
    })
  })

  it('tells in its list what a dead process was sending as unknown', async () => {
    const folder = temporaryFolder()
    const [one, two] = [await startIn(folder), await startIn(folder)]
    const { record } = await one.ledger.begin({ ...intent, key: undefined })
    await one.ledger.sending(record, sending)
    expect(await two.ledger.list(9)).toMatchObject([{ state: 'sending' }])
    one.die()
    expect(await two.ledger.list(9)).toMatchObject([{ state: 'unknown' }])
  })

  it('waits for a process that lives, however long that takes within its time', async () => {
    const folder = temporaryFolder()
    const [one, two] = [await startIn(folder), await startIn(folder)]
    const { record } = await one.ledger.begin(intent)
    const taken = await one.ledger.sending(record, sending)
    let isAnswered = false
    const waiting = two.ledger.begin(intent).finally(() => {
      isAnswered = true
    })
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(isAnswered).toBe(false)
    await one.ledger.settle(taken, 'sent', { receipt })
    expect(await waiting).toMatchObject({ isMine: false, record: { state: 'sent' } })
  })

  it('gives up a process of another machine when its time is over', async () => {
    const folder = temporaryFolder()
    const elsewhere = await startIn(folder)
    const { record } = await elsewhere.ledger.begin(intent)
    await elsewhere.ledger.sending(record, sending)
    const later = await startIn(folder, () => Date.now() + 46_000)
    expect(await later.ledger.begin(intent)).toMatchObject({ record: { state: 'unknown' } })
  })

  it('tells by id what is unclear', async () => {
    const folder = temporaryFolder()
    const [one, two] = [await startIn(folder), await startIn(folder)]
    const { record } = await one.ledger.begin({ ...intent, key: undefined })
    await one.ledger.sending(record, sending)
    expect(await two.ledger.byId(record.id)).toMatchObject({ state: 'sending' })
    one.die()
    expect(await two.ledger.byId(record.id)).toMatchObject({ state: 'unknown' })
    expect(await two.ledger.byId('nobody')).toBeUndefined()
  })
})
