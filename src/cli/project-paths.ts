/** Paths on a command line are meant from the current folder; coordination knows them from the root of the project. */
import { relative, resolve, sep } from 'node:path'
import { isAbsolute } from '../coordination/paths.ts'
import { worktrees } from '../mailbox/git.ts'

/** Unchanged at the root of a worktree, and outside a repository. */
export async function projectPaths(paths: string[]): Promise<string[]> {
  if (paths.every(isAbsolute)) return paths
  const cwd = process.cwd()
  const roots = await worktrees(cwd)
  const root = roots
    .filter((one) => resolve(cwd, '').startsWith(`${one}${sep}`))
    .sort((a, b) => b.length - a.length)[0]
  if (!root) return paths
  const folder = relative(root, cwd).split(sep).join('/')
  return paths.map((path) => (isAbsolute(path) ? path : `${folder}/${path}`))
}
