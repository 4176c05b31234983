/** Clones of one origin, whose agents have mailboxes and no tmux. */
import { join } from 'node:path'
import { agentmail, type Env, type RunOptions } from '../agentmail.ts'
import { git, repository } from '../mailbox/tmux.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { mailboxesIn } from './address-place.ts'

/** Gives what makes one more clone. */
export function clonesOfOne(env: Env) {
  const origin = join(temporaryFolder(), 'shop.git')
  git(repository(), 'clone', '--quiet', '--bare', '.', origin)
  return () => {
    const folder = join(temporaryFolder(), 'clone')
    git('/', 'clone', '--quiet', origin, folder)
    const run = (args: string[], options: RunOptions = {}) =>
      agentmail(args, { cwd: folder, ...options, env: { ...env, ...options.env } })
    return { folder, ...mailboxesIn({ run }) }
  }
}
