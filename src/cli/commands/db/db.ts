/** agentmail db: look at the database of a coordination, copy it into another, or prune what is old. */
import { Config, optionsOf } from '../../../config.ts'
import type { Command } from '../../command.ts'
import { runSubcommand, type Subcommand } from '../../subcommands.ts'

const subcommands: Record<string, Subcommand> = {
  check: {
    run: async (call) => {
      const { checkDb } = await import('./check.ts')
      return checkDb(call, new Config(call.flags))
    },
  },
  copy: {
    options: ['from', 'to', 'project', 'from-project'],
    run: async (call) => {
      const { copyDb } = await import('./copy.ts')
      return copyDb(call, new Config(call.flags))
    },
  },
  prune: {
    options: ['older-than', 'dry-run', 'project'],
    run: async (call) => {
      const { pruneDb } = await import('./prune.ts')
      return pruneDb(call, new Config(call.flags))
    },
  },
}

export const command: Command = {
  usage:
    'check | copy [--from <db>] --to <db> | copy --from <db> --project <name> | prune --older-than <age> [--project <name>] [--dry-run]',
  summary:
    'Check the coordination database, copy it into another of any kind, or remove what is old.',
  details: `A <db> is the path of a SQLite file, or mysql://user:password@host:3306/database for MariaDB,
Galera, MySQL or Dolt. Without --db or --from it is the database that the settings name.

check tells the engine, the tables, the speed, the clock and how much is stored, and what is wrong.
It makes nothing and leaves nothing; to time durable writes, a row comes and goes in one transaction.

copy takes every project, message, claim, change and journal entry over, and compares all of it
afterwards, row by row. The source is only read. The target must be empty or not there yet, and no
server may be at work on it; it gets an identity of its own. Interrupted anywhere, the same command
goes on where it stopped, and until it is complete no server opens the target.

With --project, copy brings one project into the project of that name in a database that may hold
others and be at work: --to, or the one that the settings name. That project must have no messages,
changes or claims yet. The source may be of an older version.

prune removes messages, changes, journal entries, agents that went and finished sends that are older
than the age, and keys of idempotency after 7 days; in the ledger of mails too (mail.db), unless a
project is named. What is held, unread by a living name or open stays, and every mail that a person
approved. Servers go on meanwhile; interrupted anywhere, the same command goes on.`,
  exitCodes: {
    1: 'check: something is wrong; copy: it is not complete',
    4: 'the database is locked',
    5: 'the database cannot be opened',
    130: 'copy, prune: interrupted by Ctrl-C',
  },
  maxPositionals: 1,
  options: {
    ...optionsOf('db'),
    from: { type: 'string', value: 'db', about: 'copy: the database to read' },
    to: {
      type: 'string',
      value: 'db',
      about: 'copy: the database to write, empty or not there yet unless --project is given',
    },
    project: {
      type: 'string',
      value: 'name',
      about: 'copy: bring one project into this one; prune: only this project',
    },
    'from-project': {
      type: 'string',
      value: 'name',
      about: 'copy: which project of the source; default: the one that it was made for',
    },
    'older-than': {
      type: 'string',
      value: 'age',
      about: 'prune: what is older goes; 90d, 12h, 30m, or 0s for everything',
    },
    'dry-run': { type: 'boolean', about: 'prune: only tell what would go' },
  },

  run: (call) =>
    runSubcommand(
      'db',
      subcommands,
      call,
      'Write agentmail db check, agentmail db copy --from <db> --to <db>, or agentmail db prune --older-than 90d.',
    ),
}
