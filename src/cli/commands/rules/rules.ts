/** agentmail rules: try the rules for mail before they decide about any, and give editors their schema. */
import { optionsOf } from '../../../config.ts'
import { type Command, helpOf } from '../../command.ts'
import { printHelp } from '../../output.ts'
import { runSubcommand } from '../../subcommands.ts'

export const command: Command = {
  usage: 'check [--limit 50] [--inbox] | schema',
  summary:
    'See which rule of Rules.md takes which mail, and why; find what is wrong with the rules.',
  details: `check reads Rules.md of the vault that VAULT_PATH or --vault names, and says of each of the last 50 mails
which rule takes it and which of its words occur where, or which rule was the nearest and what it lacked; then
which rules took none. The mails are those that agentmail orchestrate has taken in; where there are none yet,
or with --inbox, those that the mail service has. What is wrong with a rule is told by line and column, and so
is a delegate_to that nobody is called. Nothing is changed, and nothing is sent.
schema prints the JSON Schema by which an editor checks the rules while you write; agentmail vault init puts it
beside Rules.md.`,
  exitCodes: {
    1: 'check: something is wrong with the rules, or nobody has a name that they give mail to',
    2: 'there is no vault, or a setting is wrong',
  },
  maxPositionals: Number.POSITIVE_INFINITY,
  options: {
    ...optionsOf('vault', 'gmailAccount'),
    limit: { type: 'string', value: 'n', about: 'check: so many mails (50)' },
    inbox: { type: 'boolean', about: 'check: mails of the mail service, not those in the vault' },
  },

  async run(call) {
    if (call.positionals.length === 0) {
      printHelp(helpOf('rules', command))
      return 0
    }
    const { rulesCommands } = await import('./commands.ts')
    return runSubcommand('rules', rulesCommands, call, 'Write agentmail rules check or schema.')
  },
}
