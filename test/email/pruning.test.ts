/** Which mails the ledger forgets when it is pruned, and which it never does. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { pruneSends } from '../../src/email/outgoing/prune-sends.ts'
import { askerOf } from '../../src/email/outgoing/reply-keys.ts'
import { SendLedger } from '../../src/email/outgoing/send-ledger.ts'
import type { SendState } from '../../src/email/outgoing/send-record.ts'
import { DraftSends } from '../../src/orchestrator/sends.ts'
import { Removal } from '../../src/store/removal.ts'
import { migrate } from '../../src/store/schema.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { Holder } from '../../src/system/holder.ts'
import { begunNote } from '../support/orchestrator/records-in.ts'
import { TestClock } from '../support/store/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const dayMs = 24 * 3600_000
const scope = 'a'.repeat(64)
const receipt = { message_id: 'm', thread_id: 't', sent_at: '2026-01-15T10:00:00.000Z' }

async function openLedger() {
  const folder = temporaryFolder()
  const clock = new TestClock()
  const store = await openSqlite(join(folder, 'mail.db'))
  await migrate(store)
  const holder = new Holder(join(folder, 'senders'))
  const ledger = new SendLedger({ store, holder, timeoutMs: 30_000, clock })
  onTestFinished(() => ledger.close())
  const send = async (subject: string, state: SendState, key?: string) => {
    const { isMine, record } = await ledger.begin({
      ...{ scope, key, content_hash: 'c', provider: 'gmail', recipients: ['jane@example.com'] },
      subject,
    })
    if (isMine && state !== 'prepared') await ledger.settle(record, state, { receipt })
    return isMine
  }
  const prune = (ageMs: number, isDryRun = false) =>
    pruneSends(
      ledger.reader,
      new Removal({ queue: ledger.queue, isDryRun, isEnding: () => false }),
      {
        beforeMs: clock.ms - ageMs,
        keysBeforeMs: clock.ms - 7 * dayMs,
        answersBeforeMs: clock.ms - 90 * dayMs,
      },
    )
  const subjects = async () => (await ledger.list(99)).map(({ subject }) => subject).toSorted()
  return { clock, ledger, send, prune, subjects }
}

it('forgets what is finished and old, and nothing that is open', async () => {
  const { clock, send, prune, subjects } = await openLedger()
  const states: SendState[] = ['prepared', 'sending', 'sent', 'drafted', 'failed', 'unknown']
  for (const state of states) await send(state, state)
  clock.pass(10 * dayMs)
  await send('new', 'sent')
  expect(await prune(5 * dayMs, true)).toBe(2)
  expect(await subjects()).toHaveLength(7)
  expect(await prune(5 * dayMs)).toBe(2)
  expect(await subjects()).toEqual(['drafted', 'new', 'prepared', 'sending', 'unknown'])
})

it('answers the same for a key for seven days, however much is pruned', async () => {
  const { clock, send, prune } = await openLedger()
  expect(await send('keyed', 'sent', 'k')).toBe(true)
  clock.pass(7 * dayMs - 1000)
  expect(await prune(0)).toBe(0)
  expect(await send('keyed', 'sent', 'k')).toBe(false)
  clock.pass(2000)
  expect(await prune(8 * dayMs)).toBe(0)
  expect(await prune(0)).toBe(1)
  expect(await send('keyed', 'sent', 'k')).toBe(true)
})

it('knows for ninety days who asked, however soon the rest is forgotten', async () => {
  const { clock, ledger, send, prune, subjects } = await openLedger()
  await send('plain', 'sent')
  const asked_by = { agent: 'ann', project: 'shop' }
  const { record } = await ledger.begin({
    ...{ scope, key: undefined, content_hash: 'c', provider: 'local', recipients: [] },
    ...{ subject: 'asked', asked_by },
  })
  await ledger.settle(record, 'sent', { receipt: { ...receipt, header_id: '<1@x>' } })
  const original = { thread_id: '', subject: '', message_id: '', references: ['<1@x>'] }
  const asker = () => askerOf(ledger.reader, { id: 'in', scope, original, tags: [] })
  clock.pass(89 * dayMs)
  expect(await prune(0)).toBe(1)
  expect(await subjects()).toEqual(['asked'])
  expect(await asker()).toEqual(asked_by)
  clock.pass(2 * dayMs)
  expect(await prune(1000 * dayMs)).toBe(0)
  expect(await asker()).toEqual(asked_by)
  expect(await prune(0)).toBe(1)
  expect(await asker()).toBeUndefined()
  expect(await ledger.reader.all('SELECT * FROM reply_keys')).toEqual([])
})

it('never forgets a mail that a person approved, or its draft would be sent once more', async () => {
  const { clock, ledger, send, prune } = await openLedger()
  const sends = await DraftSends.open(ledger, 'a vault')
  const entry = await sends.begin({ ...begunNote, scope, approval_id: 'approved' })
  expect(await send('approved', 'sent', begunNote.key)).toBe(true)
  await sends.save({ ...entry, is_filed: true })
  clock.pass(1000 * dayMs)
  expect(await prune(0)).toBe(0)
  const [known] = (await DraftSends.open(ledger, 'a vault')).list()
  expect(known).toMatchObject({ state: 'sent', approval_id: 'approved' })
})
