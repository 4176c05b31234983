/** agentmail changes: which changes to files were announced. */
import { sleep } from '../../clock.ts'
import type { ChangeEntry } from '../../coordination/changes.ts'
import { AgentMailError } from '../../errors.ts'
import type { Connection } from '../../server/connection.ts'
import type { Command } from '../command.ts'
import { ask, connected, pageOf, pageOptions, placeOptions, textOf } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { line, localTime, table } from '../table.ts'

const lookMs = 1000

export const command: Command = {
  usage: '[--agent <name|id>] [--since <time>] [--follow]',
  summary: 'Show the changes that agents announced.',
  details:
    'Without --since or --after-id: the newest. --follow goes on with what comes; with --json, one change a line.',
  options: {
    agent: { type: 'string', value: 'name|id', about: 'only changes by this agent' },
    ...pageOptions,
    ...placeOptions,
  },

  run: ({ flags, json }) =>
    connected(flags, async (connection) => {
      const agent_id = await idOf(connection, textOf(flags.agent))
      const first = await ask(connection, 'get_changes', { ...pageOf(flags), agent_id })
      if (!flags.follow) {
        if (json) printJson(first)
        else if (first.changes.length === 0) print('No changes')
        else {
          const names = await namesOf(connection)
          print(
            table(
              ['ID', 'TIME', 'AGENT', 'FILE', 'SUMMARY'],
              first.changes.map((change) => row(change, names)),
            ),
          )
        }
        return 0
      }
      let after_id = pageOf(flags).after_id ?? 0
      for (let { changes } = first; ; ) {
        const names = changes.length > 0 ? await namesOf(connection) : new Map()
        for (const change of changes)
          json ? printJson(change) : print(row(change, names).map(line).join('  '))
        after_id = changes.at(-1)?.id ?? after_id
        if (changes.length === 0) await sleep(lookMs)
        changes = (await ask(connection, 'get_changes', { after_id, agent_id })).changes
      }
    }),
}

const row = (change: ChangeEntry, names: Map<string, string>): string[] => [
  `#${change.id}`,
  localTime(change.announced_at),
  names.get(change.agent_id) ?? change.agent_id,
  change.file_path,
  change.summary,
]

async function namesOf(connection: Connection): Promise<Map<string, string>> {
  const { agents } = await connection.agents({ known: true })
  return new Map(agents.map(({ agent_id, name }) => [agent_id, name]))
}

async function idOf(
  connection: Connection,
  agent: string | undefined,
): Promise<string | undefined> {
  if (agent === undefined) return undefined
  const { agents } = await connection.agents({ known: true })
  const found =
    agents.find(({ agent_id }) => agent_id === agent) ??
    agents.findLast(({ name }) => name === agent)
  if (found) return found.agent_id
  throw new AgentMailError(
    'invalid_request',
    `there is no agent "${agent}"`,
    'agentmail agents lists those that are registered.',
  )
}
