/** agentmail agents: everybody, of the mailbox and of coordination. */
import { type DirectoryEntry, directory } from '../../addresses/directory.ts'
import { Config } from '../../config.ts'
import { listOf } from '../../connection/acting.ts'
import { machineOf } from '../../connection/here.ts'
import { AgentMailError } from '../../errors.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { type RecipientEntry, recipientEntries } from '../../mailbox/recipient-entries.ts'
import { ownView } from '../../mailbox/tmux.ts'
import { systemClock } from '../../system/clock.ts'
import type { Command } from '../command.ts'
import { connectedIfThere, placeOptions } from '../coordination.ts'
import { print, printError, printJson } from '../output.ts'
import { localTime, table } from '../table.ts'

export const command: Command = {
  usage: '',
  summary: 'List everybody: the windows and agents of the mailbox, and the registered agents.',
  details:
    'WHERE is a tmux pane (tmux %5) or outside tmux; registered where that is not known, as of clients by\nHTTP, and mailbox where nothing else is. STATE is what an agent said (ready, work, offline), or silent\nwhere it was not heard of for 30 minutes. UNREAD counts its mailbox and its channel @name. Whoever is\nin the mailbox and registered from the same place is one line; other namesakes are two.\nWith --project: the registered agents of that project.',
  options: placeOptions,

  async run({ flags, json }) {
    const config = new Config(flags)
    const agents = await connectedIfThere(flags, (connection) => listOf(connection.standings()))
    const recipients = flags.project === undefined ? await recipientsOf(config) : []
    const known = { recipients, agents: agents ?? [], machine: machineOf(config) }
    const everybody = directory({ ...known, now: systemClock.now() })
    if (json) printJson({ agents: everybody })
    else if (everybody.length === 0) print('No agents are registered')
    else print(table(header, everybody.map(rowOf)))
    return 0
  },
}

/** Outside a repository there are none; a post office that cannot be used is told, and the registered are listed all the same. */
async function recipientsOf(config: Config): Promise<RecipientEntry[]> {
  try {
    const office = await PostOffice.locate(config)
    office.check()
    return recipientEntries(office, await ownView(config))
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    if (error.code !== 'not_in_repository') printError(`warning: ${error.text}`)
    return []
  }
}

const header = ['NAME', 'ROLE', 'WHERE', 'STATE', 'UNREAD', 'FILES', 'LAST HEARD OF', 'AGENT ID']

const rowOf = (entry: DirectoryEntry): string[] => [
  ...[entry.name, entry.role ?? '', entry.where, entry.state ?? ''],
  ...[String(entry.unread), String(entry.claims)],
  ...[entry.last_heard ? localTime(entry.last_heard) : '', entry.agent_id ?? ''],
]
