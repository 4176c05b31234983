/** Drafts in a vault of a test's own, and the records of one from which nothing was sent but what a test says. */
import { join } from 'node:path'
import { hashOf } from '../../../src/email/drafts/draft-note.ts'
import { Approvals } from '../../../src/orchestrator/approval/approvals.ts'
import { type ApprovedNote, approve } from '../../../src/orchestrator/approval/approve.ts'
import type { Records } from '../../../src/orchestrator/approval/records.ts'
import type { DraftNote, DraftSend } from '../../../src/orchestrator/sends.ts'
import { nameOf } from '../../../src/vault/note-path.ts'
import { readNote } from '../../../src/vault/notes.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { TestVault } from '../vault/vault.ts'

export const draft = (fields = '', body = 'Hello\n') =>
  `---\nto: jane@example.com\nsubject: Hi\n${fields}---\n${body}`

export function draftsIn(files: Record<string, string> = { 'Drafts/x.md': draft() }) {
  const test = new TestVault()
  for (const [path, text] of Object.entries(files)) test.put(path, text)
  const vault = new Vault(test.root)
  const approvals = new Approvals(vault)
  return { test, vault, approvals, at: (path: string) => join(test.root, path) }
}

export const recordsIn = (vault: Vault, ...sends: Partial<DraftSend>[]): Records => ({
  vault,
  approvals: new Approvals(vault),
  sends: async () => sends.map((send) => ({ ...begunNote, ...fate, ...send })),
})

/** A person approves a draft that nobody changes: the version is what it is now. */
export async function approveAsItIs(
  records: Records,
  path: string,
  word: Omit<Parameters<typeof approve>[2], 'version'>,
): Promise<ApprovedNote> {
  return approve(records, path, { ...word, version: await versionNow(records.vault, path) })
}

/** One that has left its place is in Approved/; one that cannot be sent has none, so any will do. */
async function versionNow(vault: Vault, path: string): Promise<string> {
  for (const place of [path, `Approved/${nameOf(path)}`]) {
    try {
      return await hashOf(vault, await readNote(vault, place))
    } catch {}
  }
  return '0'.repeat(16)
}

/** As a draft is when it is begun. */
export const begunNote: DraftNote = {
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
}
const fate = { state: 'approved', to: '', message_id: undefined, sent_at: undefined } as const
