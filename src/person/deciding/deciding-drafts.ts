/** A person's word about the draft on their screen: of exactly that, or of nothing. */
import { approve } from '../../orchestrator/approval/approve.ts'
import { reject } from '../../orchestrator/approval/reject.ts'
import { isOrchestratorAt } from '../../orchestrator/vault-lock.ts'
import type { ApprovedView, RejectedView } from '../mail-shapes.ts'
import type { MailDesk } from './mail-desk.ts'

interface ToApprove {
  path: string
  /** Of all that they have seen. */
  sha256: string
  agent?: string | undefined
}

export async function approveSeen(
  desk: MailDesk,
  by: string,
  { path, sha256, agent }: ToApprove,
): Promise<ApprovedView> {
  const called = agent === undefined ? undefined : await desk.agentCalled(agent)
  const records = desk.records()
  const { config } = desk
  const word = { by, version: sha256, agent: called, config }
  const { asked: _, ...approved } = await approve(records, path, word)
  // It is approved, whether or not that can be found out.
  const isAtWork = await isOrchestratorAt(records.vault).catch(() => true)
  return isAtWork ? approved : { ...approved, note: nobodySends }
}

const nobodySends = 'agentmail orchestrate sends it: none seems to run.'

interface ToReject {
  path: string
  /** Null where it could not be sent. */
  sha256: string | null
  reason: string
}

export const rejectSeen = (desk: MailDesk, by: string, word: ToReject): Promise<RejectedView> => {
  const { path, ...why } = word
  return reject(desk.records(), path, { ...why, by })
}
