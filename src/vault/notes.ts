/** Reads and writes notes: nothing is overwritten that could not be read, and nothing but what was meant changes. */
import { closeSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { keepForOwner, syncFile } from '../system/files.ts'
import { untilAnswered } from '../system/retry.ts'
import { type ByWhom, refuseChange, refuseDecided } from './decided.ts'
import { parseFrontMatter } from './front-matter/front-matter.ts'
import { checkNumbers, editNote, type ReadNote } from './front-matter/front-matter-edit.ts'
import { decodeNote, type NoteText, splitNote } from './front-matter/note-text.ts'
import { createNote, type NoteFolder, replaceNote } from './note-change.ts'
import {
  busy,
  checkReply,
  checkSize,
  etagOf,
  fitsReply,
  lockNote,
  type NoteFile,
  readNoteFile,
  tooLarge,
} from './note-file.ts'
import { type NotePath, notePath, pathOf } from './note-path.ts'
import type { Vault } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'

export interface Note {
  path: string
  frontmatter: Record<string, unknown>
  body: string
  etag: string
}

/** What a note is to become; with `if_match`, only if it is still as its etag says. */
export interface NewNote {
  path: string
  frontmatter: Record<string, unknown>
  body: string
  if_match?: string | undefined
}

/** A file that changes all the time, as a log does, is never as it was a moment ago. */
export const maxNoteTries = 50

export async function readNote(vault: Vault, path: string): Promise<Note> {
  return checkReply((await readParts(vault, path)).note)
}

/** The note, and the text that it was read from. */
export async function readParts(
  vault: Vault,
  path: string,
): Promise<{ note: Note; parts: NoteText }> {
  const { folders, name: wanted } = notePath(path)
  return withVaultErrors(path, () =>
    vault.within(folders, (found) => {
      const name = found?.folder.spelling(wanted)
      const read =
        found && name !== undefined
          ? readNoteFile(found.folder, name, (file) => {
              const text = readText(file, path)
              const there = pathOf({ folders: found.folders, name })
              return { note: noteOf(there, text, file.etag()), parts: text.parts }
            })
          : undefined
      if (read) return read
      throw notFound(path)
    }),
  )
}

/** Writes the whole note, in one step and for good. Folders are made. */
export async function writeNote(vault: Vault, wanted: NewNote, whose: ByWhom = {}): Promise<Note> {
  const place = notePath(wanted.path)
  if (!whose.isPerson) refuseDecided(place)
  return withVaultErrors(wanted.path, async () => {
    // Where somebody else was faster, it looks again at what is there then.
    const note = await untilAnswered({ tries: maxNoteTries }, () =>
      tryToWrite(vault, place, wanted, whose),
    )
    if (!note) throw busy(wanted.path)
    vault.onChange(note.path)
    await whose.after?.()
    return note
  })
}

async function tryToWrite(
  vault: Vault,
  place: NotePath,
  wanted: NewNote,
  { isPerson, before }: ByWhom,
): Promise<Note | undefined> {
  let found = vault.enter(place.folders)
  let old: NoteFile | undefined
  try {
    const name = found?.folder.spelling(place.name) ?? place.name
    old = found && (await lockNote(found.folder, name, vault.lock))
    if (!isPerson) refuseChange(place, old, wanted.frontmatter)
    const text = textToEdit(wanted, old)
    checkNumbers(wanted.frontmatter, text?.frontMatter.values ?? {})
    const bytes = Buffer.from(editNote(text, wanted.frontmatter, wanted.body))
    checkSize(wanted.path, bytes.length)
    const note = checkReply(noteOf(wanted.path, takeApart(bytes), etagOf(bytes)))
    const { path, frontmatter, body } = note
    await before?.({ path, frontmatter, body, old: text && noteOf(path, text) })
    found ??= vault.make(place.folders)
    const isPut = put(found, name, old, bytes)
    return isPut ? { ...note, path: pathOf({ folders: found.folders, name }) } : undefined
  } finally {
    if (old) closeSync(old.fd)
    found?.folder.close()
  }
}

/** The text that the new one is made from. One that cannot be read is replaced only by who names its etag. */
function textToEdit({ path, if_match }: NewNote, old: NoteFile | undefined): ReadNote | undefined {
  checkMatch(path, if_match, old)
  if (!old) return undefined
  try {
    return readText(old, path)
  } catch (error) {
    if (if_match === undefined) throw error
    return emptied(old)
  }
}

/** What is left of a note that cannot be read when it is mended: its BOM, and how its lines end. */
function emptied({ bytes }: NoteFile): ReadNote {
  const text = bytes?.toString() ?? ''
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? ''
  const parts: NoteText = {
    bom: text.startsWith('\ufeff') ? '\ufeff' : '',
    block: null,
    body: lineEnd,
  }
  return { parts, frontMatter: parseFrontMatter(parts) }
}

export function checkMatch(
  path: string,
  wanted: string | undefined,
  file: NoteFile | undefined,
): void {
  if (wanted === undefined || wanted === file?.etag()) return
  if (file) throw changedSinceRead(path, file.etag())
  throw new AgentMailError(
    'conflict',
    `the note is not there: ${path}`,
    'Leave out if_match to make it.',
    { details: { etag: null } },
  )
}

export const changedSinceRead = (path: string, etag: string | undefined) =>
  new AgentMailError(
    'conflict',
    `the note has changed since it was read: ${path}`,
    'Read it again and make the change anew.',
    { details: { etag: etag ?? null } },
  )

function put(place: NoteFolder, name: string, old: NoteFile | undefined, bytes: Buffer): boolean {
  if (!old) return createNote(place, name, bytes)
  if (!old.bytes?.equals(bytes)) return replaceNote(place, name, old, bytes)
  if (place.isPrivate) keepForOwner(old.fd)
  syncFile(old.fd) // whoever wrote it may not have, or was killed before its folder was on disk
  place.folder.sync()
  return true
}

const noteOf = (path: string, { parts, frontMatter }: ReadNote, etag = ''): Note => ({
  path,
  frontmatter: frontMatter.values,
  body: parts.body,
  etag,
})

/** The text of a file; the error tells enough of it to mend it. */
export function readText(file: NoteFile, path: string): ReadNote {
  const { bytes, stat } = file
  if (!bytes) {
    const size = Number(stat.size)
    throw tooLarge(`${path} is ${size} bytes`, { size, etag: file.etag() ?? null })
  }
  try {
    return takeApart(bytes)
  } catch (error) {
    if (!AgentMailError.is(error) || error.code !== 'parse_error') throw error
    throw new AgentMailError('parse_error', error.message, error.next, {
      cause: error,
      details: { ...error.details, ...textOf(bytes), etag: file.etag() },
    })
  }
}

export function takeApart(bytes: Buffer): ReadNote {
  const parts = splitNote(decodeNote(bytes))
  return { parts, frontMatter: parseFrontMatter(parts) }
}

/** The text, where it is one and a reply can carry it. */
function textOf(bytes: Buffer): { text?: string } {
  try {
    const text = decodeNote(bytes)
    return fitsReply(text) ? { text } : {}
  } catch {
    return {}
  }
}

/** Nothing where there is no such note, or folder. */
export async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (AgentMailError.is(error, 'not_found')) return undefined
    throw error
  }
}

export const notFound = (path: string) =>
  new AgentMailError(
    'not_found',
    `there is no note ${path}`,
    'List or search the notes to see which there are.',
  )
