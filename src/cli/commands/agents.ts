/** agentmail agents: everybody, of the mailbox and of coordination. */
import type { DirectoryEntry } from '../../addresses/directory.ts'
import { Config } from '../../config.ts'
import { listOf } from '../../connection/acting.ts'
import type { Command } from '../command.ts'
import { connectedIfThere, meanwhile, placeOptions } from '../coordination.ts'
import { print, printJson, printTable } from '../output.ts'
import { localTime } from '../table.ts'
import { everybodyOf, recipientsHere } from '../who-is-here.ts'

export const command: Command = {
  usage: '',
  summary: 'List everybody: the windows and agents of the mailbox, and the registered agents.',
  details:
    'WHERE is a tmux pane (tmux %5) or outside tmux; registered where that is not known, as of clients by\nHTTP, and mailbox where nothing else is. STATE is what an agent said (ready, work, offline), or silent\nwhere it was not heard of for 30 minutes. UNREAD counts its mailbox and its channel @name. Whoever is\nin the mailbox and registered from the same place is one line; other namesakes are two.\nWith --project: the registered agents of that project.',
  options: placeOptions,

  async run({ flags, json }) {
    const config = new Config(flags)
    const [agents, recipients] = await Promise.all([
      connectedIfThere(flags, (connection) => listOf(connection.standings())),
      meanwhile(async () => (flags.project === undefined ? recipientsHere(config) : [])),
    ])
    const all = everybodyOf(config, agents ?? [], recipients)
    if (json) printJson({ agents: all })
    else if (all.length === 0) print('No agents are registered')
    else printTable(header, all.map(rowOf))
    return 0
  },
}

const header = ['NAME', 'ROLE', 'WHERE', 'STATE', 'UNREAD', 'FILES', 'LAST HEARD OF', 'AGENT ID']

const rowOf = (entry: DirectoryEntry): string[] => [
  ...[entry.name, entry.role ?? '', entry.where, entry.state ?? ''],
  ...[String(entry.unread), String(entry.claims)],
  ...[entry.last_heard ? localTime(entry.last_heard) : '', entry.agent_id ?? ''],
]
