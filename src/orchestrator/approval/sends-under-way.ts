/** What the orchestrator has sent, or may have, as its state tells: that is neither taken back nor approved anew. */
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { answeredBy, hashOf } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { logFolders } from '../../vault/log-file.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'

const stateFile = 'orchestrator_state.json'
/** Far more than that of 100,000 mails. */
const maxBytes = 256 << 20

const words: Record<string, string> = {
  sending: 'it is being sent at this moment',
  unknown: 'it may have been sent',
  sent: 'it was sent',
}

export type Send = Readonly<Record<string, unknown>>

/** @param name of the file of the note. */
export async function refuseSent(vault: Vault, name: string): Promise<void> {
  const state = (await sendsOf(vault)).find((send) => send.name === name && isBegun(send.state))
  if (!state) return
  throw new AgentMailError(
    'conflict',
    `${name} cannot be rejected: ${words[String(state.state)]}`,
    'Look into the sent mail.',
  )
}

const isBegun = (state: unknown): boolean =>
  typeof state === 'string' && Object.hasOwn(words, state)

/** When just this mail was sent: from a note of the same name, or as an answer that says the same. */
export async function sentBefore(
  vault: Vault,
  sends: Send[],
  note: Note,
): Promise<string | undefined> {
  const answered = answeredBy(note.frontmatter)
  const alike = sends.filter(
    ({ state, name, reply_to_message_id: id }) =>
      state === 'sent' &&
      (name === nameOf(note.path) || (answered !== undefined && id === answered)),
  )
  if (alike.length === 0) return undefined
  const hash = await hashOf(vault, note)
  const sent = alike.find(({ sha256 }) => sha256 === hash)
  return sent && String(sent.sent_at ?? 'a time that is not known')
}

/** The ids of the approvals whose mails have left. */
export const sentApprovals = (sends: Send[]): ReadonlySet<string> =>
  new Set(
    sends.flatMap(({ state, approval_id }) => (state === 'sent' ? [String(approval_id)] : [])),
  )

/** None where the state is not there or cannot be read. */
export async function sendsOf(vault: Vault): Promise<Send[]> {
  const text = await vault.within(logFolders, (found) => {
    try {
      const fd = found?.folder.open(stateFile, constants.O_RDONLY)
      return fd === undefined ? '' : textOf(fd)
    } catch {
      return ''
    }
  })
  const state = jsonOf(text)
  const sends = isRecord(state) && isRecord(state.sends) ? Object.values(state.sends) : []
  return sends.filter(isRecord)
}

function textOf(fd: number): string {
  try {
    const stat = fstatSync(fd)
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, 'utf8') : ''
  } finally {
    closeSync(fd)
  }
}
