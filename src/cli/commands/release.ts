/** agentmail release: give up claims. */

import { ask } from '../../connection/acting.ts'
import type { Command } from '../command.ts'
import { acting, actingOptions } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { line } from '../table.ts'
import { noFiles } from './claim.ts'

export const command: Command = {
  usage: '<file>… [--as <name>]',
  summary: 'Release files and folders that you claimed.',
  details:
    'Releases what is yours of these, and tells which that was. With a folder, what you claimed singly below it stays.',
  options: actingOptions,
  maxPositionals: 1000,

  run({ flags, positionals, json }) {
    if (positionals.length === 0) throw noFiles('release')
    return acting(flags, async (connection, { agent_id }) => {
      const { files, spelling } = await projectPaths(positionals)
      const { released } = await ask(connection, 'release_files', { agent_id, files })
      const answer = { released: released.map(spelling) }
      if (json) printJson(answer)
      else if (answer.released.length === 0) print('None of them was yours')
      else for (const file of answer.released) print(`Released ${line(file)}`)
      return 0
    })
  },
}
