/** agentmail vault: make a vault of notes, look into it, search it, check it. */
import { optionsOf } from '../../../config.ts'
import type { Command } from '../../command.ts'
import { runSubcommand } from '../../subcommands.ts'

export const command: Command = {
  usage: 'init <path> | ls [folder] | search <words> | check',
  summary: 'Make a vault of Markdown notes, list and search it, find what cannot be read.',
  details: `The vault is the folder that VAULT_PATH or --vault names; agentmail mcp obsidian serves it to agents.

init makes the folders that agents and a person work in (Needs_Action, Drafts, Approved, Done, Logs)
and Rules.md, an example of rules for mail. What is there stays as it is.
ls lists the notes in a folder and below it; --filter status:pending those with that front matter.
search finds the notes that hold every word, in path, front matter values or body, best first.
check lists every note that cannot be read, with line and column.`,
  exitCodes: { 1: 'check: there are such notes', 2: 'there is no vault' },
  maxPositionals: Number.POSITIVE_INFINITY,
  options: {
    ...optionsOf('vault'),
    filter: { type: 'string', value: 'field:value', about: 'ls: by a value of the front matter' },
    limit: { type: 'string', value: 'n', about: 'ls, search: so many at most (search: 20)' },
  },

  async run(call) {
    const { vaultCommands } = await import('./commands.ts')
    const next = 'Write agentmail vault init <path>, ls, search <words> or check.'
    return runSubcommand('vault', vaultCommands, call, next)
  },
}
