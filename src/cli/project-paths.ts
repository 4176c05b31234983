/** Paths on a command line are meant from the current folder; coordination knows them from the root of the project. */
import { relative, sep } from 'node:path'
import { isAbsolute } from '../coordination/paths.ts'
import { worktrees } from '../mailbox/git.ts'

export interface ProjectPaths {
  /** As coordination knows them. */
  files: string[]
  /** How the caller wrote one of them. */
  spelling(file: string): string
}

/** Unchanged at the root of a worktree, and outside a repository. */
export async function projectPaths(spellings: string[]): Promise<ProjectPaths> {
  const folder = spellings.every(isAbsolute) ? '' : await folderInProject(process.cwd())
  const isPlain = (spelling: string) => folder === '' || isAbsolute(spelling)
  const files = spellings.map((spelling) =>
    isPlain(spelling) ? spelling : `${folder}/${spelling}`,
  )
  const written = new Map(files.map((file, index) => [file, spellings[index] ?? file]))
  return { files, spelling: (file) => written.get(file) ?? file }
}

async function folderInProject(cwd: string): Promise<string> {
  const root = (await worktrees(cwd))
    .filter((one) => cwd === one || cwd.startsWith(`${one}${sep}`))
    .sort((a, b) => b.length - a.length)[0]
  return root === undefined ? '' : relative(root, cwd).split(sep).join('/')
}
