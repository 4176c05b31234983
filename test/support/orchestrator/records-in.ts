/** The records of a vault from which nothing was sent but this. */
import { Approvals } from '../../../src/orchestrator/approval/approvals.ts'
import type { Records } from '../../../src/orchestrator/approval/records.ts'
import type { DraftSend } from '../../../src/orchestrator/sends.ts'
import type { Vault } from '../../../src/vault/vault.ts'

export const recordsIn = (vault: Vault, ...sends: Partial<DraftSend>[]): Records => ({
  vault,
  approvals: new Approvals(vault),
  sends: async () => sends.map((send) => ({ ...approved, ...send })),
})

const approved: DraftSend = {
  key: 'draft-1',
  scope: 'a service',
  name: 'x.md',
  sha256: '',
  approval_id: undefined,
  reply_to_message_id: undefined,
  begun_at: '2026-01-15T10:00:00.000Z',
  attempts: 1,
  next_ms: 0,
  is_vague: false,
  ended_at: undefined,
  reason: undefined,
  filed_to: undefined,
  is_filed: false,
  state: 'approved',
  to: '',
  message_id: undefined,
  sent_at: undefined,
}
