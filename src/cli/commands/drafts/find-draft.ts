/** Finds the note that a person means: a path in the vault, or the bare name of a note in Drafts/ and nothing else, so that no note elsewhere can stand in for it. */
import { relative, resolve, sep } from 'node:path'
import { AgentMailError } from '../../../errors.ts'
import { didYouMean } from '../../../nearest.ts'
import { notesIn } from '../../../orchestrator/approval/received-mail.ts'
import { statNote } from '../../../vault/note-stat.ts'
import type { Vault } from '../../../vault/vault.ts'

/** @param vaultPath how the settings name the vault, perhaps through a link. */
export async function findDraft(vault: Vault, vaultPath: string, given: string): Promise<string> {
  if (!given.includes('/')) return inDrafts(vault, given)
  const path = withinVault([vault.root, resolve(vaultPath)], given)
  if (path.endsWith('.md')) return path
  const isOther = /\.\w+$/.test(path) && !(await isThere(vault, `${path}.md`))
  return isOther ? path : `${path}.md`
}

/** The whole path of a file in the vault will do, as a shell completes it. */
function withinVault(roots: string[], given: string): string {
  if (!given.startsWith('/')) return given
  const inside = roots
    .map((root) => relative(root, given))
    .find((path) => path !== '' && !path.startsWith('..'))
  return inside === undefined ? given : inside.split(sep).join('/')
}

/** With its ending, or without; and whatever the form of its accents. */
async function inDrafts(vault: Vault, given: string): Promise<string> {
  const wanted = [`Drafts/${given}`, `Drafts/${given}.md`].map(composed)
  const drafts = await notesIn(vault, 'Drafts')
  const found = drafts.filter((path) => wanted.includes(composed(path)))
  if (found.length > 1) {
    throw new AgentMailError(
      'invalid_request',
      `two drafts may be meant by ${given}: ${found.join(', ')}`,
      'Write the whole path of the one that you mean.',
    )
  }
  if (found.length === 0) checkNotMisspelled(given, drafts)
  // Where there is none, whoever looks for it says so. One with the ending twice is not what was written.
  if (given.endsWith('.md')) return `Drafts/${given}`
  return found[0] ?? `Drafts/${given}.md`
}

function checkNotMisspelled(given: string, drafts: string[]): void {
  const names = drafts.map((path) => path.slice('Drafts/'.length).replace(/\.md$/, ''))
  const hint = didYouMean(given.replace(/\.md$/, ''), names)
  if (hint === '') return
  throw new AgentMailError(
    'not_found',
    `there is no note Drafts/${given.replace(/\.md$/, '')}.md${hint}`,
    'agentmail drafts lists them.',
  )
}

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
