/** One connection to an IMAP server, logged in. */
import { ImapFlow } from 'imapflow'
import { atLatest } from '../../system/time-limit.ts'
import { certificateRules } from '../mail-server.ts'
import { maxMailBytes } from '../raw-mail.ts'
import type { ImapAccount } from './account.ts'
import { connectError, imapError, tokenRefused } from './error.ts'

/** Of one line and of one literal, of which none is longer than what is read of a mail: what a server may make us keep in memory. */
const maxLine = maxMailBytes + (1 << 20)

const longestSetup = 20_000
const goodbyeMs = 1000

type ClientOptions = Pick<ConstructorParameters<typeof ImapFlow>[0] & object, 'maxIdleTime'>

export type LoginParts = Pick<ImapAccount, 'imap' | 'login'>

/** Nothing is sent yet. */
export function clientOf(
  { imap, login }: LoginParts,
  timeoutMs: number,
  options: ClientOptions = {},
): ImapFlow {
  const setup = Math.min(timeoutMs, longestSetup)
  const { host, port, isSecure, isLoopback } = imap
  const client = new ImapFlow({
    host,
    port,
    secure: isSecure,
    // A password goes over an encrypted connection only, unless the server is on this machine.
    ...(!isSecure && !isLoopback && { doSTARTTLS: true }),
    tls: certificateRules(imap),
    auth:
      'token' in login
        ? { user: login.user, accessToken: login.token }
        : { user: login.user, pass: login.pass },
    // Whose machine this is, and what runs on it, is nobody's business.
    clientInfo: { name: 'AgentMail', version: false, vendor: false, 'support-url': false },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: setup,
    greetingTimeout: setup,
    maxLineLength: maxLine,
    maxLiteralSize: maxLine,
    maxResponseSize: 2 * maxLine,
    ...options,
  })
  client.on('error', () => {}) // whoever waits is told; what nobody waits for is noticed at the next use
  return client
}

/** Connects and logs in within the time. */
export async function loggedIn(
  client: ImapFlow,
  { login }: LoginParts,
  timeoutMs: number,
): Promise<void> {
  try {
    await atLatest(timeoutMs, client.connect(), () => {
      throw Object.assign(new Error('too late'), { code: 'ETIMEOUT' })
    })
  } catch (error) {
    client.close()
    throw 'token' in login && takesNoToken(client) ? tokenRefused() : connectError(error, login)
  }
}

/** What it takes is known once it has greeted us. */
const takesNoToken = ({ capabilities }: ImapFlow): boolean =>
  capabilities.size > 0 &&
  ![...capabilities.keys()].some((name) => /^AUTH=(?:OAUTHBEARER|XOAUTH2?)$/i.test(name))

/** Whether the server answers and takes the login: connects, logs in, and out again. */
export async function tryImap(account: LoginParts, timeoutMs: number): Promise<void> {
  const client = clientOf(account, timeoutMs)
  try {
    await loggedIn(client, account, timeoutMs)
  } catch (error) {
    throw imapError(error)
  }
  await logOut(client)
}

/** Says goodbye, but does not wait long for an answer. */
export async function logOut(client: ImapFlow): Promise<void> {
  const timer = setTimeout(() => client.close(), goodbyeMs)
  await client.logout().catch(() => {})
  clearTimeout(timer)
  client.close()
}
