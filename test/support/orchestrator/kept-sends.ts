/** What the ledger of a home has of the drafts of its vault, and what a run that was killed has left there. */
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import { type DraftSend, DraftSends } from '../../../src/orchestrator/sends.ts'
import { State } from '../../../src/orchestrator/state.ts'
import { identityOf } from '../../../src/store/identity.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import type { Env } from '../agentmail.ts'

export async function keptSends(env: Env, vault: Vault): Promise<DraftSend[]> {
  return withSends(env, vault, async (sends) => sends.list())
}

/** What failed is tried again by the next run, instead of later. */
export async function retrySends(env: Env, vault: Vault): Promise<void> {
  await withSends(env, vault, async (sends) => {
    sends.tryAgain()
    for (const entry of sends.list()) await sends.save(entry)
  })
}

/** A mail that a run was at when it was killed, or had ended with. */
export async function keepSend(
  env: Env,
  vault: Vault,
  state: 'sending' | 'sent' | 'unknown',
  { name, sha256, at }: { name: string; sha256: string; at: string },
): Promise<void> {
  await withSends(env, vault, async (sends) => {
    const scope = 'f'.repeat(64)
    const key = 'draft-1'
    await sends.begin({
      key,
      scope,
      name,
      sha256,
      approval_id: undefined,
      reply_to_message_id: undefined,
      begun_at: at,
      attempts: 1,
      next_ms: 0,
      is_vague: false,
      ended_at: state === 'sending' ? undefined : at,
      reason: undefined,
      filed_to: undefined,
      is_filed: false,
    })
    const { record } = await sends.ledger.begin({
      scope,
      key,
      content_hash: sha256,
      provider: 'server',
      recipients: ['jane@example.com'],
      subject: 'lunch',
    })
    const sending = await sends.ledger.sending(record, { subject: 'lunch' })
    const receipt = { message_id: 'gone', thread_id: undefined, sent_at: at }
    if (state === 'sent') await sends.ledger.settle(sending, state, { receipt })
    if (state === 'unknown') await sends.ledger.settle(sending, state, {})
  })
}

async function withSends<T>(
  env: Env,
  vault: Vault,
  work: (sends: DraftSends) => Promise<T>,
): Promise<T> {
  const ledger = await openLedger(new Config({}, env))
  try {
    const state = State.load(vault)
    const result = await work(await DraftSends.open(ledger, state.vaultId))
    state.rememberLedger((await identityOf(ledger.reader))?.database_id ?? '', undefined, false)
    return result
  } finally {
    await ledger.close()
  }
}
