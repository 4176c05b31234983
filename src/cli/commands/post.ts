/** agentmail post: say something in a coordination channel. */

import { ask } from '../../connection/acting.ts'
import { AgentMailError } from '../../errors.ts'
import { type Command, flagText } from '../command.ts'
import { acting, actingOptions } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { pipedText } from '../piped-text.ts'

export const command: Command = {
  usage: '<subject> [<body>] [--channel <name>] [--as <name>]',
  summary: 'Post a message to a coordination channel.',
  details:
    'Text piped to standard input is the body; if there is none, the second argument is. It holds at most 64KB.',
  options: {
    channel: { type: 'string', value: 'name', about: 'where to (default: broadcast)' },
    ...actingOptions,
  },
  maxPositionals: 2,

  async run({ flags, positionals: [subject, word], json }) {
    const body = (await pipedText(word !== undefined)) ?? word
    if (!subject || !body) {
      throw new AgentMailError(
        'missing_arguments',
        subject ? 'body is required' : 'subject is required',
        'For example: agentmail post "Build is green" "Commit 4f2a passed all tests"',
      )
    }
    return acting(flags, async (connection, { agent_id }) => {
      const channel = flagText(flags.channel)
      const answer = await ask(connection, 'send_message', { agent_id, channel, subject, body })
      if (json) printJson(answer)
      else print(`Message #${answer.message_id} posted`)
      return 0
    })
  },
}
