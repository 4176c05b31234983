/** Paths on a command line are meant from the current folder; coordination knows them from the root of the project. */
import { relative, resolve, sep } from 'node:path'
import { isAbsolute } from '../coordination/paths.ts'
import { worktrees } from '../system/git.ts'

export interface ProjectPaths {
  /** As coordination knows them. */
  files: string[]
  /** How the caller wrote one of them. */
  spelling(file: string): string
}

/** Unchanged where they mean the same, outside a repository, and where they leave it. */
export async function projectPaths(spellings: string[]): Promise<ProjectPaths> {
  if (spellings.length === 0) return { files: [], spelling: (file) => file }
  const cwd = process.cwd()
  const roots = (await worktrees(cwd)).sort((a, b) => b.length - a.length)
  const files = spellings.map((spelling) => fromRoot(spelling, cwd, roots))
  const written = new Map(files.map((file, index) => [file, spellings[index] ?? file]))
  return { files, spelling: (file) => written.get(file) ?? file }
}

function fromRoot(spelling: string, cwd: string, roots: string[]): string {
  const path = resolve(cwd, spelling.replace(/(^|\/)\*\*\/*$/, '$1'))
  const isBelow = (folder: string, root: string) =>
    folder === root || folder.startsWith(`${root}${sep}`)
  const root = roots.find((one) => isBelow(path, one))
  if (root === undefined || (!isAbsolute(spelling) && cwd === root)) return spelling
  const file = relative(root, path).split(sep).join('/') || '.'
  return isFolder(spelling) ? `${file}/` : file
}

/** Whether a spelling says that it is a folder, whatever is there: `src/`, `src/**`, `.` and `..`. */
const isFolder = (spelling: string): boolean => /(?:^|\/)(?:\.{0,2}|\*\*)\/*$/.test(spelling)
