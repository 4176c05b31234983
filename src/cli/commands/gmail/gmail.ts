/** agentmail gmail: log in to a Gmail account, see whether it works, log out. */
import { optionsOf } from '../../../config.ts'
import type { Command } from '../../command.ts'
import { runSubcommand } from '../../subcommands.ts'

export const command: Command = {
  usage: 'login | status | logout',
  summary: 'Log in to a Gmail account, see whether it works, log out.',
  details: `login wants Google's client_secret.json of an OAuth client of type "Desktop app", at GMAIL_CREDENTIALS_PATH
or as agentmail/gmail/client_secret.json in your config folder. It shows an address to open in a browser; where
that runs on another machine, paste the address that it ends at. The token is kept beside client_secret.json,
or at GMAIL_TOKEN_PATH, readable by you alone; that path wins over --account.
status tries every account, or the one that is named.
logout ends the login at Google and removes the token.`,
  exitCodes: { 1: 'status: an account does not work' },
  maxPositionals: 1,
  options: {
    ...optionsOf('gmailAccount'),
    'no-browser': { type: 'boolean', about: 'login: only show the address, open no browser' },
  },

  async run(call) {
    const { gmailCommands } = await import('./commands.ts')
    const next = 'Write agentmail gmail login, status or logout.'
    return runSubcommand('gmail', gmailCommands, call, next)
  },
}
