/** The mails that came in and those that go or went out, in one list: what became of each, and who approved it. */
import { logsOf } from '../../email/correspondence.ts'
import { type AuditLine, readAudit } from '../../email/outgoing/audit.ts'
import type { SendRecord } from '../../email/outgoing/send-record.ts'
import { readNewestSends } from '../../email/outgoing/unknown-sends.ts'
import { AgentMailError } from '../../errors.ts'
import { listDrafts } from '../../orchestrator/approval/drafts.ts'
import { isWaitingMail, mailHead } from '../../orchestrator/approval/received-mail.ts'
import type { Records } from '../../orchestrator/approval/records.ts'
import { fields } from '../../orchestrator/inbox/mail-note.ts'
import { pauses, rfc3339 } from '../../system/clock.ts'
import { newestNotes } from '../../vault/newest-notes.ts'
import { type Note, readNote, unlessMissing } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import type { MailView } from '../mail-shapes.ts'
import { timeAt } from './drafts-view.ts'
import type { MailDesk } from './mail-desk.ts'
import { type DatedNote, isRejectedDraft, outgoingMails } from './outgoing-view.ts'
import { Verdicts } from './verdicts.ts'

/** Notes that are looked into for one list. */
const mostRead = 2000
const mostFaults = 20

/** Newest first. What cannot be read is told of, and keeps nobody from the rest. */
export async function mailsPage(
  desk: MailDesk,
  limit: number,
): Promise<{ mails: MailView[]; faults: string[] }> {
  const faults: string[] = []
  const orNone = async <T>(none: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const isNew = !faults.includes(error.text) && faults.length < mostFaults
      if (isNew) faults.push(error.text)
      return none
    }
  }
  const rows = await orNone([], () => readNewestSends(desk.config, limit))
  const audit = await orNone([], () => auditOf(desk, rows))
  const records = desk.hasVault ? await orNone(undefined, async () => desk.records()) : undefined
  const notes = records
    ? await orNone([], () =>
        newestRead(records.vault, 2 * limit, (read) => orNone(undefined, read)),
      )
    : []
  const verdicts = new Verdicts(records ? await orNone([], () => records.approvals.verdicts()) : [])
  const out = outgoingMails({
    ...{ rows, audit, notes, verdicts },
    sends: records ? await orNone([], () => records.sends()) : [],
    drafts: records ? await orNone([], () => datedDrafts(records)) : [],
  })
  const received = notes.filter(isReceived).map((note) => receivedMail(note, verdicts))
  const mails = [...received, ...out].sort((one, other) => newestFirst(one.at, other.at))
  return { mails: mails.slice(0, limit), faults }
}

async function datedDrafts(records: Records) {
  const { drafts } = await listDrafts(records)
  return Promise.all(drafts.map(async (one) => ({ ...one, at: await timeAt(records, one) })))
}

const newestFirst = (one: string | null, other: string | null): number =>
  Number((one ?? '') < (other ?? '')) - Number((one ?? '') > (other ?? ''))

/** Of the days in which these were sent. */
async function auditOf({ config }: MailDesk, rows: SendRecord[]): Promise<AuditLine[]> {
  const oldest = rows.at(-1)
  return oldest ? readAudit(logsOf(config), oldest.begun_at.slice(0, 10)) : []
}

/** Those that were changed last, until enough of them are mails that came in, or drafts that were rejected. */
async function newestRead(
  vault: Vault,
  enough: number,
  unlessFaulty: (read: () => Promise<Note | undefined>) => Promise<Note | undefined>,
): Promise<DatedNote[]> {
  const pause = pauses()
  const read: DatedNote[] = []
  let shown = 0
  for (const found of await newestNotes(vault, ['Needs_Action', 'Approved', 'Done'], mostRead)) {
    await pause()
    const { path, changedMs } = found
    const note = await unlessFaulty(() => unlessMissing(() => readNote(vault, path)))
    if (!note) continue
    read.push({ ...note, changedMs })
    if (isReceived(note) || isRejectedDraft(note)) shown++
    if (shown >= enough) break
  }
  return read
}

const isReceived = (note: Note): boolean => fields(note).message_id !== ''

function receivedMail(note: DatedNote, verdicts: Verdicts): MailView {
  const { from, to, subject, message_id, date } = fields(note)
  const { status, reason, asked_by } = mailHead(note)
  const { sent_at } = note.frontmatter
  return {
    ...{ key: `note ${note.path}`, direction: 'in', state: status, note: note.path },
    at: arrivedAt(date, note.changedMs),
    ...{ from, to, subject, message_id, reason },
    ...verdicts.approvalOf(note.path),
    ...{ provider: null, send_id: null, audit: null },
    sent_at: typeof sent_at === 'string' ? sent_at : null,
    ...(asked_by !== null && isWaitingMail(note) && { asked_by }),
  }
}

/** No mail came after its note was written, whatever its sender says. */
function arrivedAt(date: string, changedMs: number): string {
  const ms = Date.parse(date)
  return rfc3339(Number.isNaN(ms) ? changedMs : Math.min(ms, changedMs))
}
