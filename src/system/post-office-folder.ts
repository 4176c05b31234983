/** Where a repository keeps what its agents share: `.agentmail/`, for their owner only and invisible to git; and the words for what is wrong with it. */
import { closeSync, fstatSync, lstatSync, writeSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { isNotRegular, makeFolder, openRegularFile } from './files.ts'
import { sharedFolder } from './git.ts'

/** That of the repository around this folder, or the one that AGENTMAIL_DIR names. */
export async function postOfficeFolder(config: Config): Promise<string> {
  const cwd = currentFolder()
  const dir = config.text('dir')
  return dir ? resolve(cwd, dir) : join(await sharedFolder(cwd), '.agentmail')
}

/** Makes the folders of a post office, itself the first of them. */
export function makePostOffice(folders: string[]): void {
  folders.forEach(checkPlainFolder)
  withStorageErrors(() => {
    for (const folder of folders) makeFolder(folder, 0o700)
    const ignoreAll = openRegularFile(join(folders[0] ?? '', '.gitignore'), { create: true })
    if (fstatSync(ignoreAll).size === 0) writeSync(ignoreAll, '*\n')
    closeSync(ignoreAll)
  })
}

/** A repository can bring a link along, and what is written must not follow it out. */
export function checkPlainFolder(path: string): void {
  const found = withStorageErrors(() => lstatSync(path, { throwIfNoEntry: false }))
  if (!found || found.isDirectory()) return
  throw new AgentMailError(
    'storage',
    `the post office is not a plain folder: ${path}`,
    'Remove the link that stands there; set AGENTMAIL_DIR to keep the mail elsewhere.',
  )
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw new AgentMailError(
      'not_in_repository',
      'not in a git repository',
      'The current folder is gone. Go into one that exists.',
    )
  }
}

export function withStorageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStorageError(error)
  }
}

/** A failure of the file system, in words that say what to do. */
export function asStorageError(cause: unknown): AgentMailError {
  if (AgentMailError.is(cause)) return cause
  if (isNotRegular(cause)) {
    return new AgentMailError(
      'storage',
      `a file of the post office is not a regular file: ${basename(cause.path ?? '')}`,
      'Look into the .agentmail folder and remove the link, folder or pipe that stands there.',
      { cause },
    )
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : 'internal error'
  return new AgentMailError(
    'storage',
    `the post office could not be read or written (${code})`,
    'Check the .agentmail folder, its permissions and the free space, then try again.',
    { cause },
  )
}
