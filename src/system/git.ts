/** Where a repository keeps what all its worktrees share, and whether a folder came with one. */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'
import { isSameFile } from './files.ts'
import {
  checkedOut,
  gitDirAt,
  isOfSha256,
  originOf,
  type Repository,
  readRepository,
} from './repository.ts'
import { runProgram, runProgramAlone } from './run-program.ts'

/**
 * The folder that holds `.agentmail/` for the repository around `cwd`: the root of its main
 * worktree, wherever in whichever worktree `cwd` is; for a bare repository, the repository itself.
 */
export async function sharedFolder(cwd: string): Promise<string> {
  return sharedFolderOf(readRepository(cwd) ?? (await askForRepository(cwd)))
}

/** The same folder with the URL of `origin`, if it has one; nothing outside a repository. */
export async function repositoryAround(
  cwd: string,
): Promise<{ root: string; origin: string | undefined } | undefined> {
  const repository = readRepository(cwd) ?? (await askForRepository(cwd).catch(unlessOutside(cwd)))
  if (!repository) return undefined
  return { root: realFolder(sharedFolderOf(repository)), origin: originOf(repository.commonDir) }
}

/** Where git cannot say it, what has no git directory above it is outside. */
const unlessOutside = (cwd: string) => (error: unknown) => {
  if (AgentMailError.is(error) && error.details?.isCertain) return undefined
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git')) || existsSync(join(folder, 'HEAD'))) throw error
    if (folder === dirname(folder)) return undefined
  }
}

function sharedFolderOf({ gitDir, commonDir, bare, worktree }: Repository): string {
  if (bare) return commonDir
  const isNamedGit = basename(commonDir) === '.git'
  if (worktree && !(isNamedGit && gitDir === commonDir)) return resolve(commonDir, worktree)
  // A git directory of another name (git init --separate-git-dir) does not tell where its main
  // worktree is, so the one place that all worktrees can find is the git directory itself.
  return isNamedGit ? dirname(commonDir) : commonDir
}

async function askForRepository(cwd: string): Promise<Repository> {
  const args = ['rev-parse', '--is-bare-repository', '--git-dir', '--git-common-dir']
  const { outcome, stdout, stderr } = await runProgram('git', args, { cwd })
  if (outcome !== 'ok') {
    const why =
      outcome === 'missing'
        ? 'git is not installed. '
        : outcome === 'timeout'
          ? 'git did not answer. '
          : ''
    const owner = stderr.includes('safe.directory')
      ? 'git does not trust this folder: see git help config, safe.directory. '
      : ''
    throw new AgentMailError(
      'not_in_repository',
      'not in a git repository',
      `${why}${owner}Go into one, or set AGENTMAIL_DIR to the folder that the agents share.`,
      { details: { isCertain: outcome === 'failed' && owner === '' } },
    )
  }
  const [isBare, ...folders] = stdout.split('\n')
  const [gitDir = '', commonDir = ''] = folders.map((line) => resolve(cwd, line))
  const isPlainCheckout =
    isBare === 'false' && gitDir === commonDir && basename(commonDir) === '.git'
  return { gitDir, commonDir, ...(isPlainCheckout ? { bare: false } : await readCore(commonDir)) }
}

async function readCore(commonDir: string): Promise<Pick<Repository, 'bare' | 'worktree'>> {
  const file = join(commonDir, 'config')
  const { stdout } = await runProgram('git', [
    'config',
    '--file',
    file,
    '--get-regexp',
    '^core\\.(bare|worktree)$',
  ])
  const value = (key: string) =>
    stdout
      .split('\n')
      .findLast((line) => line.startsWith(`core.${key} `))
      ?.slice(key.length + 6)
  const worktree = value('worktree')
  return { bare: value('bare') === 'true', ...(worktree ? { worktree } : {}) }
}

/** The folders that the repository around `cwd` is checked out in; nothing outside a repository. */
export async function worktrees(cwd: string): Promise<string[]> {
  const repository = readRepository(cwd)
  const known = repository && checkedOut(repository)
  if (known) return known
  const { stdout } = await runProgram('git', ['worktree', 'list', '--porcelain', '-z'], { cwd })
  return stdout
    .split('\0')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
}

/**
 * The root of a repository that tracks the folder or anything in it, but for a .gitignore; nothing where none does.
 * It is read from git's index: to start git would cost more than a whole command, and could run what a repository configures.
 */
export function trackedFrom(folder: string): string | undefined {
  const place = join(realFolder(dirname(folder)), basename(folder))
  for (let root = place; ; root = dirname(root)) {
    const gitDir = gitDirAt(root)
    if (gitDir !== undefined && isTracked({ root, gitDir }, place)) return root
    if (root === dirname(root)) return undefined
  }
}

/** Without links, where it is there. */
function realFolder(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** So that nothing runs that a repository configures. */
const unconfigured = ['-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null']

interface Checkout {
  root: string
  gitDir: string
}

function isTracked(checkout: Checkout, place: string): boolean {
  const index = indexOf(checkout.gitDir)
  if (!index) return isInHead(checkout, place)
  const path = inBytes(place.slice(checkout.root.length).replace(/^\//, ''))
  const isAnyCase = ignoresCase(place)
  const isThere = index.toString('latin1').includes(path)
  // In the fourth format paths are cut, and a part of a split one is elsewhere: they have to be read.
  const isKnown = index.length >= 12 && (index[7] === 2 || index[7] === 3)
  if (!isThere && !isAnyCase && isKnown && !isPerhapsSplit(index)) return false
  const isBelow = pathTest(path, isAnyCase)
  try {
    const { paths, base } = entriesOf(index, isOfSha256(checkout.gitDir) ? 32 : 20)
    if (paths.some(isBelow)) return true
    return base !== undefined && isInBase(checkout, base, isBelow)
  } catch {
    return true // it is in no format that is known: nobody can say that it is not
  }
}

/** Without an index, as before the first `git add`, or in a repository that was packed up without it. */
function isInHead({ root, gitDir }: Checkout, place: string): boolean {
  if (!mayHaveCommits(gitDir)) return false
  const path = place.slice(root.length + 1)
  const args = ['-C', root, ...unconfigured, 'ls-tree', '-r', '--name-only', '-z', 'HEAD']
  const { outcome, stdout } = runProgramAlone('git', [...args, '--', path || '.'])
  const isOther = (entry: string) => entry === '' || entry === `${path}/.gitignore`
  return outcome !== 'ok' || !stdout.split('\0').every(isOther)
}

function mayHaveCommits(gitDir: string): boolean {
  const isThere = (name: string) => existsSync(join(gitDir, name))
  const [, branch] = /^ref: (\S+)/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8')) ?? []
  return !branch || [branch, 'packed-refs', 'reftable', 'commondir'].some(isThere)
}

function indexOf(gitDir: string): Buffer | undefined {
  try {
    return readFileSync(join(gitDir, 'index'))
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** A character a byte, as paths are compared here. */
const inBytes = (path: string): string =>
  /^[\x20-\x7e]*$/.test(path) ? path : Buffer.from(path).toString('latin1')

/** By its mark and a size that fits behind it, since to read all entries of a large index takes long. */
function isPerhapsSplit(index: Buffer): boolean {
  const next = (from: number) => index.indexOf('link\0', from, 'latin1')
  for (let at = next(12); at !== -1 && at + 8 < index.length; at = next(at + 1)) {
    const size = index.readUInt32BE(at + 4)
    if (size >= 20 && at + 8 + size < index.length) return true
  }
  return false
}

/** Whether other spellings of its name lead to it, too. */
function ignoresCase(place: string): boolean {
  const look = (name: string) =>
    lstatSync(join(dirname(place), name), { bigint: true, throwIfNoEntry: false })
  const other = look(basename(place).toUpperCase())
  return other !== undefined && isSameFile(other, look(basename(place)))
}

function pathTest(path: string, isAnyCase: boolean): (entry: string) => boolean {
  const spelled = (text: string) => (isAnyCase ? text.toLowerCase() : text)
  const wanted = spelled(path)
  const within = wanted === '' ? '' : `${wanted}/`
  return (entry) => {
    const found = spelled(entry)
    return found !== `${within}.gitignore` && (found === wanted || found.startsWith(within))
  }
}

/** What an index holds: its paths, byte by byte, and where the rest is if it was split. */
function entriesOf(index: Buffer, hashBytes: number): { paths: string[]; base?: string } {
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new RangeError()
  const paths: string[] = []
  let at = 12
  for (let entry = 0, path = ''; entry < count; entry++) {
    const isExtended = (index.readUInt16BE(at + 40 + hashBytes) & 0x4000) > 0
    let start = at + 42 + hashBytes + (isExtended ? 2 : 0)
    let kept = 0
    if (version === 4) {
      const cut = numberAt(index, start)
      kept = path.length - cut.value
      start = cut.end
    }
    const end = index.indexOf(0, start)
    if (end === -1) throw new RangeError()
    path = path.slice(0, kept) + index.toString('latin1', start, end)
    paths.push(path)
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  while (at + 8 <= index.length - hashBytes) {
    const size = index.readUInt32BE(at + 4)
    if (index.toString('latin1', at, at + 4) === 'link') {
      return { paths, base: index.toString('hex', at + 8, at + 8 + hashBytes) }
    }
    at += 8 + size
  }
  return { paths }
}

/** As git writes lengths: seven bits a byte, each but the last with one to be added. */
function numberAt(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start
  let byte = bytes.readUInt8(at++)
  let value = byte & 127
  while (byte & 128) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, end: at }
}

/** What was taken out of a split index is still in its base, so git itself has to say. */
function isInBase({ root, gitDir }: Checkout, base: string, isBelow: (path: string) => boolean) {
  const index = readFileSync(join(gitDir, `sharedindex.${base}`))
  if (!entriesOf(index, base.length / 2).paths.some(isBelow)) return false
  const args = ['-C', root, ...unconfigured, 'ls-files', '-z']
  const { outcome, stdout } = runProgramAlone('git', args)
  const paths = stdout.split('\0').map(inBytes)
  return outcome !== 'ok' || paths.some(isBelow)
}
