/** agentmail mail: log in to a mail account, read and send mail, and see what was sent. */
import { optionsOf } from '../../../config.ts'
import type { Command } from '../../command.ts'
import { runSubcommand } from '../../subcommands.ts'

const addresses = { type: 'string', value: 'addresses', isList: true } as const

export const command: Command = {
  usage:
    'login [address] | logout | status | list [query] | show <id> | send --to <address> --subject <text> [attachment…] | log | settle <id> [sent|not-sent] | sample',
  summary: 'Log in to a mail account, read and send mail, see what was sent.',
  details: `login asks for your address and your password (many services want an app password for programs), finds the
servers, tries to read and to send, and keeps what works in mail.json in your config folder, readable by you alone.
Without a terminal, the address is an argument and the password is piped in: it is never an argument. With
AGENTMAIL_MAIL_TOKEN (an OAuth access token) no password is asked for.
logout removes it. status says which service is used, and whether reading and sending work.

The mail service is the one that AGENTMAIL_MAIL names (gmail, imap, postmark, smtp or local); without it, the one that
is set up: AGENTMAIL_IMAP_URL, AGENTMAIL_SMTP_URL, POSTMARK_SERVER_TOKEN, what login has kept, else Gmail.

list finds mails (default: is:unread), newest first.
show prints one as text, which marks nothing as read.
send takes its text from --body or from standard input; attachments are paths in the vault. What
AGENTMAIL_SEND_POLICY and AGENTMAIL_SEND_TO say holds here too.
log shows what was sent, from the ledger and the audit. A mail that is "unknown" may have been sent or not.
settle asks the mail service about such a mail, or takes your word for it.
sample puts three mails into the inbox of local mail, to try all this with.`,
  exitCodes: {
    1: 'status: it does not work, or none is set up',
    3: 'send: it is not known whether it was sent; look before you send it again',
  },
  maxPositionals: Number.POSITIVE_INFINITY,
  options: {
    ...optionsOf('vault', 'gmailAccount'),
    db: { type: 'string', value: 'db', about: 'where the ledger is, instead of your own one' },
    imap: {
      type: 'string',
      value: 'url',
      about: 'login: the server to read from, imaps://host:993',
    },
    smtp: { type: 'string', value: 'url', about: 'login: the server to send by, smtps://host:465' },
    user: {
      type: 'string',
      value: 'name',
      about: 'login: your user name, if it is not the address',
    },
    to: { ...addresses, about: 'send: who gets it, comma-separated or one --to each' },
    cc: { ...addresses, about: 'send: who gets a copy' },
    bcc: { ...addresses, about: 'send: who gets a copy that nobody sees' },
    from: { type: 'string', value: 'address', about: 'send: who sends it' },
    subject: { type: 'string', value: 'text', about: 'send: what it is about' },
    body: { type: 'string', value: 'text', about: 'send: what it says, as text or HTML' },
    'reply-to': { type: 'string', value: 'id', about: 'send: the mail that it answers' },
    key: { type: 'string', value: 'text', about: 'send: the same key sends once' },
    limit: { type: 'string', value: 'n', about: 'list, log: so many at most (10, 20)' },
    page: { type: 'string', value: 'token', about: 'list: goes on where the last page ended' },
  },

  async run(call) {
    const { mailCommands } = await import('./commands.ts')
    const next =
      'Write agentmail mail login, logout, status, list, show <id>, send, log, settle <id> or sample.'
    return runSubcommand('mail', mailCommands, call, next)
  },
}
