/** Finds every note that cannot be read, and says where the fault is. */
import { AgentMailError } from '../errors.ts'
import { pauses } from '../system/clock.ts'
import type { Folder } from '../system/folder.ts'
import { readNoteFile } from './note-file.ts'
import { isFolderName, isNoteName, wrongInName } from './note-path.ts'
import { readText } from './notes.ts'
import type { Vault } from './vault.ts'
import { vaultError } from './vault-error.ts'

export interface NoteProblem {
  path: string
  /** Where in the file, if it is at a place. */
  line: number | null
  column: number | null
  message: string
}

/** Gives a problem or nothing for each note, in no order. */
export async function* checkNotes(vault: Vault): AsyncGenerator<NoteProblem | undefined> {
  const root = vault.open()
  const pause = pauses()
  try {
    for (const result of checkFolder(root, '')) {
      await pause()
      yield result
    }
  } finally {
    root.close()
  }
}

function* checkFolder(folder: Folder, prefix: string): Generator<NoteProblem | undefined> {
  for (const entry of folder.entries()) {
    const path = prefix + entry.name
    const wrong = wrongInName(entry.name)
    if (wrong && (entry.isDirectory() || entry.name.endsWith('.md'))) {
      yield problem(path, `its name is ${wrong}, so it is left out: rename it`)
    } else if (entry.isDirectory()) {
      if (isFolderName(entry.name)) yield* checkBelow(folder, entry.name, path)
    } else if (isNoteName(entry.name)) {
      yield entry.isFile() ? checkNote(folder, entry.name, path) : problem(path, notAFile)
    } else if (entry.isSymbolicLink() && !entry.name.startsWith('.')) {
      yield problem(path, notAFile)
    }
  }
}

const notAFile = 'it is a link or a pipe, and those are not followed'

function* checkBelow(
  parent: Folder,
  name: string,
  path: string,
): Generator<NoteProblem | undefined> {
  let folder: Folder | undefined
  try {
    folder = parent.enter(name)
    if (folder) yield* checkFolder(folder, `${path}/`)
  } catch (error) {
    yield failed(path, error)
  } finally {
    folder?.close()
  }
}

function checkNote(folder: Folder, name: string, path: string): NoteProblem | undefined {
  if (name.includes('\ufffd') && !folder.stat(name)) return problem(path, 'its name is not UTF-8')
  try {
    readNoteFile(folder, name, (file) => readText(file, 'it'))
    return undefined
  } catch (error) {
    return failed(path, error)
  }
}

function failed(path: string, cause: unknown): NoteProblem {
  const error = vaultError(path, cause)
  if (!AgentMailError.is(error)) throw error
  const { line, column, reason } = error.details ?? {}
  return problem(path, typeof reason === 'string' ? reason : error.message, line, column)
}

const problem = (path: string, message: string, line?: unknown, column?: unknown): NoteProblem => ({
  path,
  line: typeof line === 'number' ? line : null,
  column: typeof column === 'number' ? column : null,
  message,
})
