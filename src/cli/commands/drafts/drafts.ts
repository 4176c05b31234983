/** agentmail drafts: see what waits to be sent, and approve or reject it. */
import { optionsOf } from '../../../config.ts'
import type { Command } from '../../command.ts'
import { runSubcommand } from '../../subcommands.ts'

export const command: Command = {
  usage: '[list] | show <note> | approve <note> [--version <version>] | reject <note>',
  summary: 'See the drafts that wait to be sent, and approve or reject them.',
  details: `The drafts are notes of the vault that VAULT_PATH or --vault names. <note> is the name of a note in Drafts/,
with or without .md, or a path in the vault that has a /, such as Needs_Action/invoice.md.

Edit a draft as you like before you approve it, in Obsidian or any editor: the text below the front matter is
exactly what is sent; to, cc, bcc, subject and attachments (paths in the vault) stand in the front matter. A
reply keeps the subject of the mail that it answers.

list shows what waits, urgent mail first: drafts, what is approved and not sent yet, and mails that are to
be given to an agent; then the mails that wait for you.
show prints one, its text exactly as it will be sent, and the mail that it answers.
Both give the draft's version, the beginning of a hash of all that would be sent.
approve --version approves exactly the version that you have seen, or nothing. Without it, a terminal is shown
everything that would leave and you are asked; a script has to give it. Who approves, when, and the hash are
recorded, and the note goes to Approved/, from where agentmail orchestrate sends it. If it is changed
afterwards it is not sent. A note that is blocked in Approved/ is approved there: approve Approved/<note>.
approve --agent gives a mail that waits in Needs_Action/ to an agent, by the same rules; show gives its version.
reject moves it to Done/; the mail that it would have answered waits for you again.`,
  exitCodes: { 2: 'there is no vault' },
  maxPositionals: Number.POSITIVE_INFINITY,
  options: {
    ...optionsOf('vault'),
    all: { type: 'boolean', about: 'list: also what is done' },
    agent: {
      type: 'string',
      value: 'name',
      about: 'approve: who is given a mail that is delegated, or waits',
    },
    version: {
      type: 'string',
      value: 'version',
      about: 'approve: what you have seen, as list and show give it; 16 digits or more',
    },
    by: { type: 'string', value: 'name', about: 'approve, reject: who you are (your user name)' },
    reason: { type: 'string', value: 'text', about: 'reject: why' },
  },

  async run(call) {
    const { draftCommands } = await import('./commands.ts')
    const next = 'Write agentmail drafts list, show <note>, approve <note> or reject <note>.'
    const meant = call.positionals.length > 0 ? call : { ...call, positionals: ['list'] }
    return runSubcommand('drafts', draftCommands, meant, next)
  },
}
