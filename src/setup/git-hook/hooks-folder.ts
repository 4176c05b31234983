/** Where git looks for the hooks of a repository, and whose they are besides. */
import { existsSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { AgentMailError } from '../../errors.ts'
import { runProgram } from '../../system/run-program.ts'

export interface HooksFolder {
  path: string
  /** What one has to know who writes there. */
  note?: string
}

/** The one that git uses; and that of the repository, which it leaves aside where `core.hooksPath` names another. */
export async function hooksFolders(cwd: string): Promise<[HooksFolder, ...HooksFolder[]]> {
  const commonDir = await answer(cwd, 'rev-parse', '--git-common-dir')
  if (commonDir === undefined) {
    const next = 'Go into the repository that is to be guarded.'
    throw new AgentMailError('not_in_repository', 'not in a git repository', next)
  }
  const own = { path: join(resolve(cwd, commonDir), 'hooks') }
  const named = await answer(cwd, 'config', '--path', '--get', 'core.hooksPath')
  if (named === undefined) return [own]
  if (named === '' || named === '/dev/null') {
    throw new AgentMailError(
      'conflict',
      `core.hooksPath is ${JSON.stringify(named)}, so git runs no hooks here`,
      'Look at it with: git config --show-origin core.hooksPath. Take it out with: git config --unset core.hooksPath',
    )
  }
  const top = await answer(cwd, 'rev-parse', '--show-toplevel')
  const path = resolve(top ?? resolve(cwd, commonDir), named)
  if (path === own.path) return [own]
  return [
    { path, note: await noteOn(path, { top, named, commonDir: resolve(cwd, commonDir) }) },
    own,
  ]
}

async function noteOn(
  path: string,
  place: { top: string | undefined; named: string; commonDir: string },
): Promise<string> {
  const { top, named, commonDir } = place
  const isIn = (folder: string) => `${path}${sep}`.startsWith(`${folder}${sep}`)
  const hooksPath = `core.hooksPath is ${named}`
  if (isIn(commonDir)) return `${hooksPath}: the guard is there.`
  if (top === undefined || !isIn(top)) {
    return `${hooksPath}, outside this repository: the guard works in every repository that uses it.`
  }
  const others = named.startsWith('/') ? '' : ' Other worktrees have a folder of their own.'
  const ignored = await runProgram('git', ['check-ignore', '-q', join(path, 'pre-commit')], {
    cwd: top,
  })
  if (ignored.outcome === 'ok') {
    return `${hooksPath}, which git ignores: what makes that folder (husky, for one) may write it anew, and then agentmail guard install is needed again.${others}`
  }
  return `${hooksPath}, in the working tree: git shows the hook as a change. Commit it if everybody is to have the guard (it lets pass where agentmail is not installed), else leave it out of your commits.${others}`
}

/** Nothing where git has none. */
async function answer(cwd: string, ...args: string[]): Promise<string | undefined> {
  const { outcome, stdout } = await runProgram('git', args, existsSync(cwd) ? { cwd } : {})
  if (outcome === 'ok') return stdout.replace(/\n$/, '')
  if (outcome === 'failed') return undefined
  const why = outcome === 'missing' ? 'git is not installed' : 'git did not answer in time'
  throw new AgentMailError('not_in_repository', why)
}
