/** agentmail demo: a whole run from the inbox to an approved reply, in a folder of its own. */
import type { Command } from '../../command.ts'

export const command: Command = {
  usage: '[--yes]',
  summary: 'Try e-mail: three mails, a drafted reply, your approval. No account, no key.',
  details: `Makes a temporary folder with a vault and three mails, works them by rules, and shows the reply that was
drafted. Approve it with the command that is printed (or Enter); it goes out as an .eml file. Nothing leaves
your machine, and the folder stays, so that you can look around in it.

Without a terminal it waits a minute for the approval. With --json it prints one event a line; \`approve\` has
the command that approves.`,
  exitCodes: { 0: 'the reply went out', 1: 'nothing was sent' },
  options: { yes: { type: 'boolean', about: 'approve the reply without asking' } },

  async run(call) {
    const { runDemo } = await import('./run.ts')
    return runDemo(call)
  },
}
