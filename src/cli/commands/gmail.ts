/** agentmail gmail: log in to a Gmail account, see whether it works, log out. */
import { optionsOf } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import type { Call, Command } from '../command.ts'

const subcommands: Record<string, (call: Call) => Promise<number>> = {
  login: async (call) => (await import('../gmail-commands.ts')).login(call),
  status: async (call) => (await import('../gmail-commands.ts')).status(call),
  logout: async (call) => (await import('../gmail-commands.ts')).logout(call),
}

export const command: Command = {
  usage: 'login | status | logout',
  summary: 'Log in to a Gmail account, see whether it works, log out.',
  details: `login wants Google's client_secret.json of an OAuth client of type "Desktop app", at GMAIL_CREDENTIALS_PATH
or as agentmail/gmail/client_secret.json in your config folder. It shows an address to open in a browser; where
that runs on another machine, paste the address that it ends at. The token is kept beside client_secret.json,
or at GMAIL_TOKEN_PATH, readable by you alone; that path wins over --account.
status tries every account, or the one that is named: the exit code is 1 if one does not work.
logout ends the login at Google and removes the token.`,
  maxPositionals: 1,
  options: {
    ...optionsOf('gmailAccount'),
    'no-browser': { type: 'boolean', about: 'login: only show the address, open no browser' },
  },

  run(call) {
    const [name] = call.positionals
    const run = name !== undefined && Object.hasOwn(subcommands, name) && subcommands[name]
    if (run && (name === 'login' || call.flags['no-browser'] === undefined)) return run(call)
    throw new AgentMailError(
      name === undefined ? 'missing_arguments' : 'invalid_request',
      name === undefined
        ? 'what is to be done with the Gmail account?'
        : run
          ? `gmail ${name} takes no --no-browser`
          : `unknown subcommand: ${name}`,
      'Write agentmail gmail login, status or logout.',
    )
  },
}
