/** Moves a note: the same file under another name, never over another note, links mended if asked. */
import { closeSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { isSameFile, keepForOwner } from '../system/files.ts'
import { type ByWhom, type Putting, refuseDecided, refuseMove } from './decided.ts'
import { mendLinks } from './links.ts'
import { moveNoteFile } from './note-change.ts'
import { lockNote, type NoteFile } from './note-file.ts'
import { type NotePath, notePath, pathOf } from './note-path.ts'
import { checkMatch, notFound, takeApart } from './notes.ts'
import type { Found, Vault } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'

interface Move {
  source: string
  destination: string
  if_match?: string | undefined
  update_links?: boolean | undefined
}

/** `not_updated` names the notes whose links could not be mended. */
interface Moved {
  moved: true
  not_updated?: string[]
}

export async function moveNote(vault: Vault, move: Move, whose: ByWhom = {}): Promise<Moved> {
  const [from, to] = [notePath(move.source), notePath(move.destination)]
  if (!whose.isPerson) {
    refuseDecided(from, 'out of')
    refuseDecided(to)
  }
  return withVaultErrors(move.source, async () => {
    const { oldPath, newPath } = await vault.within(from.folders, (start) =>
      relocate(vault, move, start, { from, to, whose }),
    )
    vault.onChange(oldPath)
    vault.onChange(newPath)
    await whose.after?.()
    const failed = move.update_links ? await mendLinks(vault, oldPath, newPath) : []
    return { moved: true, ...(failed.length > 0 ? { not_updated: failed } : {}) }
  })
}

async function relocate(
  vault: Vault,
  { source, destination, if_match }: Move,
  start: Found | undefined,
  { from, to, whose }: Route,
): Promise<{ oldPath: string; newPath: string }> {
  const name = start?.folder.spelling(from.name)
  const note = start && name !== undefined && (await lockNote(start.folder, name, vault.lock))
  if (!start || name === undefined || !note) throw notFound(source)
  try {
    checkMatch(source, if_match, note)
    if (!whose.isPerson) refuseMove(from, note, to)
    const oldPath = pathOf({ folders: start.folders, name })
    return await withVaultErrors(destination, () =>
      put(vault, note, { ...start, name, oldPath }, { to, whose }),
    )
  } finally {
    closeSync(note.fd)
  }
}

interface Route {
  from: NotePath
  to: NotePath
  whose: ByWhom
}

interface Start extends Found {
  name: string
  oldPath: string
}

async function put(vault: Vault, note: NoteFile, start: Start, { to, whose }: Omit<Route, 'from'>) {
  const { oldPath } = start
  const end = vault.make(to.folders)
  try {
    const newPath = pathOf({ folders: end.folders, name: to.name })
    const taken = end.folder.spelling(to.name)
    const isItself = taken !== undefined && isSameFile(note.stat, end.folder.stat(taken))
    if (newPath === oldPath || (taken !== undefined && !isItself)) throw isTaken(newPath)
    await whose.before?.({ path: newPath, from: oldPath, ...textOf(note) })
    if (!moveNoteFile(note, start.folder, start.name, end.folder, to.name)) throw isTaken(newPath)
    if (end.isPrivate) keepForOwner(note.fd)
    return { oldPath, newPath }
  } finally {
    end.folder.close()
  }
}

/** What cannot be read is moved all the same, and says nothing. */
function textOf({ bytes }: NoteFile): Pick<Putting, 'frontmatter' | 'body'> {
  try {
    const { frontMatter, parts } = takeApart(bytes ?? Buffer.alloc(0))
    return { frontmatter: frontMatter.values, body: parts.body }
  } catch (error) {
    if (AgentMailError.is(error)) return { frontmatter: {}, body: '' }
    throw error
  }
}

const isTaken = (destination: string) =>
  new AgentMailError(
    'conflict',
    `the destination is taken: ${destination}`,
    'Choose another name, or move what is there first.',
  )
