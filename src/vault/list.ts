/** Lists notes in the order of their paths, all or those whose front matter has a value. */
import { AgentMailError, hasCode } from '../errors.ts'
import { pauses } from '../system/clock.ts'
import { type Filter, parseFilter } from './filter.ts'
import { readNoteFile } from './note-file.ts'
import { folderPath } from './note-path.ts'
import { stampOf, unsure } from './search/stamp.ts'
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

/** What is remembered of the notes in a folder, by their names. */
export type KnownNotes = Map<string, { stamp: string; fields: string | null }>

/** What has been read of the notes before. */
export interface NoteMemory {
  /** Nothing where it knows nothing; it may be out of date. */
  knownIn(folder: string): Promise<KnownNotes | undefined>
  /** Whether it is not: whatever was changed before this is asked is known. */
  isSettled(): Promise<boolean>
}

const noMemory: NoteMemory = { knownIn: async () => undefined, isSettled: async () => false }

export async function listNotes(
  vault: Vault,
  { directory, filter: given, limit = Number.POSITIVE_INFINITY, cursor }: Listing,
  memory = noMemory,
): Promise<{ notes: { path: string }[]; next_cursor?: string }> {
  const folders = folderPath(directory)
  const filter = given === undefined ? undefined : parseFilter(given)
  const after = cursor === undefined ? '' : pathAt(cursor)
  return withVaultErrors(directory || 'the vault', () =>
    vault.within(folders, async (found) => {
      if (!found) throw noFolder(directory)
      const notes: { path: string }[] = []
      const pause = pauses()
      const known = new KnownFolders(memory)
      const isSettled = filter !== undefined && (await memory.isSettled())
      let room = maxReplyBytes
      for (const note of walkNotes(found.folder, found.folders.join('/'), after)) {
        const turn = pause()
        if (turn) await turn
        if (filter) {
          const around = known.around(note)
          const here = around instanceof Promise ? await around : around
          if (!matches(note, filter, here.get(note.name), isSettled)) continue
        }
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

/** Asked once for each folder; those on the way to a note are kept, since the walk comes back to them. */
class KnownFolders {
  readonly #memory: NoteMemory
  #folders: { path: string; notes: KnownNotes }[] = []

  constructor(memory: NoteMemory) {
    this.#memory = memory
  }

  /** At once where it is known, since a promise for every note takes time. */
  around({ path, name }: WalkedNote): KnownNotes | Promise<KnownNotes> {
    const folder = path.slice(0, -name.length - 1)
    const last = this.#folders.at(-1)
    return last?.path === folder ? last.notes : this.#enter(folder)
  }

  async #enter(folder: string): Promise<KnownNotes> {
    const isAbove = ({ path }: { path: string }) =>
      path === '' || `${folder}/`.startsWith(`${path}/`)
    this.#folders = this.#folders.filter(isAbove)
    const last = this.#folders.at(-1)
    if (last?.path === folder) return last.notes
    const notes = (await this.#memory.knownIn(folder)) ?? new Map()
    this.#folders.push({ path: folder, notes })
    return notes
  }
}

const unreadableNote = ['EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'EISDIR', 'EIO']

/** What is remembered is true of a file that has not changed since. A note that cannot be read matches nothing. */
function matches(
  { folder, name }: WalkedNote,
  filter: Filter,
  known: { stamp: string; fields: string | null } | undefined,
  isSettled: boolean,
): boolean {
  try {
    if (known?.fields && known.stamp !== unsure) {
      const stat = isSettled ? undefined : folder.stat(name)
      const isSame = isSettled || (stat && known.stamp === stampOf(stat))
      if (isSame) return filter.matchesFields(known.fields)
    }
    return readNoteFile(folder, name, ({ bytes }) => bytes && filter.matches(bytes)) ?? false
  } catch (error) {
    if (AgentMailError.is(error) || hasCode(error, ...unreadableNote)) return false
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
