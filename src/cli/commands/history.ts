/** agentmail history: who claimed, released, announced, said what, and when. */
import type { Command } from '../command.ts'
import { connected, placeOptions, textOf, timeOf } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { line, localTime, shortened } from '../table.ts'

export const command: Command = {
  usage: '[--file <path>] [--agent <name|id>] [--since <time>] [--as-of <time>]',
  summary: 'Show the audit trail: who claimed, released, announced, said what, and when.',
  options: {
    file: { type: 'string', value: 'path', about: 'only what happened to this file' },
    agent: { type: 'string', value: 'name|id', about: 'only what this agent did' },
    since: {
      type: 'string',
      value: 'time',
      about: 'only what was later, as in 2026-01-15T10:00:00Z',
    },
    'as-of': { type: 'string', value: 'time', about: 'as it stood at that time: nothing later' },
    ...placeOptions,
  },

  run: ({ flags, json }) =>
    connected(flags, async (connection) => {
      const named = textOf(flags.file)
      const [file] = named ? (await projectPaths([named])).files : []
      const entries = connection.history({
        file,
        agent: textOf(flags.agent),
        since: timeOf(flags.since),
        as_of: timeOf(flags['as-of']),
      })
      if (json) {
        const all = []
        for await (const entry of entries) all.push(entry)
        printJson(all)
        return 0
      }
      let count = 0
      for await (const { at, agent_name, event, file: path, text } of entries) {
        const about = [path, text]
          .filter((part) => part)
          .map((part) => shortened(line(part ?? ''), 200))
        print(
          `${localTime(at)}  ${line(agent_name).padEnd(16)}  ${event.padEnd(10)}  ${about.join('  ')}`.trimEnd(),
        )
        count++
      }
      if (count === 0) print('Nothing is recorded')
      return 0
    }),
}
