/** agentmail config: what is in force and where it came from; sets it for you or for a repository. */
import { optionsOf, settingNames } from '../../../config.ts'
import { settings } from '../../../settings.ts'
import type { Command } from '../../command.ts'
import { runSubcommand } from '../../subcommands.ts'

export const command: Command = {
  usage:
    '[show] | get <key> | set <key> [<value>] [--repository] | unset <key> [--repository] | path [--repository]',
  summary: 'Show the settings in force and where each came from, or set them in a file.',
  details: `A flag wins over the environment, the environment over .agentmail.toml at the root of the repository, that
over agentmail/config.toml in your config folder, and that over the default. Secrets are masked.

A <key> is the name of a setting in a file, as stale_seconds; that of its variable will do.
get prints one value in force; where there is none, nothing, with exit code 1.
set writes it into your own file, or with --repository into that of the repository, and leaves everything else
there as it is. Without <value> it is read from standard input, so that a secret is in no list of processes.
unset takes it out again. path tells where the file is.
A repository's file may set names, times and limits, but no address, token, command, policy or folder: anybody
may have written it. What is ignored in it is told.`,
  exitCodes: { 1: 'refused; get: there is no value' },
  maxPositionals: 3,
  options: {
    ...optionsOf(...settingNames.filter((name) => 'flag' in settings[name])),
    repository: { type: 'boolean', about: "set, unset, path: the repository's file, not your own" },
  },
  toleratesBadSettings: true,

  async run(call) {
    const { configCommands } = await import('./commands.ts')
    const next = 'Write agentmail config, config get <key>, set <key> <value>, unset <key> or path.'
    const meant = call.positionals.length > 0 ? call : { ...call, positionals: ['show'] }
    return runSubcommand('config', configCommands, meant, next)
  },
}
