/** agentmail claims: who holds which files. */
import type { Command } from '../command.ts'
import { ask, connected, placeOptions } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { localTime, table } from '../table.ts'

export const command: Command = {
  usage: '[<file>…]',
  summary: 'Show which files are claimed, and by whom.',
  options: placeOptions,
  maxPositionals: 1000,

  run: ({ flags, positionals, json }) =>
    connected(flags, async (connection) => {
      const { files } = await projectPaths(positionals)
      const answer = await ask(connection, 'get_file_claims', files.length > 0 ? { files } : {})
      if (json) printJson(answer)
      else if (answer.claims.length === 0) print('No claims')
      else {
        const rows = answer.claims.map((claim) => [
          claim.file_path,
          claim.holder_name,
          localTime(claim.claimed_at),
        ])
        print(table(['FILE', 'HELD BY', 'SINCE'], rows))
      }
      return 0
    }),
}
