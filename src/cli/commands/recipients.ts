/** agentmail recipients: who can be written to. */
import { Config } from '../../config.ts'
import { joinOffice, listRecipients } from '../../mailbox/member.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '',
  summary: 'List the agents you can write to.',
  details:
    'In tmux: the windows of this session, then agents that gave their name by AGENTMAIL_AGENT.\nNames in .agentmailignore, beside .agentmail/, are left out.',

  async run({ json }) {
    const listed = listRecipients(await joinOffice(new Config()))
    if (json) printJson(listed)
    else {
      for (const { name, is_current } of listed.recipients)
        print(is_current ? `${name} [you]` : name)
    }
    return 0
  },
}
