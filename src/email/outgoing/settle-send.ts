/** Ends what is unclear about a mail: by asking its service, or by a person's word. */

import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { providerNames } from '../../mail-settings.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { openLedger, outgoingWith } from '../correspondence.ts'
import { openProvider } from '../mail-provider.ts'
import { whereToLook } from './outcome.ts'
import type { SendLedger } from './send-ledger.ts'
import { type SendEntry, type SendRecord, sendEntryOf } from './send-record.ts'

export async function settleSend(
  config: Config,
  id: string,
  outcome: 'sent' | 'not-sent' | undefined,
): Promise<SendEntry> {
  const ledger = await openLedger(config)
  try {
    const record = await ledger.byId(id)
    if (!record) {
      throw new AgentMailError('not_found', `there is no mail ${id}`, 'See agentmail mail log.')
    }
    if (record.state !== 'unknown') throw notUnknown(record)
    if (outcome === undefined) await askService(config, ledger, record)
    else await takeWord(ledger, record, outcome)
    return sendEntryOf((await ledger.byId(id)) ?? record)
  } finally {
    await ledger.close()
  }
}

async function askService(config: Config, ledger: SendLedger, record: SendRecord): Promise<void> {
  const name = providerNames.find((one) => one === record.provider)
  const provider = name && (await openProvider(config, name))
  try {
    if (provider && (await outgoingWith(config, provider, ledger).reconcile(record))) return
  } finally {
    await provider?.close?.()
  }
  throw new AgentMailError(
    'conflict',
    `${record.provider} cannot say whether mail ${record.id} was sent`,
    `${whereToLook}. Then write agentmail mail settle ${record.id} sent, or not-sent.`,
  )
}

async function takeWord(
  ledger: SendLedger,
  record: SendRecord,
  outcome: 'sent' | 'not-sent',
): Promise<void> {
  if (outcome === 'not-sent') {
    await ledger.settle(record, 'failed', { reason: 'a person has found that it was not sent' })
    return
  }
  const sent_at = rfc3339(systemClock.now())
  const receipt = { message_id: record.message_id ?? '', thread_id: undefined, sent_at }
  await ledger.settle(record, 'sent', { receipt, reason: 'a person has found that it was sent' })
}

function notUnknown({ id, state }: SendRecord): AgentMailError {
  const words = {
    prepared: 'is about to be sent',
    sending: 'is being sent',
    sent: 'was sent',
    drafted: 'is a draft that waits for approval',
    failed: 'was not sent',
    unknown: '',
  }[state]
  return new AgentMailError('conflict', `mail ${id} ${words}: there is nothing to settle`)
}
