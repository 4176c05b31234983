/** agentmail agents: who is registered for coordination. */

import { listOf } from '../../connection/acting.ts'
import type { Command } from '../command.ts'
import { byRegistration, connected, placeOptions } from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { localTime, table } from '../table.ts'

export const command: Command = {
  usage: '',
  summary: 'List the agents that are registered for coordination.',
  details: 'Asks the running server, or reads the database of this repository.',
  options: placeOptions,

  run: ({ flags, json }) =>
    connected(flags, async (connection) => {
      const agents = (await listOf(connection.agents())).sort(byRegistration)
      if (json) printJson({ agents })
      else if (agents.length === 0) print('No agents are registered')
      else {
        const rows = agents.map((agent) => [
          agent.name,
          agent.role,
          agent.last_seen ? localTime(agent.last_seen) : '',
          String(agent.claims),
          agent.agent_id,
        ])
        print(table(['NAME', 'ROLE', 'LAST SEEN', 'CLAIMS', 'AGENT ID'], rows))
      }
      return 0
    }),
}
