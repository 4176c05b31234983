/** Mends the wikilinks that pointed to a note which has moved. */
import { closeSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { pauses } from '../system/clock.ts'
import type { Folder } from '../system/folder.ts'
import { untilAnswered } from '../system/retry.ts'
import { isDecided } from './decided.ts'
import { replaceNote } from './note-change.ts'
import { lockNote, readNoteFile } from './note-file.ts'
import { notePath } from './note-path.ts'
import { maxNoteTries, takeApart } from './notes.ts'
import { isWorkFolder, type Vault } from './vault.ts'
import { walkNotes } from './walk.ts'
import { type NoteMove, nameKey, relinked } from './wikilinks.ts'

/** Gives the notes whose links had to stay as they were: they cannot be read or written, or a person decides about them as they stand. */
export async function mendLinks(vault: Vault, oldPath: string, newPath: string): Promise<string[]> {
  const move = await namesakes(vault, oldPath, newPath)
  const failed: string[] = []
  const pause = pauses()
  const root = vault.open()
  try {
    for (const { folder, name, path } of walkNotes(root, '')) {
      await pause()
      if (hasLink(folder, name, path, move) === false) continue
      const isMended = await mend(folder, name, path, move)
      if (isMended) vault.onChange(path)
      else failed.push(path)
    }
  } finally {
    root.close()
  }
  return failed
}

/** The notes that a link to the old or the new name might mean. */
async function namesakes(vault: Vault, oldPath: string, newPath: string): Promise<NoteMove> {
  const keys = [nameKey(oldPath), nameKey(newPath)]
  const after: string[] = []
  const pause = pauses()
  const root = vault.open()
  try {
    for (const { path } of walkNotes(root, '')) {
      await pause()
      if (keys.includes(nameKey(path))) after.push(path)
    }
  } finally {
    root.close()
  }
  const before = after.map((path) => (path === newPath ? oldPath : path))
  return { oldPath, newPath, before, after }
}

/** Whether the text has a link to write anew; nothing where it is too large or may not be read. */
function hasLink(folder: Folder, name: string, path: string, move: NoteMove): boolean | undefined {
  try {
    const found = readNoteFile(folder, name, ({ bytes }) => {
      if (!bytes?.includes('[[')) return bytes && false
      const text = bytes.toString()
      return relinked(text, path, move) !== text
    })
    return found
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return undefined
    if (AgentMailError.is(error) || hasCode(error, 'ELOOP', 'ENXIO', 'EISDIR')) return false
    throw error
  }
}

/** Whether its links point to the new place now. */
async function mend(folder: Folder, name: string, path: string, move: NoteMove): Promise<boolean> {
  const tryToMend = () => triedToMend(folder, name, path, move)
  return (await untilAnswered({ tries: maxNoteTries }, tryToMend)) ?? false
}

/** Nothing where somebody else was faster. */
async function triedToMend(
  folder: Folder,
  name: string,
  path: string,
  move: NoteMove,
): Promise<boolean | undefined> {
  let file: Awaited<ReturnType<typeof lockNote>>
  try {
    file = await lockNote(folder, name)
    if (!file?.bytes) return file === undefined
    if (isDecided(notePath(path), file)) return false
    takeApart(file.bytes)
    const text = relinked(file.bytes.toString(), path, move)
    if (text === undefined) return false
    const bytes = Buffer.from(text)
    const isPrivate = isWorkFolder(path.split('/')[0])
    takeApart(bytes) // a link in the front matter must leave it readable
    return (
      bytes.equals(file.bytes) || replaceNote({ folder, isPrivate }, name, file, bytes) || undefined
    )
  } catch {
    return false
  } finally {
    if (file) closeSync(file.fd)
  }
}
