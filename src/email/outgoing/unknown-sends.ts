/** The mails of which nobody knows whether they have left, for whoever only looks: nothing is made or changed. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { systemClock } from '../../system/clock.ts'
import { ledgerDatabase } from '../correspondence.ts'
import { recordOf, type SendEntry, sendEntryOf } from './send-record.ts'

const most = 500

/** Oldest first; of more than are listed, the newest. One whose sender has not come back in time counts too. */
export async function readUnknownSends(config: Config): Promise<SendEntry[]> {
  const database = await ledgerDatabase(config)
  try {
    const view = await database.view()
    try {
      const rows = await view?.all(
        `SELECT * FROM sends WHERE state IN ('unknown', 'sending') AND provider <> 'agent'
          ORDER BY begun_ms DESC, scope, key_hash LIMIT ${most}`,
      )
      const now = systemClock.now()
      return (rows ?? [])
        .map(recordOf)
        .filter(({ state, until_ms }) => state === 'unknown' || until_ms < now)
        .map(sendEntryOf)
        .reverse()
    } finally {
      await view?.close()
    }
  } catch (error) {
    throw AgentMailError.is(error) ? error : database.explained(error)
  }
}
