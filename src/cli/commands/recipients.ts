/** agentmail recipients: who can be written to. */
import { personOf } from '../../addresses/person.ts'
import { reachable } from '../../addresses/send.ts'
import { Config } from '../../config.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { joinOffice, warnings } from '../../mailbox/member.ts'
import type { Command } from '../command.ts'
import { registeredFor } from '../letterbox.ts'
import { print, printError, printJson } from '../output.ts'
import { line } from '../table.ts'

export const command: Command = {
  usage: '',
  summary: 'List the agents you can write to.',
  details:
    'In tmux: the windows of this session by the names that their agents have, then agents of other\nsessions and outside tmux that have used AgentMail here, and the registered agents.\nNames in .agentmailignore, beside .agentmail/, are left out. stderr tells of windows that stand outside\nthe repository, and of names that two have.',

  async run({ json }) {
    const config = await withOwnName(new Config())
    const member = await joinOffice(config)
    const registered = () => registeredFor(config)
    const listed = await reachable({ member, registered, person: personOf(config) })
    if (json) printJson(listed)
    else {
      for (const { name, is_current } of listed.recipients)
        print(is_current ? `${line(name)} [you]` : line(name))
    }
    for (const warning of await warnings(member)) printError(`warning: ${warning}`)
    return 0
  },
}
