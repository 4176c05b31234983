/** What a digest tells: the mails that came, what waits for the person, and what has left. */
import { closeSync, constants } from 'node:fs'
import type { Config } from '../../config.ts'
import { readUnknownSends } from '../../email/outgoing/unknown-sends.ts'
import { AgentMailError, hasCode } from '../../errors.ts'
import type { Reader } from '../../store/store.ts'
import { text } from '../../store/store.ts'
import { rfc3339 } from '../../system/clock.ts'
import { isRecord, jsonOf, sha256 } from '../../system/text.ts'
import { linesOf, logFolders } from '../../vault/log-file.ts'
import { nameOf } from '../../vault/note-path.ts'
import { type Note, readNote, unlessMissing } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { withVaultErrors } from '../../vault/vault-error.ts'
import type { DraftHead } from '../approval/draft-head.ts'
import { listDrafts } from '../approval/drafts.ts'
import { mailHead, type WaitingMail } from '../approval/received-mail.ts'
import { recordsOf } from '../approval/records.ts'
import { inOneLine } from '../events.ts'
import { fields } from '../inbox/mail-note.ts'
import { type DigestContent, mostLines, quotedText, sectionOf } from './digest-text.ts'

interface Sources {
  config: Config
  vault: Vault
  vaultId: string
  reader: Reader
}

const dayMs = 24 * 3600_000
/** However long nothing was told. */
const mostDays = 32

/** What cannot be read is told of, and keeps nobody from the rest. */
export async function digestContent(
  sources: Sources,
  { sinceMs, untilMs }: { sinceMs: number; untilMs: number },
): Promise<DigestContent> {
  const faults: string[] = []
  const orNone = async <T>(none: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      faults.push(quotedText(inOneLine(error)))
      return none
    }
  }
  const none = sectionOf([])
  return {
    came: await orNone(none, () => cameIn(sources.vault, sinceMs, untilMs)),
    waits: await orNone(none, async () => sectionOf(await waitingIn(sources))),
    left: await orNone(none, async () => sectionOf(await leftFrom(sources, sinceMs))),
    faults,
  }
}

/** By the log of the orchestrator, which says when each was taken in. */
async function cameIn(vault: Vault, sinceMs: number, untilMs: number) {
  const paths = new Map<string, string>()
  const first = Math.max(sinceMs, untilMs - mostDays * dayMs)
  for (const path of await ingestedSince(vault, first, untilMs)) paths.set(nameOf(path), path)
  const shown = [...paths.values()].slice(0, mostLines)
  const lines = await Promise.all(shown.map((path) => cameLine(vault, path)))
  return { lines, more: paths.size - lines.length }
}

async function ingestedSince(vault: Vault, sinceMs: number, untilMs: number): Promise<string[]> {
  const since = rfc3339(sinceMs)
  const found: string[] = []
  for (let ms = sinceMs; rfc3339(ms).slice(0, 10) <= rfc3339(untilMs).slice(0, 10); ms += dayMs) {
    const name = `orchestrator_${rfc3339(ms).slice(0, 10)}.jsonl`
    await withVaultErrors(`Logs/${name}`, () =>
      vault.within(logFolders, (logs) => {
        for (const line of logs ? linesIn(() => logs.folder.open(name, constants.O_RDONLY)) : []) {
          const event = line.includes('"ingested"') ? jsonOf(line) : undefined
          if (!isRecord(event) || event.event !== 'ingested') continue
          const { at, note } = event
          if (typeof note === 'string' && typeof at === 'string' && at >= since) found.push(note)
        }
      }),
    )
  }
  return found
}

function* linesIn(open: () => number): Generator<string> {
  let fd: number
  try {
    fd = open()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  try {
    yield* linesOf(fd)
  } finally {
    closeSync(fd)
  }
}

/** Wherever it is now. */
async function cameLine(vault: Vault, path: string): Promise<string> {
  for (const folder of ['Needs_Action', 'Approved', 'Done']) {
    const note = await readIfPossible(vault, `${folder}/${nameOf(path)}`)
    if (!note || fields(note).message_id === '') continue
    const { from, subject } = fields(note)
    return `${ofMail(from, subject)}: ${becameOf(note)}`
  }
  return `${quotedText(nameOf(path))}: its note is not there any more`
}

async function readIfPossible(vault: Vault, path: string): Promise<Note | undefined> {
  try {
    return await unlessMissing(() => readNote(vault, path))
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

const ofMail = (from: string, subject: string): string =>
  `${quotedText(from, '(no sender)')} - ${quotedText(subject, '(no subject)')}`

const done: Record<string, string> = {
  draft_reply: 'answered',
  urgent: 'answered',
  archive: 'archived',
  delegate: 'handed over',
}

function becameOf(note: Note): string {
  const { status, reason } = mailHead(note)
  const { triage } = note.frontmatter
  const why = reason ? ` (${quotedText(reason)})` : ''
  if (status === 'done') return `${done[String(triage)] ?? 'done'}${why}`
  if (status === 'drafted') return `a reply is drafted${why}`
  if (status === 'needs_info') return `needs you${why}`
  if (status === 'pending_approval') return `is to be given to an agent${why}`
  return status === 'pending' ? 'not decided about' : quotedText(status, 'not decided about')
}

/** Drafts and delegations, urgent ones first; then mails, then what nobody knows of. */
async function waitingIn({ config, vault }: Sources): Promise<string[]> {
  const { drafts, mails, faults } = await listDrafts(recordsOf(config, vault))
  const unknown = await readUnknownSends(config)
  return [
    ...drafts.filter(({ sent_at }) => sent_at === null).map(draftLine),
    ...mails.map(mailLine),
    ...unknown.map(
      ({ to, subject }) =>
        `sent or not? to ${quotedText(to.join(', '))} - ${quotedText(subject)} (agentmail mail log)`,
    ),
    ...faults.map(({ path, message }) => `cannot be read: ${quotedText(`${path}: ${message}`)}`),
  ]
}

function draftLine({ kind, status, standing, priority, to, agent, subject, reason }: DraftHead) {
  const isHeld = ['failed', 'unknown', 'blocked'].some((one) => one === status)
  const why = reason && (isHeld || kind === 'delegation') ? ` (${quotedText(reason)})` : ''
  const state = isHeld ? `${status} ` : standing === 'approved' ? 'approved ' : ''
  const urgent = priority === 'urgent' ? 'urgent ' : ''
  const whom =
    kind === 'mail' ? quotedText(to ?? '') : agent ? `@${quotedText(agent)}` : 'nobody yet'
  const what = kind === 'mail' ? 'draft' : 'delegation'
  return `${urgent}${state}${what} to ${whom} - ${quotedText(subject, '(no subject)')}${why}`
}

const mailLine = ({ status, from, subject, reason }: WaitingMail): string =>
  `${status === 'needs_info' ? 'needs you' : 'not decided about'}: ${ofMail(from, subject)}${reason ? ` (${quotedText(reason)})` : ''}`

/** From this vault: replies, other drafts, and what was handed to agents. */
async function leftFrom({ reader, vaultId }: Sources, sinceMs: number): Promise<string[]> {
  const rows = await reader.all(
    `SELECT n.name, s.provider, s.recipients, s.subject FROM draft_notes n
      JOIN sends s ON s.scope = n.scope AND s.key_hash = n.key_hash
      WHERE n.vault = ? AND s.state = 'sent' AND s.changed_ms >= ?
      ORDER BY s.changed_ms, s.scope, s.key_hash LIMIT 5000`,
    sha256(vaultId),
    sinceMs,
  )
  return rows.map((row) => {
    const recipients: unknown = jsonOf(text(row.recipients))
    const to = quotedText(Array.isArray(recipients) ? recipients.join(', ') : '')
    const isAgent = text(row.provider) === 'agent'
    const what = isAgent
      ? quotedText(text(row.name))
      : quotedText(text(row.subject), '(no subject)')
    return `${isAgent ? 'handed to' : 'sent to'} ${to} - ${what}`
  })
}
