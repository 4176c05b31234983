/** git, and its guard: whether commits of what others hold are refused. */
import { AgentMailError } from '../../../errors.ts'
import { guardStatus } from '../../../setup/git-hook/git-hook.ts'
import { currentFolder } from '../../../system/post-office-folder.ts'
import { runProgram } from '../../../system/run-program.ts'
import { type Check, type Checked, off, ok, problem, warn } from '../check.ts'

export const gitCheck: Check = {
  name: 'git',
  async look() {
    const { outcome, stdout } = await runProgram('git', ['--version'])
    if (outcome === 'ok') return [ok('git', stdout.trim().replace(/^git version /, ''))]
    const says = outcome === 'missing' ? 'is not installed' : 'does not answer'
    return [problem('git', says, 'Install it: repositories are found by it.')]
  },
}

const install = 'agentmail guard install brings it up to date.'

export const guardCheck: Check = {
  name: 'guard',
  async look({ config }) {
    const found = await statusHere()
    if ('check' in found) return [found]
    const { hook, state, isRun, note } = found
    if (state === 'none') {
      const advice = 'agentmail guard install has git refuse commits of files that others hold.'
      return [off('guard', 'git has none in this repository', advice)]
    }
    if (state === 'changed') {
      const advice =
        'Take your lines out of it, into a hook of your own; then: agentmail guard install'
      return [warn('guard', `${hook} was changed since it was written`, advice)]
    }
    if (!isRun) return [warn('guard', `git does not run ${hook}: it is not executable`, install)]
    if (state === 'old') return [warn('guard', `${hook} is of another version`, install)]
    const isOff = config.text('guard')?.trim().toLowerCase() === 'off'
    const says = isOff ? `${hook}, and AGENTMAIL_GUARD is off` : hook
    return [ok('guard', note === null ? says : `${says}. ${note}`)]
  },
}

async function statusHere(): Promise<Awaited<ReturnType<typeof guardStatus>> | Checked> {
  try {
    return await guardStatus(currentFolder())
  } catch (error) {
    if (AgentMailError.is(error, 'not_in_repository')) return off('guard', 'this is no repository')
    if (!AgentMailError.is(error)) throw error
    return warn('guard', error.message, error.next ?? '')
  }
}
