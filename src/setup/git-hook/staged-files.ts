/** The files that a commit would touch, as git has them at this moment: what is staged, in whichever index the commit is made from. */
import { resolve } from 'node:path'
import { AgentMailError } from '../../errors.ts'
import { textOfFile } from '../../system/files.ts'
import { runProgram } from '../../system/run-program.ts'

/**
 * From the root of the working tree, both names of what is renamed. What comes with a branch that is merged as it
 * was there is no work of this commit: of a merge, what differs from all its parents.
 */
export async function stagedFiles(cwd: string): Promise<string[]> {
  const touched = await differingFrom(cwd)
  if (touched.length === 0) return []
  let files = touched
  for (const parent of await mergedParents(cwd)) {
    const differing = new Set(await differingFrom(cwd, parent))
    files = files.filter((file) => differing.has(file))
  }
  return files
}

/** Nothing of the user's settings changes what is listed, and nothing is run that they name. */
const asItIs = [
  '--cached',
  '--name-only',
  '-z',
  '--no-renames',
  '--no-relative',
  '--no-ext-diff',
  '--ignore-submodules=all',
]

/** From the last commit, or from nothing before the first. */
async function differingFrom(cwd: string, ...commit: string[]): Promise<string[]> {
  const args = ['-c', 'core.fsmonitor=false', 'diff', ...asItIs, ...commit, '--']
  return (await answer(cwd, args)).split('\0').filter((file) => file !== '')
}

async function mergedParents(cwd: string): Promise<string[]> {
  const file = await answer(cwd, ['rev-parse', '--git-path', 'MERGE_HEAD'])
  return textOfFile(resolve(cwd, file.replace(/\n$/, ''))).match(/^[0-9a-f]{40,64}$/gm) ?? []
}

async function answer(cwd: string, args: string[]): Promise<string> {
  const { outcome, stdout, stderr } = await runProgram('git', args, { cwd })
  if (outcome === 'ok') return stdout
  const around = await runProgram('git', ['rev-parse', '--git-dir'], { cwd })
  if (around.outcome === 'failed') {
    const next = 'Go into the repository in which the commit is made.'
    throw new AgentMailError('not_in_repository', 'not in a git repository', next)
  }
  const [why = ''] = stderr.split('\n')
  const words = outcome === 'failed' ? why : `git: ${outcome}`
  throw new AgentMailError('not_in_repository', `git does not say what is staged (${words})`)
}
