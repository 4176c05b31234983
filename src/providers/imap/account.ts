/** The account of IMAP mail: who it is, how it logs in, and the servers that read and send. Reading needs nothing of what sending does. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { settings } from '../../settings.ts'
import { type MailLogin, type MailServer, mailServerUrl } from '../mail-server.ts'
import { isAddress } from '../own-sender.ts'
import { type SmtpServer, smtpServer } from '../smtp/url.ts'
import { type KeptLogin, keptLogin } from './login/kept-login.ts'

export interface ImapAccount {
  /** Whose it is; nothing where the user of the login is no address. */
  address: string | undefined
  imap: MailServer
  login: MailLogin
  /** Throws where no server that sends is named. */
  smtp(): SmtpServer
}

const setting = settings.imapUrl.env

/**
 * What the settings say, or else what `agentmail mail login` has kept; an error that names the next step where there is
 * neither. A password that was kept goes to the servers that it was kept with, and to no other.
 */
export function imapAccount(config: Config): ImapAccount {
  const text = config.text('imapUrl')?.trim()
  const token = config.text('mailToken')?.trim()
  if (text === undefined) return keptAccount(config, token)
  const { user, pass, ...imap } = readUrl(text)
  const login = pass === '' && token !== undefined ? { user, token } : { user, pass, setting }
  if ('pass' in login && pass === '') throw noAddress()
  const smtp = () => {
    const kept = config.text('smtpUrl') === undefined ? keptLogin(config) : undefined
    const isSame = kept?.user === user && kept.imap.host === imap.host
    return isSame ? keptSmtp(kept, token) : smtpServer(config, token)
  }
  return { address: isAddress(user) ? user : undefined, imap, login, smtp }
}

function keptAccount(config: Config, token: string | undefined): ImapAccount {
  const kept = keptLogin(config)
  if (!kept) {
    throw new AgentMailError(
      'auth_required',
      'there is no login to a mail account',
      `Run: agentmail mail login. Or set ${setting} and ${settings.smtpUrl.env}.`,
    )
  }
  const isSet = config.text('smtpUrl') !== undefined
  return {
    address: kept.address,
    imap: kept.imap,
    login: loginAs(kept.user, kept, token),
    smtp: () => (isSet ? smtpServer(config, token) : keptSmtp(kept, token)),
  }
}

const keptSmtp = (kept: KeptLogin, token: string | undefined): SmtpServer => ({
  ...kept.smtp,
  login: loginAs(kept.smtpUser ?? kept.user, kept, token),
})

function loginAs(user: string, { password }: KeptLogin, token: string | undefined): MailLogin {
  if (token !== undefined) return { user, token }
  if (password !== undefined) return { user, pass: password }
  throw new AgentMailError(
    'auth_required',
    'the login to the mail account was made with an access token, and there is none now',
    `Set ${settings.mailToken.env} to one, or run: agentmail mail login`,
  )
}

/** Errors never show the value: it holds a password. */
function readUrl(text: string) {
  const url = mailServerUrl(text, { imap: 143, imaps: 993 })
  if (url && url.user !== '') return url
  throw noAddress()
}

const noAddress = () =>
  new AgentMailError(
    'server_config',
    `${setting} is no address of a mail server with a login`,
    `Write it as imaps://user:password@host:993 or imap://user:password@host:143, with special characters of the user and the password percent-encoded (%40 for @, %23 for #). With ${settings.mailToken.env} the password is left out.`,
  )
