/** Tries a login at both servers of an account before it is kept, and says which of the two did not take it. */
import { AgentMailError } from '../../../errors.ts'
import { connectionTrouble } from '../../connection-trouble.ts'
import { loginMs, type MailLogin, type MailServer, serverPlace } from '../../mail-server.ts'
import { tryServer } from '../../smtp/delivery.ts'
import { tryImap } from '../client.ts'
import type { FoundServer } from './found-server.ts'
import type { KeptLogin } from './kept-login.ts'
import type { KnownService } from './known-services.ts'

export interface LoginTrial {
  address: string
  imap: FoundServer
  smtp: FoundServer
  service: KnownService | undefined
  /** What the person says that they are called there. */
  user: string | undefined
  secret: { password: string } | { token: string }
}

export async function tryLogin(trial: LoginTrial): Promise<KeptLogin> {
  const { address, imap, smtp, secret } = trial
  const said = { imap: trial.user ?? imap.user, smtp: trial.user ?? smtp.user }
  const log = (user: string): MailLogin =>
    'token' in secret ? { user, token: secret.token } : { user, pass: secret.password }
  const read = (user: string) => outcomeOf(user, tryImap({ imap, login: log(user) }, loginMs))
  const send = (user: string) => outcomeOf(user, tryServer({ ...smtp, login: log(user) }, loginMs))

  let [reading, sending] = await Promise.all([
    read(said.imap ?? address),
    send(said.smtp ?? said.imap ?? address),
  ])
  // Many a server of one's own knows people by what stands before the @.
  const short = address.slice(0, address.lastIndexOf('@'))
  const isOwn = !trial.service && 'password' in secret
  if (isOwn && said.imap === undefined && isRefused(reading)) {
    const again = await read(short)
    if (!again.error) reading = again
  }
  // That the password is right is known by now.
  for (const user of isOwn && said.smtp === undefined && !reading.error ? [short, address] : []) {
    if (isRefused(sending) && user !== sending.user) sending = await send(user)
  }
  if (reading.error || sending.error) throw explained(trial, reading.error, sending.error)
  return {
    address,
    imap: plainly(imap),
    smtp: plainly(smtp),
    user: reading.user,
    smtpUser: sending.user === reading.user ? undefined : sending.user,
    password: 'password' in secret ? secret.password : undefined,
  }
}

interface Outcome {
  user: string
  error: AgentMailError | undefined
}

async function outcomeOf(user: string, work: Promise<void>): Promise<Outcome> {
  try {
    await work
    return { user, error: undefined }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { user, error }
  }
}

const isRefused = ({ error }: Outcome): boolean => error?.code === 'auth_required'

function explained(
  trial: LoginTrial,
  reading: AgentMailError | undefined,
  sending: AgentMailError | undefined,
): AgentMailError {
  const [reads, sends] = [
    `reading from ${serverPlace(trial.imap)}`,
    `sending by ${serverPlace(trial.smtp)}`,
  ]
  const first = reading ?? sending
  const message = !sending
    ? `${sends} works, but ${reads} does not: ${reading?.message}`
    : !reading
      ? `${reads} works, but ${sends} does not: ${sending.message}`
      : reading.message === sending.message
        ? `neither ${reads} nor ${sends} works: ${reading.message}`
        : `${reads} does not work: ${reading.message}; nor does ${sends}: ${sending.message}`
  const isLogin = [reading, sending].some((error) => error?.code === 'auth_required')
  return new AgentMailError(
    isLogin ? 'auth_required' : 'server_unreachable',
    message,
    isLogin ? loginAdvice(trial) : wayAdvice(first),
  )
}

function loginAdvice({ service, secret, user, address }: LoginTrial): string {
  if ('token' in secret) return 'Check the user and AGENTMAIL_MAIL_TOKEN: access tokens end soon.'
  const known = service?.advice === undefined ? '' : ` ${service.advice}`
  if (service?.takes === 'app') {
    return `${service.name} wants an app password instead of the usual one.${known}`
  }
  const who = user === undefined ? ` If you are not called ${address} there, give --user.` : ''
  return `Check the password; many services want an app password for programs.${known}${who}`
}

function wayAdvice(error: AgentMailError | undefined): string {
  const { isUnsafe, next } = connectionTrouble(String(error?.details?.reason ?? ''))
  return isUnsafe ? next : 'Check the network, or name other servers with --imap and --smtp.'
}

const plainly = ({ host, port, isSecure, isLoopback }: MailServer): MailServer => ({
  host,
  port,
  isSecure,
  isLoopback,
})
