/** agentmail announce: tell the others what you changed in a file. */

import { ask } from '../../connection/acting.ts'
import { AgentMailError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { acting, actingOptions } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'

export const command: Command = {
  usage: '<file> <summary> [--as <name>]',
  summary: 'Announce a change to a file, so that the others can adapt.',
  options: actingOptions,
  maxPositionals: 2,

  run({ flags, positionals: [file, summary], json }) {
    if (!file || !summary) {
      throw new AgentMailError(
        'missing_arguments',
        file ? 'summary is required' : 'file_path is required',
        'For example: agentmail announce src/parser.ts "Numbers may have an exponent"',
      )
    }
    return acting(flags, async (connection, { agent_id }) => {
      const [file_path] = (await projectPaths([file])).files
      const answer = await ask(connection, 'announce_change', { agent_id, file_path, summary })
      if (json) printJson(answer)
      else print(`Change #${answer.change_id} announced`)
      return 0
    })
  },
}
