/** The ledger of mails: of several processes one sends, and a database from before there was one gets it. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { askerOf, mayBeAnswered } from '../../../src/email/outgoing/reply-keys.ts'
import { SendLedger } from '../../../src/email/outgoing/send-ledger.ts'
import type { Original } from '../../../src/mime/mail.ts'
import { DraftSends } from '../../../src/orchestrator/sends.ts'
import type { Receipt } from '../../../src/providers/provider.ts'
import { migrations } from '../../../src/store/migrations.ts'
import { migrate } from '../../../src/store/schema.ts'
import { Holder } from '../../../src/system/holder.ts'
import { begunNote } from '../../support/orchestrator/records-in.ts'
import { type NewDatabase, TestDatabase, upTo } from '../../support/store/databases.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const intent = {
  scope: 'a'.repeat(64),
  content_hash: 'c'.repeat(64),
  provider: 'gmail' as const,
  recipients: ['jane@example.com'],
  subject: 'Grüße 😀 ',
}
const receipt = { message_id: 'm', thread_id: 't', sent_at: '2026-01-15T10:00:00.000Z' }

async function ledgerOn(database: TestDatabase, folder: string): Promise<SendLedger> {
  const store = await database.store()
  await migrate(store)
  const holder = new Holder(join(folder, 'senders'))
  onTestFinished(() => holder.close())
  return new SendLedger({ store, holder, timeoutMs: 30_000 })
}

/** What a process does with its turn, but for the mail itself. */
async function takeTurn(ledger: SendLedger, key: string | undefined): Promise<boolean> {
  const { isMine, record } = await ledger.begin({ ...intent, key })
  if (!isMine) {
    expect(record).toMatchObject({ state: 'sent', subject: intent.subject, ...receipt })
    return false
  }
  const change = { subject: intent.subject, audited_at: 'now' }
  await ledger.settle(await ledger.sending(record, change), 'sent', { receipt })
  return true
}

export function sendsSuite(newDatabase: NewDatabase): void {
  it('lets one of eight that begin the same mail at the same moment send it', async () => {
    const database = await TestDatabase.create(newDatabase)
    const folder = temporaryFolder()
    const ledgers = await Promise.all(upTo(8).map(() => ledgerOn(database, folder)))
    for (const key of ['one', 'two', 'three']) {
      const turns = await Promise.all(ledgers.map((ledger) => takeTurn(ledger, key)))
      expect(turns.filter((isMine) => isMine)).toEqual([true])
    }
    const turns = await Promise.all(ledgers.map((ledger) => takeTurn(ledger, undefined)))
    expect(turns).toEqual(Array(8).fill(true)) // (control)
  })

  it('is made in a database of the version before it, and what that holds stays', async () => {
    const database = await TestDatabase.create(newDatabase)
    const { project } = await database.server()
    await project.agents.register({ name: 'ann', role: 'coder' })
    const store = await database.store()
    // Where an index that is there already does not count as made.
    const indexes =
      store.textKeys === 'any'
        ? ['claims_by_agent', 'claims_by_path', 'agents_by_name', 'messages_by_sender_name']
        : []
    const later = [
      ...['sends', 'draft_notes', 'horizons', 'marks', 'receipts', 'sessions', 'turn_edits'].map(
        (name) => `DROP TABLE ${name}`,
      ),
      ...['names', 'origins', 'roots'].map((name) => `DROP TABLE project_${name}`),
      'DROP TABLE repositories',
      'DROP TABLE reply_keys',
      ...indexes.map((name) => `DROP INDEX ${name}`),
      'ALTER TABLE idempotency_keys DROP COLUMN used_us',
      'ALTER TABLE presence DROP COLUMN leaving',
      'ALTER TABLE presence DROP COLUMN place',
      'ALTER TABLE messages DROP COLUMN by_mailbox',
      'ALTER TABLE file_claims DROP COLUMN by_hook',
    ]
    await store.define(later, async (transaction) => {
      await transaction.run("UPDATE meta SET value = '1' WHERE name = 'schema'")
    })
    await expect(store.all('SELECT * FROM sends')).rejects.toThrow()
    const ledger = await ledgerOn(database, temporaryFolder())
    expect(await takeTurn(ledger, 'key')).toBe(true)
    expect(await ledger.list(9)).toMatchObject([{ state: 'sent', ...receipt }])
    expect((await project.agents.list()).agents).toMatchObject([{ name: 'ann' }])
  })

  it('gets what it needs to know answers in a ledger of the version before, where no mail has an agent', async () => {
    const database = await TestDatabase.create(newDatabase)
    const before = await ledgerOn(database, temporaryFolder())
    await takeTurn(before, 'old')
    const store = await database.store()
    const added = migrations.findIndex((one) => one.some((sql) => `${sql}`.includes('reply_keys')))
    const undone = [
      ...['agent', 'agent_project', 'reply_tag'].map(
        (column) => `ALTER TABLE sends DROP COLUMN ${column}`,
      ),
      'DROP TABLE reply_keys',
    ]
    await store.define(undone, async (transaction) => {
      await transaction.run("UPDATE meta SET value = ? WHERE name = 'schema'", String(added))
    })
    const ledger = await ledgerOn(database, temporaryFolder())
    expect(await ledger.list(9)).toMatchObject([{ ...receipt, agent: null, project: null }])
    expect(await mayBeAnswered(ledger.reader)).toBe(false)
    expect(await takeTurn(ledger, 'old')).toBe(false)
    await ledger.begin({ ...intent, key: 'new', asked_by: { agent: 'ann', project: 'shop' } })
    expect(await ledger.list(1)).toMatchObject([{ agent: 'ann', project: 'shop' }])
  })

  it('knows who asked by the Message-ID, the tag and, where that is all there is, the thread; of two in a thread the later', async () => {
    const database = await TestDatabase.create(newDatabase)
    const ledgers = [
      await ledgerOn(database, temporaryFolder()),
      await ledgerOn(database, temporaryFolder()),
    ]
    const [ledger] = ledgers
    if (!ledger) throw new Error('there is none')
    const send = async (agent: string, given: Partial<Receipt>, at = ledger) => {
      const asked_by = { agent, project: agent === 'ann' ? 'shop' : undefined }
      const { record } = await at.begin({
        ...intent,
        key: undefined,
        asked_by,
        reply_tag: `tag${agent}`,
      })
      await at.settle(record, 'sent', { receipt: { ...receipt, ...given } })
    }
    const asked = (original: Partial<Original>, tags: string[] = [], scope = intent.scope) =>
      askerOf(ledger.reader, {
        ...{ id: 'in', scope, tags },
        original: { thread_id: '', subject: '', message_id: '<n@x>', references: [], ...original },
      })
    const threads = { thread_id: 't', references: ['<other@x>'] }
    await send('ann', { header_id: '<One@x>', thread_id: undefined })
    await send('bob', {})
    expect(await asked({ references: ['<0@x>', '<one@X>', '<2@x>'] })).toEqual({
      ...{ agent: 'ann', project: 'shop' },
    })
    expect(await asked({ references: ['<0@x>'] }, ['none', 'TAGbob'])).toMatchObject({
      agent: 'bob',
    })
    expect(await asked(threads)).toEqual({ agent: 'bob', project: undefined })
    expect(await asked(threads, [], 'b'.repeat(64))).toBeUndefined()
    expect(await asked({ ...threads, references: [] })).toBeUndefined()
    expect(await asked({ ...threads, received_ms: 1 })).toBeUndefined() // it was there before
    await Promise.all([
      ...ledgers.map((one, at) => send(`racer${at}`, { thread_id: 'raced' }, one)),
      send('ann', {}),
    ])
    expect(await asked(threads)).toMatchObject({ agent: 'ann' })
    expect((await asked({ ...threads, thread_id: 'raced' }))?.agent).toMatch(/^racer/)
    expect(await mayBeAnswered(ledger.reader)).toBe(true)
  })

  it('knows which note a mail came from, of each vault alone, and what became of it', async () => {
    const database = await TestDatabase.create(newDatabase)
    const ledger = await ledgerOn(database, temporaryFolder())
    const vault = 'a vault'
    const sends = await DraftSends.open(ledger, vault)
    const note = {
      ...begunNote,
      scope: intent.scope,
      sha256: 'a'.repeat(64),
      reply_to_message_id: 'abc',
    }
    expect(await sends.begin(note)).toMatchObject({ state: 'approved' })
    await takeTurn(ledger, 'draft-1')
    await sends.refresh()
    expect(sends.get('draft-1')).toMatchObject({ ...note, state: 'sent', message_id: 'm' })
    await sends.begin({ ...note, key: 'draft-2', name: 'ü '.repeat(200), reason: 'no room' })
    const known = await DraftSends.open(ledger, vault)
    const states = known.list().map(({ key, state }) => [key, state])
    expect(states.sort()).toEqual([
      ['draft-1', 'sent'],
      ['draft-2', 'failed'],
    ])
    for (const entry of known.list()) await known.save({ ...entry, is_filed: true })
    expect((await DraftSends.open(ledger, vault)).list()).toHaveLength(2)
    await known.forget(note)
    expect((await DraftSends.open(ledger, vault)).list()).toHaveLength(1)
    expect((await DraftSends.open(ledger, 'another')).list()).toEqual([])
  })
}
