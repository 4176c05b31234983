/** A SQLite database in which a few projects were at work and mails were sent, with texts that engines like to change or to order differently. */

import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { SendLedger } from '../../../src/email/outgoing/send-ledger.ts'
import type { SendState } from '../../../src/email/outgoing/send-record.ts'
import { tables } from '../../../src/store/schema.ts'
import { openSqlite, viewSqlite } from '../../../src/store/sqlite.ts'
import { fingerprint } from '../../../src/store/table-walk.ts'
import { Holder } from '../../../src/system/holder.ts'
import { sha256 } from '../../../src/system/text.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { staleMs } from './databases.ts'

/** By their code points in another order than JavaScript's, and with spaces at their end. */
const projects = ['', 'a', 'a ', 'A', '～', '😀', '\u{10ffff}']
const texts = [
  ...[' ', 'a ', 'builds', 'builds ', "o'clock", '"', '\\', '\\n', '%_', '?', '--', '\u0001\r\n\t'],
  ...['é', 'e\u0301', 'ß', '漢字', '👩‍💻', '\u202e', '\ufeff', '\u{10ffff}'],
]

/** @param bulk so many further messages. */
export async function filledDatabase(bulk = 0): Promise<string> {
  const path = join(temporaryFolder(), 'source.db')
  const coordination = await Coordination.open({ store: await openSqlite(path), staleMs })
  for (const name of projects) {
    const { agents, messages, changes, claims } = coordination.project(name)
    const { agent_id } = await agents.register({ name: 'ann ', role: 'coder 😀' })
    const sending = texts.map((text, index) =>
      messages.send({
        agent_id,
        channel: text,
        subject: text,
        body: index === 0 ? '漢'.repeat(21_000) : text,
        idempotency_key: text,
      }),
    )
    await Promise.all(sending)
    await changes.announce({ agent_id, file_path: 'src/a b.ts', summary: 'x'.repeat(64_000) })
    await claims.claim({ agent_id, files: ['src/a b.ts', 'src/漢字.ts', 'gone.ts'] })
    await claims.release({ agent_id, files: ['gone.ts'] })
  }
  await coordination.close()
  await sendMails(path)
  const database = new DatabaseSync(path)
  database.exec("UPDATE messages SET body = '', subject = '' WHERE id = 2")
  database.exec(`INSERT INTO messages (project, id, created_us, sender_id, sender_name, channel, subject, body)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${bulk})
    SELECT 'bulk', n, n, 'id', 'name', 'broadcast', 'subject ' || n, hex(randomblob(100))
    FROM numbers WHERE ${bulk} > 0`)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)') // nobody who closes it later has to
  database.close()
  return path
}

/** One of each text, in every state. */
async function sendMails(path: string): Promise<void> {
  const ledger = new SendLedger({
    store: await openSqlite(path),
    holder: new Holder(join(temporaryFolder(), 'senders')),
    timeoutMs: 30_000,
  })
  const states: SendState[] = ['prepared', 'sending', 'sent', 'drafted', 'failed', 'unknown']
  for (const [index, text] of texts.entries()) {
    const { record } = await ledger.begin({
      scope: sha256('scope'),
      key: text,
      content_hash: sha256(text),
      provider: 'gmail',
      recipients: [`"${text}" <jane@example.com>`],
      subject: text,
    })
    const receipt = { message_id: text, thread_id: text, sent_at: text }
    const state = states[index % states.length] ?? 'sent'
    await ledger.settle(record, state, { receipt, draft: text, reason: text })
  }
  await ledger.close()
}

export const newFile = () => join(temporaryFolder(), 'target.db')

/** What a file holds, told by none of what is tested here but the walk. */
export async function contentOf(path: string) {
  const view = await viewSqlite(path)
  const content = await Promise.all(
    tables.map(async (table) => ({ name: table.name, ...(await fingerprint(view, table)) })),
  )
  await view.close()
  return content
}
