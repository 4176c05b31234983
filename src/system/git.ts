/** Where a repository keeps what all its worktrees share. */
import { basename, dirname, join, resolve } from 'node:path'
import { AgentMailError } from '../errors.ts'
import { checkedOut, type Repository, readRepository } from './repository.ts'
import { runProgram } from './run-program.ts'

/**
 * The folder that holds `.agentmail/` for the repository around `cwd`: the root of its main
 * worktree, wherever in whichever worktree `cwd` is; for a bare repository, the repository itself.
 */
export async function sharedFolder(cwd: string): Promise<string> {
  const { gitDir, commonDir, bare, worktree } = readRepository(cwd) ?? (await askForRepository(cwd))
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
