/** What waits for the person beside messages: drafts to approve, and mails of which nobody knows whether they have left. */
import type { Config } from '../../config.ts'
import { readUnknownSends } from '../../email/outgoing/unknown-sends.ts'
import { AgentMailError } from '../../errors.ts'
import type { DraftHead } from '../../orchestrator/approval/draft-head.ts'
import { listDrafts } from '../../orchestrator/approval/drafts.ts'
import { recordsOf } from '../../orchestrator/approval/records.ts'
import { rfc3339 } from '../../system/clock.ts'
import { logSeldom } from '../../system/log.ts'
import { nameOf } from '../../vault/note-path.ts'
import { statNote } from '../../vault/note-stat.ts'
import { Vault } from '../../vault/vault.ts'
import type { InboxItem } from './item.ts'

/** Where nobody knows who it was. */
const unknown = 'agentmail'

/** Nothing where neither a vault nor a ledger is set up. What cannot be read is told, and keeps nobody from the rest. */
export async function needsPerson(config: Config): Promise<InboxItem[]> {
  return [...(await told('drafts', waitingDrafts, config)), ...(await told('mails', sends, config))]
}

async function told(
  what: string,
  find: (config: Config) => Promise<InboxItem[]>,
  config: Config,
): Promise<InboxItem[]> {
  try {
    return await find(config)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    logSeldom(
      `looks at ${what} that failed`,
      `the ${what} that wait for you could not be read: ${error.message}`,
    )
    return []
  }
}

async function waitingDrafts(config: Config): Promise<InboxItem[]> {
  if (config.text('vault') === undefined) return []
  const vault = Vault.named(config)
  const { drafts } = await listDrafts(recordsOf(config, vault))
  return Promise.all(drafts.filter(isWaiting).map((draft) => draftItem(vault, draft)))
}

const isWaiting = ({ standing, sent_at }: DraftHead): boolean =>
  sent_at === null && (standing === null || standing === 'void')

async function draftItem(vault: Vault, draft: DraftHead): Promise<InboxItem> {
  const { path, kind, to, agent, subject, proposed_by } = draft
  const stat = await statNote(vault, path)
  return {
    // As `agentmail drafts` takes it: a name without a folder is one in Drafts/.
    id: path.startsWith('Drafts/') ? nameOf(path) : path,
    from: proposed_by ?? unknown,
    at: stat === undefined ? null : rfc3339(Number(stat.mtimeMs)),
    kind: 'draft',
    text: `${kind === 'mail' ? (to ?? '') : `@${agent ?? '?'}`}: ${subject}`,
  }
}

const sends = async (config: Config): Promise<InboxItem[]> =>
  (await readUnknownSends(config)).map(({ id, begun_at, to, subject }) => ({
    ...{ id, from: unknown, at: begun_at, kind: 'unknown_send' },
    text: `${to.join(', ')}: ${subject}`,
  }))
