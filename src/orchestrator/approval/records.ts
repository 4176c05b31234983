/** What is known about the drafts of a vault: who said what about them, and which mails have left. */
import type { Config } from '../../config.ts'
import { ledgerDatabase } from '../../email/correspondence.ts'
import { answeredBy } from '../../email/drafts/draft-note.ts'
import { whereToLook } from '../../email/outgoing/outcome.ts'
import { AgentMailError } from '../../errors.ts'
import { type Database, fileDatabase } from '../../store/database.ts'
import { identityOf } from '../../store/identity.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { type DraftSend, isLedger, readSends } from '../sends.ts'
import { State } from '../state.ts'
import { Approvals } from './approvals.ts'

export interface Records {
  vault: Vault
  approvals: Approvals
  /** As the ledger has them now. */
  sends(): Promise<readonly DraftSend[]>
}

export const recordsOf = (config: Config, vault: Vault): Records => ({
  vault,
  approvals: new Approvals(vault),
  sends: () => sendsOf(config, vault),
})

/** What was sent from a vault, or may have been, for whoever only looks: as the ledger knows that its orchestrator has. */
async function sendsOf(config: Config, vault: Vault): Promise<DraftSend[]> {
  const { ledgerId, ledgerPath, vaultId } = State.load(vault)
  if (ledgerId === undefined) return []
  const database = await ledgerDatabase(config)
  const others = ledgerPath === undefined ? [] : [fileDatabase(ledgerPath)]
  for (const one of [database, ...others]) {
    const sends = await sendsIn(one, ledgerId, vaultId)
    if (sends) return sends
  }
  throw otherLedger(database.name)
}

/** Nothing where it is another ledger. */
async function sendsIn(
  database: Database,
  ledgerId: string,
  vaultId: string,
): Promise<DraftSend[] | undefined> {
  try {
    const view = await database.view()
    try {
      const isIt = view !== undefined && isLedger(await identityOf(view), ledgerId)
      return isIt ? await readSends(view, vaultId) : undefined
    } finally {
      await view?.close()
    }
  } catch (error) {
    throw AgentMailError.is(error) ? error : database.explained(error)
  }
}

const otherLedger = (name: string) =>
  new AgentMailError(
    'server_config',
    `the mails of this vault are recorded in another database than ${name}`,
    'Set AGENTMAIL_DB, or XDG_STATE_HOME, as for agentmail orchestrate.',
  )

/** What has left, or is about to, is not taken back. @param name of the file of the note. */
export async function refuseToReject({ sends }: Records, name: string): Promise<void> {
  const begun = (await sends()).find((send) => send.name === name && howBegun(send) !== undefined)
  if (!begun) return
  throw new AgentMailError(
    'conflict',
    `${name} cannot be rejected: ${howBegun(begun)}`,
    `${whereToLook}.`,
  )
}

/** Nothing where it certainly rests. One that was begun has no reason to wait until it is known how it went. */
function howBegun({ state, reason, is_filed }: DraftSend): string | undefined {
  if (state === 'sent') return 'it was sent'
  if (state === 'unknown') return 'it may have been sent'
  if (is_filed) return undefined
  return state === 'sending' || reason === undefined ? 'it is being sent at this moment' : undefined
}

/** When just this mail was sent: from a note of the same name, or as an answer that says the same. */
export function sentBefore(
  sends: readonly DraftSend[],
  note: Note,
  hash: string,
): string | undefined {
  const answered = answeredBy(note.frontmatter)
  const sent = sends.find(
    ({ state, name, reply_to_message_id: id, sha256 }) =>
      state === 'sent' &&
      sha256 === hash &&
      (name === nameOf(note.path) || (answered !== undefined && id === answered)),
  )
  return sent && (sent.sent_at ?? 'a time that is not known')
}
