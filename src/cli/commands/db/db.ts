/** agentmail db: look at the database of a coordination, or copy it into another. */
import { Config, optionsOf } from '../../../config.ts'
import { AgentMailError } from '../../../errors.ts'
import type { Call, Command } from '../../command.ts'

const subcommands: Record<string, (call: Call, config: Config) => Promise<number>> = {
  check: async (call, config) => {
    const { checkDb } = await import('./check.ts')
    return checkDb(call, config)
  },
  copy: async (call, config) => {
    const { copyDb } = await import('./copy.ts')
    return copyDb(call, config)
  },
}

export const command: Command = {
  usage: 'check [--db <db>] | copy [--from <db>] --to <db>',
  summary: 'Check the coordination database, or copy it into another of any kind.',
  details: `A <db> is the path of a SQLite file, or mysql://user:password@host:3306/database for MariaDB,
Galera, MySQL or Dolt. Without --db or --from it is the database that the settings name.

check tells the engine, the tables, the speed, the clock and how much is stored, and what is wrong.
It makes nothing and leaves nothing; to time durable writes, a row comes and goes in one transaction.

copy takes every project, message, claim, change and journal entry over, and compares all of it
afterwards, row by row. The source is only read. The target must be empty or not there yet, and no
server may be at work on it; it gets an identity of its own. Interrupted anywhere, the same command
goes on where it stopped, and until it is complete no server opens the target.`,
  exitCodes: {
    1: 'check: something is wrong; copy: it is not complete',
    4: 'the database is locked',
    5: 'the database cannot be opened',
    130: 'copy: interrupted by Ctrl-C',
  },
  maxPositionals: 1,
  options: {
    ...optionsOf('db'),
    from: { type: 'string', value: 'db', about: 'copy: the database to read' },
    to: {
      type: 'string',
      value: 'db',
      about: 'copy: the database to write, empty or not there yet',
    },
  },

  run(call) {
    const [name] = call.positionals
    const run = name !== undefined && Object.hasOwn(subcommands, name) && subcommands[name]
    if (run) return run(call, new Config(call.flags))
    throw new AgentMailError(
      name === undefined ? 'missing_arguments' : 'invalid_request',
      name === undefined ? 'what is to be done with the database?' : `unknown subcommand: ${name}`,
      'Write agentmail db check, or agentmail db copy --from <db> --to <db>.',
    )
  },
}
