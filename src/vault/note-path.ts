/** Paths from outside, made into names that lead to a note of the vault; what leaves the vault is refused. */
import { AgentMailError } from '../errors.ts'
import { maxDepth, tooDeep } from '../system/folder.ts'
import { hiddenInName, pathInSight } from './hidden-in-name.ts'

const maxPathBytes = 2048
/** Names that Windows takes for devices, in any folder and with any ending. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\..*)?$/i

/** Where a note is: the folders on the way, and its file's name. */
export interface NotePath {
  folders: string[]
  name: string
}

/** @example notePath('./Inbox//a.md') // { folders: ['Inbox'], name: 'a.md' } */
export function notePath(path: string): NotePath {
  const place = filePath(path)
  if (!isNoteName(place.name)) throw denied('not a note: its name must end in .md', path)
  return place
}

/** Any file of the vault, not only a note. */
export function filePath(path: string): NotePath {
  const folders = namesOf(path)
  const name = folders.pop()
  checkFolders(path, folders)
  if (name === undefined) throw denied('not a file', path)
  return { folders, name }
}

/** @example folderPath('.') // [] */
export function folderPath(path: string): string[] {
  const folders = namesOf(path)
  checkFolders(path, folders)
  return folders
}

/** Of the file, without the folders on the way. */
export const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** The name itself, or with a number where that is taken. @example numbered('a.md', 2) // 'a-2.md' */
export const numbered = (name: string, count: number): string =>
  count === 1 ? name : name.replace(/\.md$/, `-${count}.md`)

export const pathOf = ({ folders, name }: NotePath): string => [...folders, name].join('/')

/** A name that some system takes for a device or a drive, so that it is a path of the vault on none. */
const isForeignName = (name: string): boolean => deviceName.test(name) || /^[a-z]:/i.test(name)

/** Why no path may lead through this name; nothing where one may. */
export function wrongInName(name: string): string | undefined {
  if (isForeignName(name)) return 'that of a device or a drive'
  const hidden = hiddenInName(name)
  return hidden && `one with a line break or an invisible character (${hidden})`
}

export const isNoteName = (name: string): boolean =>
  name.endsWith('.md') && name.length > 3 && !wrongInName(name)

/** A folder that is part of the vault: those with a dot belong to programs. */
export const isFolderName = (name: string): boolean => !name.startsWith('.') && !wrongInName(name)

function namesOf(path: string): string[] {
  if (/[\0\\]/.test(path)) throw denied('a path must not hold a NUL or a backslash', path)
  if (/^(\/|[a-z]:)/i.test(path)) throw denied('a path must be relative to the vault', path)
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new AgentMailError('invalid_request', `a path must be at most ${maxPathBytes} bytes`)
  }
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) throw denied('the path leaves the vault', path)
  }
  // What `..` has taken back was a name in it, too.
  for (const name of path.split('/')) {
    const wrong = wrongInName(name)
    if (wrong) throw denied(`a name in it is ${wrong}`, path)
  }
  return names
}

/** Those that `..` has taken back count too: a path that went through a dot folder is not meant well. */
function checkFolders(path: string, folders: string[]): void {
  if (folders.length > maxDepth) throw tooDeep()
  const passed = path
    .split('/')
    .slice(0, -1)
    .filter((name) => !/^\.{0,2}$/.test(name))
  const dotted = [...passed, ...folders].find((name) => name.startsWith('.'))
  if (dotted) throw denied('folders that begin with a dot are not part of the vault', path)
}

const denied = (reason: string, path: string) =>
  new AgentMailError(
    'permission_denied',
    `${reason}: "${pathInSight(path)}"`,
    'Give the path of a note relative to the vault, such as Inbox/note.md.',
  )
