/** Finds the notes of a vault that belong to a mail, wherever it has come to meanwhile. */
import { AgentMailError } from '../../errors.ts'
import { listNotes } from '../../vault/list.ts'
import { type Note, readNote } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { fields } from '../inbox/mail-note.ts'

/** All paths, in order; none where there is no such folder. */
export async function notesIn(vault: Vault, directory: string, filter?: string): Promise<string[]> {
  const paths: string[] = []
  let cursor: string | undefined
  try {
    do {
      const page = await listNotes(vault, { directory, filter, cursor })
      for (const { path } of page.notes) paths.push(path)
      cursor = page.next_cursor
    } while (cursor !== undefined)
  } catch (error) {
    if (!AgentMailError.is(error) || error.code !== 'not_found') throw error
  }
  return paths
}

/** Those of a mail that waits. */
export const notesOfMail = (vault: Vault, message_id: string): Promise<string[]> =>
  notesIn(vault, 'Needs_Action', `message_id:${message_id}`)

/** The note of a mail, which may be done; nothing where there is none. */
export async function mailOf(vault: Vault, message_id: string): Promise<Note | undefined> {
  for (const folder of ['Needs_Action', 'Done']) {
    for (const path of await notesIn(vault, folder, `message_id:${message_id}`)) {
      const note = await noteAt(vault, path)
      // The filter takes 1e5 for 100000, too.
      if (note && fields(note).message_id === message_id) return note
    }
  }
  return undefined
}

/** Nothing where there is none. */
export async function noteAt(vault: Vault, path: string): Promise<Note | undefined> {
  try {
    return await readNote(vault, path)
  } catch (error) {
    if (AgentMailError.is(error) && error.code === 'not_found') return undefined
    throw error
  }
}
