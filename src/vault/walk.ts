/** Walks the notes below a folder in the order of their paths, and nothing else: no links, no pipes, no dot folders. */
import type { Dirent } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import type { Folder } from '../system/folder.ts'
import { isFolderName, isNoteName } from './note-path.ts'

/** A note met on the way; `folder` is open until the next one is asked for. */
export interface WalkedNote {
  folder: Folder
  name: string
  path: string
}

/** @param path where `folder` is in the vault; '' is its root. @param after the paths to leave out: all up to this one. */
export function* walkNotes(folder: Folder, path: string, after = ''): Generator<WalkedNote> {
  const prefix = path === '' ? '' : `${path}/`
  for (const { key, name } of inOrder(folder)) {
    const isFolder = key !== name
    if (prefix + key <= after && !(isFolder && after.startsWith(prefix + key))) continue
    if (!isFolder) yield { folder, name, path: prefix + name }
    else yield* walkFolder(folder, name, prefix + name, after)
  }
}

function* walkFolder(
  parent: Folder,
  name: string,
  path: string,
  after: string,
): Generator<WalkedNote> {
  const folder = enterable(parent, name)
  if (!folder) return
  try {
    yield* walkNotes(folder, path, after)
  } finally {
    folder.close()
  }
}

/** A folder that is gone, was swapped for a link or may not be read holds no notes. */
export function enterable(parent: Folder, name: string): Folder | undefined {
  try {
    return parent.enter(name)
  } catch (error) {
    if (AgentMailError.is(error) || hasCode(error, 'EACCES', 'EPERM')) return undefined
    throw error
  }
}

/** With its slash, a folder sorts among the notes beside it as the paths in it do. */
function inOrder(folder: Folder): { key: string; name: string }[] {
  return entriesOf(folder)
    .map(({ name, isFolder }) => ({ key: isFolder ? `${name}/` : name, name }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

interface Entry {
  name: string
  isFolder: boolean
}

/** The notes and the folders in a folder; a name that is not UTF-8 cannot be asked for and is left out. */
export function entriesOf(folder: Folder): Entry[] {
  const entries: Entry[] = []
  for (const entry of listed(folder)) {
    const { name } = entry
    const isFolder = entry.isDirectory()
    const isOurs = isFolder ? isFolderName(name) : entry.isFile() && isNoteName(name)
    if (isOurs && !(name.includes('\ufffd') && !folder.stat(name))) entries.push({ name, isFolder })
  }
  return entries
}

function listed(folder: Folder): Dirent[] {
  try {
    return folder.entries()
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'EPERM')) return []
    throw error
  }
}
