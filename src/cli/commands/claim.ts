/** agentmail claim: claim files before you change them. */
import { AgentMailError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { acting, actingOptions, ask } from '../coordination.ts'
import { print, printError, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { line } from '../table.ts'

export const command: Command = {
  usage: '<file>… [--as <name>] [--hold]',
  summary: 'Claim files before you change them.',
  details:
    'Exit code 0: all are yours. 1: another agent holds some of them, which are told.\nA claim lasts while its agent shows signs of life, at least every 2 minutes; --hold gives them, and\nreleases what it claimed when it is stopped.',
  options: {
    hold: { type: 'boolean', about: 'stay, keep the claims alive, and release them on Ctrl-C' },
    ...actingOptions,
  },
  maxPositionals: 1000,

  run: ({ flags, positionals, json }) =>
    acting(flags, async (connection, { agent_id }) => {
      if (positionals.length === 0) throw noFiles('claim')
      const { files, spelling } = await projectPaths(positionals)
      const { claimed, conflicts } = await ask(connection, 'claim_files', { agent_id, files })
      const answer = {
        claimed: claimed.map(spelling),
        conflicts: conflicts.map((conflict) => ({ ...conflict, file: spelling(conflict.file) })),
      }
      if (json) printJson(answer)
      else {
        for (const file of answer.claimed) print(`Claimed ${line(file)}`)
        for (const { file, holder_name, held_by } of answer.conflicts) {
          printError(`Conflict: ${line(file)} is held by ${line(holder_name)} (${held_by})`)
        }
      }
      if (flags.hold && answer.claimed.length > 0) {
        connection.keepAlive(agent_id)
        if (!json) print('Holding them. Ctrl-C releases them.')
        const alive = setInterval(() => {}, 60_000)
        await new Promise((resolve) => {
          for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
        })
        clearInterval(alive)
        await ask(connection, 'release_files', { agent_id, files: claimed })
      }
      return answer.conflicts.length > 0 ? 1 : 0
    }),
}

export const noFiles = (verb: string) =>
  new AgentMailError(
    'missing_arguments',
    'files is required',
    `For example: agentmail ${verb} src/parser.ts`,
  )
