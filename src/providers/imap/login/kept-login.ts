/** The login of an IMAP account that `agentmail mail login` keeps: one file in the user's config folder, for its owner alone. */
import { join } from 'node:path'
import { type Config, learnSecret } from '../../../config.ts'
import { AgentMailError, hasCode } from '../../../errors.ts'
import { configFolder } from '../../../system/places.ts'
import { SecretFile } from '../../../system/secret-file.ts'
import { isRecord, jsonOf } from '../../../system/text.ts'
import { isLoopbackHost, type MailServer } from '../../mail-server.ts'

export interface KeptLogin {
  address: string
  imap: MailServer
  smtp: MailServer
  user: string
  /** Where the server that sends knows the user by another name. */
  smtpUser?: string | undefined
  /** None where the login is by AGENTMAIL_MAIL_TOKEN. */
  password: string | undefined
}

export const keptLoginPath = (config: Config): string => join(configFolder(config), 'mail.json')

/** Whether there is one, usable or not; an empty file is that of a login which was killed. */
export function hasKeptLogin(config: Config): boolean {
  const file = new SecretFile(keptLoginPath(config))
  return file.isLink() || /^\d+ \d+ [1-9]/.test(file.stamp() ?? '')
}

/** Nothing where nobody has logged in; throws where it cannot be relied on. What is read is a secret from then on. */
export function keptLogin(config: Config): KeptLogin | undefined {
  const text = textOf(config)
  if (text === undefined || text === '') return undefined
  const login = loginOf(jsonOf(text))
  if (!login) throw unusable('mail.json in your config folder is damaged')
  if (login.password !== undefined) learnSecret(login.password)
  return login
}

/** For what passes on words of others: the password is in none of them. */
export function learnKeptPassword(config: Config): void {
  try {
    keptLogin(config)
  } catch {} // what cannot be read is not used either
}

/** Replaces the one before; gives where it is. */
export async function keepLogin(config: Config, login: KeptLogin): Promise<string> {
  const path = keptLoginPath(config)
  const file = new SecretFile(path)
  if (login.password !== undefined) learnSecret(login.password)
  try {
    file.unlink()
    await file.locked(async () => file.replace(`${JSON.stringify(toFile(login), null, 2)}\n`), {
      create: true,
    })
    return path
  } catch (cause) {
    throw unwritten(cause, `the login could not be written to ${path}`, 'Make that place writable.')
  }
}

/** Whether there was one. */
export async function forgetLogin(config: Config): Promise<boolean> {
  const path = keptLoginPath(config)
  const file = new SecretFile(path)
  try {
    if (file.unlink()) return true
    if (file.stamp() === undefined) return false
    return await file.locked(async () => {
      if (file.stamp() === undefined) return false
      file.remove()
      return true
    })
  } catch (cause) {
    throw unwritten(cause, `the login at ${path} could not be removed`, 'Remove it by hand.')
  }
}

function textOf(config: Config): string | undefined {
  const path = keptLoginPath(config)
  try {
    return new SecretFile(path).readAlone()?.text
  } catch (error) {
    const isOpen = hasCode(error, 'EPERM')
    const isLink = hasCode(error, 'ELOOP')
    if (isOpen) {
      throw unusable(
        'mail.json in your config folder holds your password, and others can read it',
        'Change the password if that matters, and run: agentmail mail login',
      )
    }
    if (isLink) throw unusable('mail.json in your config folder is a link, which is not followed')
    throw unusable('mail.json in your config folder cannot be read')
  }
}

const tls = { tls: true, starttls: false } as const

function loginOf(value: unknown): KeptLogin | undefined {
  if (!isRecord(value)) return undefined
  const { address, user, smtp_user, password } = value
  const [imap, smtp] = [serverOf(value.imap), serverOf(value.smtp)]
  if (!isWord(address) || !isWord(user) || !imap || !smtp) return undefined
  if (password !== undefined && !isWord(password)) return undefined
  if (smtp_user !== undefined && !isWord(smtp_user)) return undefined
  return { address, imap, smtp, user, smtpUser: smtp_user, password }
}

function serverOf(value: unknown): MailServer | undefined {
  if (!isRecord(value)) return undefined
  const { host, port, security } = value
  if (!isWord(host) || typeof port !== 'number' || !Number.isInteger(port)) return undefined
  if (port < 1 || port > 65_535 || (security !== 'tls' && security !== 'starttls')) return undefined
  return { host, port, isSecure: tls[security], isLoopback: isLoopbackHost(host) }
}

const toFile = ({ address, imap, smtp, user, smtpUser, password }: KeptLogin) => ({
  address,
  imap: serverInFile(imap),
  smtp: serverInFile(smtp),
  user,
  smtp_user: smtpUser,
  password,
})

const serverInFile = ({ host, port, isSecure }: MailServer) => ({
  host,
  port,
  security: isSecure ? 'tls' : 'starttls',
})

/** Nothing that could end a line of a protocol. */
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !/\p{Cc}/u.test(value)

const unusable = (message: string, next = 'Run: agentmail mail login') =>
  new AgentMailError('auth_required', message, next, { details: { reason: 'bad_login' } })

function unwritten(cause: unknown, message: string, next: string): unknown {
  if (AgentMailError.is(cause) || !(cause instanceof Error) || !('code' in cause)) return cause
  return new AgentMailError('storage', `${message} (${cause.code})`, next)
}
