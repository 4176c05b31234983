/** agentmail down: stop the server of the database and the mailman of this repository. */
import { Config, optionsOf } from '../../config.ts'
import { stopMailman } from '../../mailbox/mailman/in-background.ts'
import { stopServers } from '../../server/background.ts'
import { databaseOf } from '../../store/database.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'
import { officeHere } from '../overview/overview.ts'

export const command: Command = {
  usage: '[--db <file>]',
  summary:
    "Stop the server of the database and this repository's mailman, and wait for their ends.",
  details:
    'Every server on this machine that serves this database is stopped, however it was started; none that\nserves another. What is under way is finished first.\nJSON: stopped, a list of {what: server or mailman, pid, url (of a server)}.',
  options: optionsOf('db'),

  async run({ flags, json }) {
    const config = new Config(flags)
    const office = await officeHere(config)
    const mailman = office && (await stopMailman(office))
    const servers = await stopServers(config, databaseOf(config, { create: false }))
    const stopped = [
      ...servers.map(({ pid, url }) => ({ what: 'server', pid, url })),
      ...(mailman === undefined ? [] : [{ what: 'mailman', pid: mailman }]),
    ]
    if (json) printJson({ stopped })
    else {
      for (const { pid, url } of servers) print(`Stopped the server at ${url} (PID ${pid})`)
      if (mailman !== undefined) print(`Stopped the mailman (PID ${mailman})`)
      if (stopped.length === 0) print('Nothing runs')
    }
    return 0
  },
}
