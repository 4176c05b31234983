/** agentmail changes: which changes to files were announced. */

import { ask, listOf } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import type { ChangeEntry } from '../../coordination/changes.ts'
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { sleep } from '../../system/clock.ts'
import { type Command, flagText } from '../command.ts'
import {
  byRegistration,
  connected,
  following,
  pageOf,
  pageOptions,
  placeOptions,
} from '../coordination.ts'
import { print, printJson, printTable } from '../output.ts'
import { line, localTime } from '../table.ts'

const lookMs = 1000
/** Among so many a name that was perhaps meant is looked for. */
const mostNames = 10_000

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

  async run({ flags, json }) {
    const agent = flagText(flags.agent)
    if (flags.follow) {
      return following(flags, async (connection, from) => {
        const agent_id = await idOf(connection, agent)
        const { changes } = await ask(connection, 'get_changes', { ...from, agent_id })
        const names = await namesOf(connection, changes)
        for (const change of changes) {
          json ? printJson(change) : print(row(change, names).map(line).join('  '))
        }
        if (changes.length === 0) await sleep(lookMs)
        return changes
      })
    }
    return connected(flags, async (connection) => {
      const agent_id = await idOf(connection, agent)
      const answer = await ask(connection, 'get_changes', { ...pageOf(flags), agent_id })
      if (json) printJson(answer)
      else if (answer.changes.length === 0) print('No changes')
      else {
        const names = await namesOf(connection, answer.changes)
        const rows = answer.changes.map((change) => row(change, names))
        printTable(['ID', 'TIME', 'AGENT', 'FILE', 'SUMMARY'], rows)
      }
      return 0
    })
  },
}

const row = (change: ChangeEntry, names: Map<string, string>): string[] => [
  `#${change.id}`,
  localTime(change.announced_at),
  names.get(change.agent_id) ?? change.agent_id,
  change.file_path,
  change.summary,
]

/** Of those who announced these: no more of a long list is read or kept. */
async function namesOf(
  connection: Connection,
  changes: ChangeEntry[],
): Promise<Map<string, string>> {
  const wanted = new Set(changes.map(({ agent_id }) => agent_id))
  const names = new Map<string, string>()
  if (wanted.size === 0) return names
  for await (const { agent_id, name } of connection.agents({ known: true })) {
    if (wanted.has(agent_id)) names.set(agent_id, name)
    if (names.size === wanted.size) break
  }
  return names
}

async function idOf(
  connection: Connection,
  agent: string | undefined,
): Promise<string | undefined> {
  if (agent === undefined) return undefined
  const agents = (await listOf(connection.agents({ known: true, agent }))).sort(byRegistration)
  const found =
    agents.find(({ agent_id }) => agent_id === agent) ??
    agents.findLast(({ name }) => name === agent)
  if (found) return found.agent_id
  const names: string[] = []
  for await (const { name } of connection.agents({ known: true })) {
    if (names.push(name) >= mostNames) break
  }
  throw new AgentMailError(
    'invalid_request',
    `there is no agent "${agent}"${didYouMean(agent, names)}`,
    'agentmail agents lists those that are registered.',
  )
}
