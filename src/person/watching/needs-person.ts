/** What waits for the person beside messages: drafts to approve, mails to look at, and mails of which nobody knows whether they have left. */
import type { Config } from '../../config.ts'
import { readUnknownSends } from '../../email/outgoing/unknown-sends.ts'
import { AgentMailError } from '../../errors.ts'
import type { DraftHead } from '../../orchestrator/approval/draft-head.ts'
import { listDrafts } from '../../orchestrator/approval/drafts.ts'
import type { WaitingMail } from '../../orchestrator/approval/received-mail.ts'
import { recordsOf } from '../../orchestrator/approval/records.ts'
import { rfc3339 } from '../../system/clock.ts'
import { logSeldom } from '../../system/log.ts'
import { nameOf } from '../../vault/note-path.ts'
import { statNote } from '../../vault/note-stat.ts'
import { Vault } from '../../vault/vault.ts'

/** One thing that is for somebody, as `agentmail inbox` shows it. */
export interface InboxItem {
  id: string
  from: string
  /** Nothing where whoever wrote it left it out. */
  at: string | null
  kind: 'mailbox' | 'message' | 'draft' | 'unknown_send'
  text: string
}

/** Something that only a person decides. */
export interface Undecided {
  kind: 'draft' | 'delegation' | 'mail' | 'unknown_send'
  /** The path of its note, or the id of a send. */
  target: string
  from: string
  at: string | null
  /** To whom it goes, where it goes to anybody. */
  to: string
  subject: string
  reason: string | null
  isUrgent: boolean
  /** The agent whose mail it answers. */
  asked_by?: string
}

/** Where nobody knows who it was. */
const unknown = 'agentmail'

/** Nothing where neither a vault nor a ledger is set up. What cannot be read is told, and keeps nobody from the rest. */
export async function needsPerson(config: Config): Promise<InboxItem[]> {
  const { items } = await undecided(config)
  return items.flatMap(({ kind, target, from, at, to, subject }) => {
    if (kind === 'mail') return []
    const isSend = kind === 'unknown_send'
    return {
      // As `agentmail drafts` takes it: a name without a folder is one in Drafts/.
      id: !isSend && target.startsWith('Drafts/') ? nameOf(target) : target,
      ...{ from, at, kind: isSend ? kind : 'draft', text: `${to}: ${subject}` },
    }
  })
}

/** All of it, and what could not be looked at, in words. */
export async function undecided(config: Config): Promise<{ items: Undecided[]; faults: string[] }> {
  const faults: string[] = []
  const told = async (what: string, find: (config: Config) => Promise<Undecided[]>) => {
    try {
      return await find(config)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const fault = `the ${what} that wait for you could not be read: ${error.message}`
      logSeldom(`looks at ${what} that failed`, fault)
      faults.push(fault)
      return []
    }
  }
  const items = [...(await told('drafts', inVault)), ...(await told('mails', unknownSends))]
  return { items, faults }
}

async function inVault(config: Config): Promise<Undecided[]> {
  if (config.text('vault') === undefined) return []
  const vault = Vault.named(config)
  const { drafts, mails } = await listDrafts(recordsOf(config, vault))
  const waiting = drafts.filter(isWaiting).map((draft) => ofDraft(vault, draft))
  return [...(await Promise.all(waiting)), ...mails.map(ofMail)]
}

const isWaiting = ({ standing, sent_at }: DraftHead): boolean =>
  sent_at === null && (standing === null || standing === 'void')

async function ofDraft(vault: Vault, draft: DraftHead): Promise<Undecided> {
  const { path, kind, to, agent, subject, proposed_by, reason, priority } = draft
  const stat = await statNote(vault, path)
  return {
    kind: kind === 'mail' ? 'draft' : 'delegation',
    target: path,
    from: proposed_by ?? unknown,
    at: stat === undefined ? null : rfc3339(Number(stat.mtimeMs)),
    to: kind === 'mail' ? (to ?? '') : `@${agent ?? '?'}`,
    ...{ subject, reason, isUrgent: priority === 'urgent' },
  }
}

const ofMail = ({ path, from, subject, reason, date, asked_by }: WaitingMail): Undecided => ({
  ...{ kind: 'mail', target: path, from, subject, reason, to: '', isUrgent: false },
  at: Number.isNaN(Date.parse(date)) ? null : date,
  ...(asked_by !== null && { asked_by }),
})

const unknownSends = async (config: Config): Promise<Undecided[]> =>
  (await readUnknownSends(config)).map(({ id, begun_at, to, subject }) => ({
    ...{ kind: 'unknown_send', target: id, from: unknown, at: begun_at, to: to.join(', ') },
    ...{ subject, reason: null, isUrgent: false },
  }))
