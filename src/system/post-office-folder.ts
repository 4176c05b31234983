/** Where a repository keeps what its agents share: `.agentmail/`, for their owner only and invisible to git; and the words for what is wrong with it. */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import {
  isNotRegular,
  makeFolder,
  makePrivate,
  notRegular,
  replaceFile,
  textOfFile,
} from './files.ts'
import { sharedFolder, trackedFrom } from './git.ts'
import { randomId } from './random.ts'

/** That of the repository around a folder, or the one that AGENTMAIL_DIR names. */
export async function postOfficeFolder(config: Config, cwd = currentFolder()): Promise<string> {
  const dir = config.text('dir')
  return dir ? resolve(cwd, dir) : join(await sharedFolder(cwd), '.agentmail')
}

/** Opens a post office: makes its folders, itself the first of them, and mends what others could read or git would take. */
export function makePostOffice(folders: string[]): void {
  const [folder = ''] = folders
  checkUntracked(folder)
  withStorageErrors(() => {
    const open = folders.filter((each) => {
      const found = checkPlainFolder(each)
      if (!found) makeFolder(each, 0o700)
      return found && (found.mode & 0o077) > 0
    })
    for (const each of open) mend(each, each === folder)
    ignoreAll(folder)
  })
}

/** What came with a repository was written by whoever made that, and what is written into it would be offered to git. */
export function checkPostOffice(folder: string): void {
  checkPlainFolder(folder)
  checkUntracked(folder)
}

export function checkUntracked(folder: string): void {
  if (withStorageErrors(() => trackedFrom(folder)) === undefined) return
  throw new AgentMailError(
    'storage',
    'git tracks files in the post office: nothing in it is read or written',
    `Look at what came with the repository, and remove what is not yours. Then take it out of git: git -C ${dirname(folder)} rm -rf --cached ${basename(folder)}`,
  )
}

/** The names that a post office gives to what is in it. */
const ownNames =
  /^(?:\.gitignore.*|mailboxes|positions|receipts|mail|recipients\.jsonl.*|mailman\.\w+|agentmail\.db.*|.*\.server)$/

/** A folder that AGENTMAIL_DIR names may be full of other things, which are left as they are. */
const isOurs = (folder: string): boolean =>
  basename(folder) === '.agentmail' || readdirSync(folder).every((name) => ownNames.test(name))

/** Nobody else sees into it any more, nor reads what they could have opened. */
function mend(folder: string, isOffice: boolean): void {
  if (isOffice && !isOurs(folder)) return
  makePrivate(folder)
  for (const name of readdirSync(folder)) {
    if (!isOffice || ownNames.test(name)) makePrivate(join(folder, name))
  }
}

/** A link is replaced, and leads nowhere any more. */
function ignoreAll(folder: string): void {
  const file = join(folder, '.gitignore')
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found?.isFile() && textOfFile(file).trim() === '*') return
  if (found?.isDirectory()) throw notRegular(file)
  if (found && !isOurs(folder)) return
  replaceFile(file, [Buffer.from('*\n')], { temporary: `.gitignore.${randomId(8)}` })
}

/** A repository can bring a link along, and what is written must not follow it out. */
export function checkPlainFolder(path: string): Stats | undefined {
  const found = withStorageErrors(() => lstatSync(path, { throwIfNoEntry: false }))
  if (!found || found.isDirectory()) return found
  throw new AgentMailError(
    'storage',
    `the post office is not a plain folder: ${path}`,
    'Remove the link that stands there; set AGENTMAIL_DIR to keep the mail elsewhere.',
  )
}

export function currentFolder(): string {
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
