/** What was said about drafts, as the list of mails asks for it: by the id of an approval, or about a note of a name. */
import type { Verdict } from '../../orchestrator/approval/approvals.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { MailView } from '../mail-shapes.ts'

type ApprovalView = Pick<MailView, 'approved_by' | 'approved_at' | 'approved_sha256'>

export class Verdicts {
  readonly #byId = new Map<string, Verdict>()
  readonly #last = new Map<string, Verdict>()

  /** @param verdicts oldest first. */
  constructor(verdicts: readonly Verdict[]) {
    for (const one of verdicts) {
      this.#byId.set(one.id, one)
      this.#last.set(nameKey(one.note), one)
    }
  }

  lastOf(path: string): Verdict | undefined {
    return this.#last.get(nameKey(path))
  }

  approvalOf(path: string): ApprovalView {
    return viewOf(this.lastOf(path))
  }

  /** Nothing is known of one that a person has moved by hand. */
  approvalBy(id: string | undefined): ApprovalView {
    return viewOf(id === undefined ? undefined : this.#byId.get(id))
  }
}

const nameKey = (path: string): string => nameOf(path).normalize('NFC')

const viewOf = (verdict: Verdict | undefined): ApprovalView =>
  verdict?.event === 'approved'
    ? {
        approved_by: verdict.by,
        approved_at: verdict.timestamp,
        approved_sha256: verdict.sha256,
      }
    : { approved_by: null, approved_at: null, approved_sha256: null }
