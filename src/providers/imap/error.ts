/** What a failure at an IMAP server means, and how that is told. The server's own words are not passed on. */
import { AgentMailError } from '../../errors.ts'
import { isRecord } from '../../system/text.ts'
import { connectionTrouble, noStartTls } from '../connection-trouble.ts'
import { type MailLogin, refusedLoginAdvice } from '../mail-server.ts'

/** A command that the server has answered with no. */
export class ImapRefusal extends Error {
  /** The server's word for it, in capitals; empty where it gave none. */
  readonly reason: string

  constructor(reason: string) {
    super('the IMAP server refused a command')
    this.reason = reason
  }
}

/** For a command that may be refused: nothing then. */
export function ifRefused(error: unknown): undefined {
  if (!(error instanceof ImapRefusal)) throw error
}

/** The connection is of no more use; whoever waited for an answer may ask again on a new one. */
export class BrokenConnection extends Error {
  readonly timedOut: boolean

  constructor(timedOut: boolean, cause?: unknown) {
    super('the connection to the IMAP server broke', { cause })
    this.timedOut = timedOut
  }
}

/** What went wrong with a command, in words; what is no failure of the server's is passed on. */
export function imapError(error: unknown): unknown {
  if (error instanceof ImapRefusal) return refusal(error.reason)
  return error instanceof BrokenConnection ? unreachable(error) : error
}

/** What it means that no connection could be made, or none with this login. */
export function connectError(error: unknown, login: MailLogin): AgentMailError | BrokenConnection {
  const facts = factsOf(error)
  // Of connections there may be too many; of anything else a limit does not pass.
  const isTooMuch = isBusy(facts.serverCode) || facts.serverCode === 'LIMIT'
  if (isTooMuch || facts.code === 'ETHROTTLE') return tooMuch()
  if (facts.isLogin) return loginRefused(facts.serverCode, login)
  const { says, next, isUnsafe, isLate } = connectionTrouble(facts.code)
  if (isUnsafe) {
    const details = { reason: facts.code }
    return new AgentMailError('internal', says, next, { details })
  }
  if (facts.status !== '') return refusal(facts.serverCode)
  return new BrokenConnection(isLate, error)
}

/** The refusal in a failed command, if it is one. */
export function refusalIn(error: unknown): ImapRefusal | undefined {
  const { status, serverCode } = factsOf(error)
  return status === '' ? undefined : new ImapRefusal(serverCode)
}

function unreachable({ timedOut, cause }: BrokenConnection): AgentMailError {
  const { code } = factsOf(cause)
  const reason = code === '' && timedOut ? 'ETIMEOUT' : code
  const { says, next } = connectionTrouble(reason)
  const details = reason === '' ? {} : { reason }
  return new AgentMailError('internal', says, next, { details })
}

function refusal(reason: string): AgentMailError {
  const details = { reason: reason === '' ? 'refused' : reason.toLowerCase() }
  if (isBusy(reason)) return tooMuch()
  const known = refusals.get(reason)
  if (known) return new AgentMailError(known[0], known[1], known[2], { details })
  return new AgentMailError('internal', 'the mail server refused', undefined, { details })
}

type Words = [code: 'permission_denied' | 'storage' | 'conflict', message: string, next: string]

const refusals = new Map<string, Words>([
  ['NOPERM', ['permission_denied', 'the mail server does not allow this', 'Ask who runs it.']],
  ['OVERQUOTA', ['storage', 'the mail account is full', 'Delete mail, or get more room for it.']],
  ['NONEXISTENT', ['conflict', 'the folder was removed meanwhile', 'Try again.']],
  ['TRYCREATE', ['conflict', 'the folder was removed meanwhile', 'Try again.']],
  ['ALREADYEXISTS', ['conflict', 'somebody else made that folder meanwhile', 'Try again.']],
  ['LIMIT', ['storage', 'the mail server can keep no more of this', 'Ask who runs it.']],
  ['INUSE', ['conflict', 'another program uses that folder', 'Try again.']],
])

const isBusy = (reason: string): boolean => /^(?:THROTTLED|INUSE_LIMIT)$/.test(reason)

const tooMuch = () =>
  new AgentMailError('rate_limited', 'the mail server asks to try later', 'Wait a few minutes.')

function loginRefused(reason: string, login: MailLogin): AgentMailError {
  if (reason === 'UNAVAILABLE' || reason === 'INUSE') {
    return new AgentMailError(
      'internal',
      'the mail server cannot check the login at the moment',
      'Try again later.',
    )
  }
  const services =
    'Many services want an app password instead of the usual one, or IMAP switched on in their settings.'
  const next = `${refusedLoginAdvice(login)}${'token' in login ? '' : ` ${services}`}`
  return new AgentMailError('auth_required', 'the mail server refused the login', next)
}

export const tokenRefused = () =>
  new AgentMailError(
    'auth_required',
    'the mail server takes no access tokens',
    'Take AGENTMAIL_MAIL_TOKEN out of the settings, and run: agentmail mail login',
  )

interface Facts {
  code: string
  /** NO or BAD, of a command that was answered. */
  status: string
  serverCode: string
  isLogin: boolean
}

/** What imapflow tells of a failure, as far as it is used. */
function factsOf(error: unknown): Facts {
  const told: Record<string, unknown> = isRecord(error) ? error : {}
  const word = (value: unknown) => (/^\w{1,40}$/.test(String(value ?? '')) ? String(value) : '')
  const code = word(told.code)
  return {
    code: code === '' && told.tlsFailed === true ? noStartTls : code,
    status: word(told.responseStatus),
    serverCode: word(told.serverResponseCode).toUpperCase(),
    isLogin: told.authenticationFailed === true,
  }
}
