/** agentmail status: say whether you can be disturbed. */
import { Config } from '../../config.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { AgentMailError } from '../../errors.ts'
import { hasName } from '../../mailbox/agent.ts'
import { joinOffice, setStatus } from '../../mailbox/member.ts'
import { checkStatus } from '../../mailbox/recipient.ts'
import type { Command } from '../command.ts'
import { printJson } from '../output.ts'

export const command: Command = {
  usage: '<ready|work|offline>',
  summary: 'Say whether the mailman may nudge you.',
  details:
    'ready: nudge me when mail waits. work, offline: do not.\nOutside tmux and without AGENTMAIL_AGENT it does nothing, so that hooks can call it anywhere.',
  maxPositionals: 1,

  async run({ positionals: [status = ''], json }) {
    const config = await withOwnName(new Config())
    if (!hasName(config)) return 0
    const known = checkStatus(status)
    const member = await joinOffice(config, undefined, { isQuiet: true }).catch((error) => {
      if (AgentMailError.is(error, 'tmux_lost')) return undefined
      throw error
    })
    if (!member) return 0
    const answer = await setStatus(member, known)
    if (json) printJson(answer)
    return 0
  },
}
