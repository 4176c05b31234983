/** Finds the note that a person means: by its path in the vault, by a path to its file, or by its name alone. */
import { relative, resolve, sep } from 'node:path'
import { kindOf } from '../../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../../errors.ts'
import { isKeptFile } from '../../../orchestrator/approval/drafts.ts'
import { notesIn } from '../../../orchestrator/approval/received-mail.ts'
import { statNote } from '../../../vault/note-stat.ts'
import { readNote } from '../../../vault/notes.ts'
import type { Vault } from '../../../vault/vault.ts'

/** @param vaultPath how the settings name the vault, perhaps through a link. */
export async function findDraft(vault: Vault, vaultPath: string, given: string): Promise<string> {
  const roots = [vault.root, resolve(vaultPath)]
  const inside = roots
    .map((root) => relative(root, resolve(given)))
    .filter((path) => path !== '' && !path.startsWith('..'))
    .map((path) => path.split(sep).join('/'))
  for (const path of [given, ...inside]) if (await isThere(vault, path)) return path
  const found = await named(vault, given)
  if (found !== undefined) return found
  if (!given.includes('/')) return `Drafts/${noteName(given)}`
  return (given.startsWith('/') && inside[0]) || given
}

/** Of notes with the same name, the draft is meant: a mail and the answer to it may share theirs. */
async function named(vault: Vault, given: string): Promise<string | undefined> {
  const end = composed(`/${noteName(given)}`)
  const found: string[] = []
  for (const folder of ['Drafts', 'Approved', 'Needs_Action']) {
    for (const path of await notesIn(vault, folder)) {
      if (composed(`/${path}`).endsWith(end) && !isKeptFile(path)) found.push(path)
    }
  }
  if (found.length < 2) return found[0]
  const drafts: string[] = []
  for (const path of found) if (kindOf(await readNote(vault, path))) drafts.push(path)
  if (drafts.length < 2) return drafts[0] ?? found[0]
  throw new AgentMailError(
    'invalid_request',
    `there are several drafts of this name: ${drafts.join(', ')}`,
    'Write the whole path of the one that you mean.',
  )
}

const noteName = (given: string): string => (given.endsWith('.md') ? given : `${given}.md`)
const composed = (text: string): string => text.normalize('NFC')

/** A path that leads out of the vault leads to no note; what is to be done with it tells why. */
async function isThere(vault: Vault, path: string): Promise<boolean> {
  try {
    return (await statNote(vault, path)) !== undefined
  } catch (error) {
    if (AgentMailError.is(error)) return false
    throw error
  }
}
