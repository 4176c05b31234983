/** What the ledger has, for whoever only looks: nothing is made or changed. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import type { Row, SqlValue } from '../../store/store.ts'
import { systemClock } from '../../system/clock.ts'
import { ledgerDatabase } from '../correspondence.ts'
import { recordOf, type SendEntry, type SendRecord, sendEntryOf } from './send-record.ts'

const most = 500

/** Oldest first; of more than are listed, the newest. One whose sender has not come back in time counts too. */
export async function readUnknownSends(config: Config): Promise<SendEntry[]> {
  const rows = await lookAtLedger(
    config,
    `SELECT * FROM sends WHERE state IN ('unknown', 'sending') AND provider <> 'agent'
      ORDER BY begun_ms DESC, scope, key_hash LIMIT ${most}`,
  )
  const unknown = rows.map(told).filter(({ state }) => state === 'unknown')
  return unknown.map(sendEntryOf).reverse()
}

/** Newest first, whatever became of them. */
export async function readNewestSends(config: Config, limit: number): Promise<SendRecord[]> {
  const rows = await lookAtLedger(
    config,
    "SELECT * FROM sends WHERE provider <> 'agent' ORDER BY begun_ms DESC, scope, key_hash LIMIT ?",
    limit,
  )
  return rows.map(told)
}

/** Nothing where there is no ledger yet. */
async function lookAtLedger(config: Config, sql: string, ...values: SqlValue[]): Promise<Row[]> {
  const database = await ledgerDatabase(config)
  try {
    const view = await database.view()
    try {
      return (await view?.all(sql, ...values)) ?? []
    } finally {
      await view?.close()
    }
  } catch (error) {
    throw AgentMailError.is(error) ? error : database.explained(error)
  }
}

function told(row: Row): SendRecord {
  const record = recordOf(row)
  const isLate = record.state === 'sending' && record.until_ms < systemClock.now()
  return isLate ? { ...record, state: 'unknown' } : record
}
