/** agentmail name: say who you are, or be called something that holds. */
import { Config } from '../../config.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { AgentMailError } from '../../errors.ts'
import { checkHasName, giveName, whoAmI } from '../../mailbox/agent.ts'
import { joinOffice } from '../../mailbox/member.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '[<name>] [--clear]',
  summary: 'Give this tmux pane the name that others write to, or say who you are.',
  details: [
    'Your name is AGENTMAIL_AGENT, else what this command gave the pane (the tmux option @agentmail_name),',
    "else that of the window. Two panes of a window with names of their own are two agents. A window's only",
    'pane names the window too, which tmux then no longer renames.',
  ].join('\n'),
  options: {
    clear: { type: 'boolean', about: 'take the name of this pane away' },
  },
  maxPositionals: 1,

  async run({ flags, positionals: [name], json }) {
    const given = new Config()
    const config = await withOwnName(given)
    const isClearing = flags.clear === true
    if (isClearing && name !== undefined) {
      throw new AgentMailError('invalid_request', 'give a name, or --clear', 'Not both.')
    }
    if (isClearing || name !== undefined) await giveName(config, name)
    else checkHasName(config)
    const office = await PostOffice.locate(config).catch((error) => {
      if (AgentMailError.is(error, 'not_in_repository')) return undefined // a pane is named anywhere
      throw error
    })
    const { agent } = office
      ? await joinOffice(config, Promise.resolve(office))
      : { agent: await whoAmI(config) }
    const source = config === given ? agent.source : 'session'
    if (json) printJson({ name: agent.name, source, pane: agent.pane })
    else print(`${agent.name} (${source})`)
    return 0
  },
}
