/** agentmail demo: a whole run from the inbox to an approved reply, or a day of agents on the page, in a folder of its own. */
import { AgentMailError } from '../../../errors.ts'
import type { Command } from '../../command.ts'

export const command: Command = {
  usage: '[--yes] | --page [--port <n>] [--still]',
  summary: 'Try e-mail, or with --page a day of agents in your browser. No account, no key.',
  details: `Makes a temporary folder with a vault and three mails, works them by rules, and shows the reply that was
drafted. Approve it with the command that is printed (or Enter); it goes out as an .eml file. Nothing leaves
your machine, and the folder stays, so that you can look around in it.

Without a terminal it waits a minute for the approval. With --json it prints one event a line; \`approve\` has
the command that approves.

With --page the folder has two repositories, a day of agents who build something in them, and e-mail to decide
about; a server shows the page on it, and the agents go on. Ctrl-C ends it and removes the folder. With --json
it prints one line when it serves.`,
  exitCodes: { 0: 'the reply went out; with --page, it was ended', 1: 'nothing was sent' },
  options: {
    yes: { type: 'boolean', about: 'approve the reply without asking' },
    page: { type: 'boolean', about: 'show the page, on a day of agents' },
    port: { type: 'string', value: 'n', about: 'the port of the page; a free one without it' },
    still: { type: 'boolean', about: 'nothing goes on while you look at the page' },
  },

  async run(call) {
    const { page, yes, port, still } = call.flags
    const misplaced = page ? { yes } : { port, still }
    for (const [name, flag] of Object.entries(misplaced)) {
      if (flag !== undefined) throw notTogether(name, page === true)
    }
    if (page) return (await import('./page.ts')).runPageDemo(call)
    return (await import('./run.ts')).runDemo(call)
  },
}

const notTogether = (name: string, isPage: boolean) =>
  new AgentMailError(
    'invalid_request',
    `--${name} is ${isPage ? 'not for --page' : 'for --page alone'}`,
    'See agentmail demo --help.',
  )
