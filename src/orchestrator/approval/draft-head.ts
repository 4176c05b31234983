/** A draft in short: what it asks for, and how it stands with it. */
import { type Fields, textOf } from '../../email/drafts/draft-fields.ts'
import { type Asked, draftOf, type Seen } from '../../email/drafts/draft-note.ts'
import { proposalsOf } from '../../email/drafts/proposals.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { versionOf } from './changes.ts'
import { topOf } from './checks.ts'
import { type Records, sentBefore } from './records.ts'
import { approvalFields, type Standing, standingAt } from './standing.ts'

export interface DraftHead {
  path: string
  /** Of all that would be sent, as it was read; nothing where it cannot be sent. */
  version: string | null
  kind: Asked['kind']
  status: string | null
  priority: string | null
  to: string | null
  cc: string | null
  bcc: string | null
  subject: string
  reply_to_message_id: string | null
  /** Who is given a mail that is delegated. */
  agent: string | null
  reason: string | null
  /** The name of whoever proposed it; nothing where nobody knows. */
  proposed_by: string | null
  approved_by: string | null
  approved_at: string | null
  approved_sha256: string | null
  /** Of a note in Approved/ alone. */
  standing: Standing['is'] | null
  /** When just this was sent before, as that of a copy that lies there again. */
  sent_at: string | null
  /** Why it would not be sent; of a note in Approved/, or one that is shown. */
  problem: string | null
}

/** @param seen the draft at the moment that it is told of; nothing where it cannot be sent. */
export async function draftHead(
  records: Records,
  note: Note,
  seen: Seen | undefined,
): Promise<DraftHead> {
  const { path, frontmatter } = note
  const asked = draftOf(note)
  const mail = asked.kind === 'mail' ? asked.request : undefined
  const standing = topOf(path) === 'Approved' ? await standingAt(records, path) : undefined
  return {
    path,
    version: seen ? versionOf(seen.hash) : null,
    kind: asked.kind,
    status: shownText(frontmatter, 'status'),
    priority: shownText(frontmatter, 'priority'),
    to: mail?.to ?? null,
    cc: mail?.cc ?? null,
    bcc: mail?.bcc ?? null,
    subject: asked.kind === 'mail' ? asked.request.subject : asked.subject,
    reply_to_message_id: mail?.reply_to_message_id ?? null,
    agent: asked.kind === 'delegation' ? (asked.agent ?? null) : null,
    reason: shownText(frontmatter, 'reason'),
    proposed_by: await proposerAt(records.vault, path),
    approved_by: shownText(frontmatter, 'approved_by'),
    approved_at: shownText(frontmatter, 'approved_at'),
    approved_sha256: shownText(frontmatter, 'approved_sha256'),
    ...(standing?.is === 'approved' && approvalFields(standing.approval)),
    standing: standing?.is ?? null,
    sent_at:
      (seen && topOf(path) !== 'Done' && sentBefore(await records.sends(), note, seen.hash)) ||
      null,
    problem: standing?.is === 'void' ? standing.reason : null,
  }
}

/** By the record alone: what a note says of itself a tool may have written. */
async function proposerAt(vault: Vault, path: string): Promise<string | null> {
  const names = (await proposalsOf(vault).find(path)).map(({ from }) => from)
  return (new Set(names).size === 1 && names[0]) || null
}

/** None of these is sent, so what they hold is nobody's fault. */
function shownText(fields: Fields, name: string): string | null {
  return typeof fields[name] === 'string' ? (textOf(fields, name) ?? null) : null
}
