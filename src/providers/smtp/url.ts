/** Where mail is handed over by SMTP, read from the one setting that says it. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { settings } from '../../settings.ts'
import { type MailLogin, type MailServer, mailServerUrl } from '../mail-server.ts'

export interface SmtpServer extends MailServer {
  login: MailLogin | undefined
}

const setting = settings.smtpUrl.env

/**
 * Errors never show the value: it holds a password.
 *
 * @param token with which a user without a password logs in.
 */
export function smtpServer(config: Config, token?: string): SmtpServer {
  const text = config.text('smtpUrl')?.trim()
  if (text === undefined) {
    throw new AgentMailError(
      'server_config',
      `${setting} is not set`,
      'Set it to the mail server that sends: smtp://user:password@host:587, or smtps://…:465.',
    )
  }
  const server = read(text, token)
  if (server) return server
  throw new AgentMailError(
    'server_config',
    `${setting} is no address of a mail server`,
    'Write it as smtp://user:password@host:587 or smtps://user:password@host:465, with special characters of the user and the password percent-encoded (%40 for @, %23 for #).',
  )
}

function read(text: string, token: string | undefined): SmtpServer | undefined {
  const url = mailServerUrl(text, { smtp: 587, smtps: 465 })
  if (!url) return undefined
  const { user, pass, ...server } = url
  if (user !== '' && pass !== '') return { ...server, login: { user, pass, setting } }
  if (user !== '' && token !== undefined) return { ...server, login: { user, token } }
  return user === '' && pass === '' ? { ...server, login: undefined } : undefined
}
