/** Finds the repository around a folder in git's own files, since to start git takes longer than all the rest of a command. */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Config } from '../config.ts'
import { textOfFile } from './files.ts'
import { unnameable } from './text.ts'

export interface Repository {
  /** Where this worktree keeps what is its own. */
  gitDir: string
  /** Where all worktrees keep what they share. */
  commonDir: string
  bare: boolean
  /** `core.worktree`. */
  worktree?: string
}

/** With one of these, git looks elsewhere, or otherwise. */
const steering =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|CEILING_|DISCOVERY_|OBJECT_|NAMESPACE|CONFIG|TEST_)/

/** Nothing wherever git itself has to say what holds: outside a repository, in one of somebody else, in anything unusual. */
export function readRepository(cwd: string): Repository | undefined {
  if (Object.keys(new Config().environment()).some((name) => steering.test(name))) return undefined
  return ifReadable(() => repositoryAbove(cwd))
}

/** The root of the worktree around a folder, by git's entry in it alone, spelled as the folder is; nothing outside of one. */
export function worktreeAbove(folder: string): string | undefined {
  for (let root = folder; ; root = dirname(root)) {
    if (existsSync(join(root, '.git'))) return root
    if (root === dirname(root)) return undefined
  }
}

/** The folders that it is checked out in; nothing where git itself has to say. */
export function checkedOut({ commonDir, bare, worktree }: Repository): string[] | undefined {
  if (bare || worktree !== undefined || basename(commonDir) !== '.git') return undefined
  return ifReadable(() => {
    const worktrees = join(commonDir, 'worktrees')
    const names = isFolder(worktrees) ? readdirSync(worktrees) : []
    const linked = names.flatMap((name) => textAt(join(worktrees, name, 'gitdir'))?.trimEnd() || [])
    if (!linked.every((path) => path.startsWith('/') && path.endsWith('/.git'))) return undefined
    return [dirname(commonDir), ...linked.map(dirname).sort()]
  })
}

/** The URL of `origin`, as git's configuration of the repository has it; what that includes is not read. */
export const originOf = (commonDir: string): string | undefined =>
  ifReadable(() => {
    const config = textAt(join(commonDir, 'config')) ?? ''
    let isOrigin = false
    for (const line of config.replaceAll(/\\\r?\n/g, '').split(/\r?\n/)) {
      const [, section, rest = line] =
        /^\s*\[\s*([^\]"\s]+(?:\s+"(?:[^"\\]|\\.)*")?)\s*\](.*)$/.exec(line) ?? []
      if (section) isOrigin = /^[Rr][Ee][Mm][Oo][Tt][Ee](?:\s+"origin"|\.origin)$/.test(section)
      const [, value] = /^\s*url\s*=\s*(.*)$/i.exec(rest) ?? []
      if (isOrigin && value) return plainValue(value)
    }
    return undefined
  })

/** Without quotes, escapes, and the comment behind it. */
function plainValue(value: string): string {
  const parts = value.match(/"(?:[^"\\]|\\.)*"?|\\.|[^"\\#;]+|[#;].*/g) ?? []
  const end = parts.findIndex((part) => /^[#;]/.test(part))
  return (end === -1 ? parts : parts.slice(0, end))
    .map((part) => part.replace(/^"(.*?)"?$/s, '$1').replaceAll(/\\(.)/gs, '$1'))
    .join('')
    .trim()
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined // not ours to read, or gone meanwhile
  }
}

function repositoryAbove(cwd: string): Repository | undefined {
  const { dev } = lstatSync(cwd)
  for (let folder = cwd; ; folder = dirname(folder)) {
    const there = lstatSync(folder)
    if (there.dev !== dev) return undefined // git stops where a disk begins
    const entry = lstatSync(join(folder, '.git'), { throwIfNoEntry: false })
    if (entry) return isOurs(there) && isOurs(entry) ? repositoryAt(folder, entry) : undefined
    const isPerhapsBare = lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false })
    if (isPerhapsBare || folder === dirname(folder)) return undefined
  }
}

/** git obeys nobody's repository but one's own; of others it asks `safe.directory`. */
const isOurs = ({ uid }: Stats): boolean => uid === process.geteuid?.()

function repositoryAt(folder: string, entry: Stats): Repository | undefined {
  if (entry.isSymbolicLink()) return undefined
  const gitDir = entry.isDirectory() ? join(folder, '.git') : namedIn(join(folder, '.git'))
  const shared = gitDir === undefined ? undefined : commonDirOf(gitDir)
  if (gitDir === undefined || shared === undefined || !isHead(join(gitDir, 'HEAD')))
    return undefined
  if (![gitDir, shared].every((path) => isOurs(lstatSync(path)))) return undefined
  if (!['objects', 'refs'].every((name) => isFolder(join(shared, name)))) return undefined
  const core = coreOf(textAt(join(shared, 'config')) ?? '')
  if (
    !core ||
    (core.worktree !== undefined && (core.bare || !isFolder(resolve(shared, core.worktree))))
  ) {
    return undefined
  }
  return { gitDir, commonDir: shared, ...core }
}

/** Where the worktree at this folder, if there is one, keeps what is its own. */
export const gitDirAt = (folder: string): string | undefined =>
  ifReadable(() => {
    const entry = statSync(join(folder, '.git'), { throwIfNoEntry: false })
    return entry?.isDirectory() ? join(folder, '.git') : entry && namedIn(join(folder, '.git'))
  })

/** The branch that is checked out at the root of a worktree, or the commit where none is; null where nobody can say. */
export function branchAt(root: string): string | null {
  const entry = ifReadable(() => lstatSync(join(root, '.git')))
  if (!entry?.isDirectory() && !entry?.isFile()) return null // a pipe would keep us waiting
  const gitDir = gitDirAt(root)
  const head = gitDir && ifReadable(() => textOfFile(join(gitDir, 'HEAD')))
  const [, branch, commit] =
    /^(?:ref: refs\/heads\/([^\n]{1,255})|([\da-f]{7})[\da-f]{33,57})\n?$/.exec(head ?? '') ?? []
  const name = branch ?? commit
  // git writes this where the branch is kept elsewhere.
  return name === undefined || name === '.invalid' || unnameable.test(name) ? null : name
}

/** Whether its hashes are of 32 bytes; they are of 20 otherwise. */
export function isOfSha256(gitDir: string): boolean {
  const config = textAt(join(commonDirOf(gitDir) ?? gitDir, 'config')) ?? ''
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config)
}

/** A worktree that is not the main one, and a submodule, have a file that names the folder. */
function namedIn(file: string): string | undefined {
  const [, named] = /^gitdir: ([^\r\n]+)\n*$/.exec(readFileSync(file, 'utf8')) ?? []
  return named === undefined ? undefined : realpathSync(resolve(dirname(file), named))
}

function commonDirOf(gitDir: string): string | undefined {
  const named = textAt(join(gitDir, 'commondir'))
  if (named === undefined) return gitDir
  const [, path] = /^([^\r\n]+)\n*$/.exec(named) ?? []
  return path === undefined ? undefined : realpathSync(resolve(gitDir, path))
}

const isHead = (path: string): boolean =>
  lstatSync(path).isFile() && /^(ref: refs\/|[\da-f]{40})/.test(readFileSync(path, 'utf8'))

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const textAt = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false }) && readFileSync(path, 'utf8')

/** What a plain configuration says of the worktree; nothing where it needs more than this to understand it. */
function coreOf(config: string): Pick<Repository, 'bare' | 'worktree'> | undefined {
  const core: Pick<Repository, 'bare' | 'worktree'> = { bare: false }
  let section = ''
  for (const line of config.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const [, name, subsection] = /^\[([A-Za-z\d.-]+)( +"[^"\\]*")?\]$/.exec(line) ?? []
    if (name !== undefined) {
      section = subsection === undefined ? name.toLowerCase() : ''
      if (section === 'extensions') return undefined
      continue
    }
    const [, key, value = ''] = /^([A-Za-z][A-Za-z\d-]*)(?: *= *(.*))?$/.exec(line) ?? []
    if (key === undefined || line.endsWith('\\')) return undefined
    if (section === 'core' && !take(core, key.toLowerCase(), value)) return undefined
  }
  return core
}

function take(core: Pick<Repository, 'bare' | 'worktree'>, key: string, value: string): boolean {
  if (key === 'repositoryformatversion') return value === '0' || value === '1'
  if (key === 'bare') {
    core.bare = value === 'true'
    return core.bare || value === 'false'
  }
  if (key === 'worktree') {
    core.worktree = value
    return /^[^"\\#;]+$/.test(value)
  }
  return true
}
