/** Lists notes in the order of their paths, all or those whose front matter has a value. */
import { AgentMailError, hasCode } from '../errors.ts'
import { pauses } from '../system/clock.ts'
import { type Filter, parseFilter } from './filter.ts'
import { readNoteFile } from './note-file.ts'
import { folderPath } from './note-path.ts'
import type { Vault } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'
import { type WalkedNote, walkNotes } from './walk.ts'

interface Listing {
  directory: string
  filter?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** A reply holds each path twice, with some signs around it, and clients read lines of 10 MiB. */
const maxReplyBytes = 8 << 20
const bytesAround = 32

export async function listNotes(
  vault: Vault,
  { directory, filter: given, limit = Number.POSITIVE_INFINITY, cursor }: Listing,
): Promise<{ notes: { path: string }[]; next_cursor?: string }> {
  const folders = folderPath(directory)
  const filter = given === undefined ? undefined : parseFilter(given)
  const after = cursor === undefined ? '' : pathAt(cursor)
  return withVaultErrors(directory || 'the vault', () =>
    vault.within(folders, async (found) => {
      if (!found) throw noFolder(directory)
      const notes: { path: string }[] = []
      const pause = pauses()
      let room = maxReplyBytes
      for (const note of walkNotes(found.folder, found.folders.join('/'), after)) {
        await pause()
        if (filter && !matches(note, filter)) continue
        room -= 2 * Buffer.byteLength(note.path) + bytesAround
        const last = notes.at(-1)
        if (last && (notes.length >= limit || room < 0)) {
          return { notes, next_cursor: cursorAt(last.path) }
        }
        notes.push({ path: note.path })
      }
      return { notes }
    }),
  )
}

/** A note that cannot be read matches nothing. */
function matches({ folder, name }: WalkedNote, filter: Filter): boolean {
  try {
    return readNoteFile(folder, name, ({ bytes }) => bytes && filter(bytes)) ?? false
  } catch (error) {
    if (AgentMailError.is(error) || hasCode(error, 'EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'EIO')) {
      return false
    }
    throw error
  }
}

const cursorAt = (path: string): string => Buffer.from(path).toString('base64url')

function pathAt(cursor: string): string {
  const path = Buffer.from(cursor, 'base64url').toString()
  if (cursorAt(path) === cursor) return path
  throw new AgentMailError(
    'invalid_request',
    'cursor is not one that list_notes gave',
    'Use next_cursor of the page before, or leave it out to begin.',
  )
}

const noFolder = (directory: string) =>
  new AgentMailError(
    'not_found',
    `there is no folder ${directory}`,
    'List the folder above it to see what there is.',
  )
