/** agentmail projects: list the projects of the database, or give one another name. */
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Command } from '../command.ts'
import { connected, placeOptions } from '../coordination.ts'
import { print, printJson, printTable } from '../output.ts'
import { line, localTime } from '../table.ts'

export const command: Command = {
  usage: '[rename <old> <new>]',
  summary: 'List the projects of the database, or give one another name.',
  details:
    'Every repository is a project of its own: its worktrees and the clones of its origin are the same one.\nROOTS are its folders on the machine of the server or the database. After rename, the old name leads to it too.',
  maxPositionals: 3,
  options: placeOptions,

  run: ({ flags, positionals: [verb, from, to], json }) =>
    connected(flags, async (connection) => {
      if (verb !== undefined) {
        if (verb !== 'rename') {
          const hint = didYouMean(verb, ['rename'])
          throw misuse('invalid_request', `unknown subcommand: ${verb}${hint}`)
        }
        if (!from || !to) throw misuse('missing_arguments', 'which project, and its new name?')
        await connection.renameProject(from, to)
        if (json) printJson({ name: to })
        else print(`${line(from)} is ${line(to)} now`)
        return 0
      }
      const { projects } = await connection.projects()
      if (json) {
        printJson({ projects })
        return 0
      }
      const rows = projects.map(({ name, roots, agents, messages, last_activity }) => [
        ...[line(name), String(agents), String(messages)],
        last_activity === null ? '-' : localTime(last_activity),
        roots.map(line).join(', '),
      ])
      printTable(['PROJECT', 'AGENTS', 'MESSAGES', 'LAST ACTIVITY', 'ROOTS'], rows)
      return 0
    }),
}

const misuse = (code: 'invalid_request' | 'missing_arguments', message: string) =>
  new AgentMailError(
    code,
    message,
    'Write agentmail projects, or agentmail projects rename <old> <new>.',
  )
