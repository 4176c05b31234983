/** What went wrong with a request to Gmail, and how that is told. Google's own words are not passed on. */

import { AgentMailError, type ErrorCode, notSent, unclear } from '../../errors.ts'
import { secondsOf } from '../../system/http-request.ts'
import { isRecord } from '../../system/text.ts'

export interface Fault {
  /** Of the reply; nothing where none came. */
  status: number | undefined
  /** Google's word for it; empty where it gave none that is safe to repeat. */
  reason: string
  isQuota: boolean
  retryAfterSeconds: number | undefined
  /** It is certain that the request never left: no name, no connection. */
  neverLeft: boolean
  timedOut: boolean
}

const quotaReasons = [
  'ratelimitexceeded',
  'userratelimitexceeded',
  'dailylimitexceeded',
  'quotaexceeded',
  'resourceexhausted',
]

export function faultIn(error: unknown): Fault {
  const response = isRecord(error) && isRecord(error.response) ? error.response : undefined
  const status = typeof response?.status === 'number' ? response.status : undefined
  const words = reasonsIn(response?.data)
  return {
    status,
    reason: words[0] ?? '',
    isQuota:
      status === 429 ||
      (status === 403 && words.some((word) => quotaReasons.includes(plain(word)))),
    retryAfterSeconds: retryAfter(response?.headers),
    neverLeft: status === undefined && causes(error).some(isBeforeRequest),
    timedOut:
      status === undefined && causes(error).some(({ name }) => /^(Abort|Timeout)Error$/.test(name)),
  }
}

const plain = (word: string) => word.toLowerCase().replace(/_/g, '')

function reasonsIn(data: unknown): string[] {
  const error = isRecord(data) && isRecord(data.error) ? data.error : {}
  const lists = [error.errors, error.details].flatMap((list) => (Array.isArray(list) ? list : []))
  const words = [...lists.map((entry) => (isRecord(entry) ? entry.reason : '')), error.status]
  return words
    .filter((word) => typeof word === 'string')
    .filter((word) => /^[a-z_]{1,40}$/i.test(word))
}

function retryAfter(headers: unknown): number | undefined {
  if (!isRecord(headers) || typeof headers.get !== 'function') return undefined
  return secondsOf(String(headers.get('retry-after') ?? ''))
}

function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  return chain
}

/** No address, no connection, or a certificate that was refused before anything was said. */
function isBeforeRequest(error: Error): boolean {
  const call = 'erroredSysCall' in error ? error.erroredSysCall : undefined
  const code = 'code' in error ? String(error.code) : ''
  return (
    call === 'connect' ||
    call === 'getaddrinfo' ||
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code) ||
    /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)
  )
}

const permit = (reason: string): string =>
  /^(accessNotConfigured|SERVICE_DISABLED)$/.test(reason)
    ? 'Enable the Gmail API in the Google Cloud project of the client, and wait a minute.'
    : 'Run `agentmail gmail login` and leave every permission ticked that it asks for.'

/** For everything but sending: what was asked for can be asked for again. */
export function readError(fault: Fault): AgentMailError {
  const { status, reason } = fault
  if (fault.isQuota) return rateLimited(fault, (...told) => new AgentMailError(...told))
  const word = reason === '' ? '' : ` (${reason})`
  if (status === 401) {
    const message = 'Gmail does not accept the token of this account'
    return new AgentMailError('auth_required', message, 'Run `agentmail gmail login`.')
  }
  if (status === 403) {
    const message = `the account does not permit this${word}`
    return new AgentMailError('permission_denied', message, permit(reason))
  }
  if (status === 404) {
    const next = 'List the mails to see which there are; a deleted mail is gone.'
    return new AgentMailError('not_found', 'no such mail', next)
  }
  if (status === 409) return new AgentMailError('conflict', `Gmail reports a conflict${word}`)
  if (status === 400) {
    const message = `Gmail refused the request${word}`
    return new AgentMailError('invalid_request', message, 'Check the arguments.')
  }
  return new AgentMailError('internal', failure(fault), 'Try again later.')
}

/** For sending: only what certainly was not taken is `notSent`. */
export function sendError(fault: Fault): AgentMailError {
  const { status, reason } = fault
  if (fault.isQuota) return rateLimited(fault, notSentAs)
  const word = reason === '' ? '' : ` (${reason})`
  if (status === 401) {
    const message = 'Gmail does not accept the token of this account; nothing was sent'
    return notSent('auth_required', message, 'Run `agentmail gmail login`, then send again.')
  }
  if (status === 403) {
    const message = `the account does not permit sending${word}; nothing was sent`
    return notSent('permission_denied', message, permit(reason))
  }
  if (status === 404) {
    const message = 'the mail or thread that this one answers is gone; nothing was sent'
    return notSent('not_found', message, 'Send it as a new mail, without a mail to reply to.')
  }
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    const message = `Gmail refused the mail${word || ` with status ${status}`}; nothing was sent`
    return notSent('send_failed', message, 'Check the addresses, the subject and the size.')
  }
  if (fault.neverLeft) {
    const message = 'Gmail could not be reached; nothing was sent'
    return notSent('send_failed', message, 'Check the network and GMAIL_BASE_URL, then send again.')
  }
  return unclear(failure(fault))
}

const notSentAs = (
  code: ErrorCode,
  message: string,
  next: string,
  { details }: { details: Record<string, unknown> },
) => notSent(code, `${message}; nothing was sent`, next, details)

function rateLimited<Told>(
  { retryAfterSeconds }: Fault,
  tell: (
    code: ErrorCode,
    message: string,
    next: string,
    options: { details: Record<string, unknown> },
  ) => Told,
): Told {
  const isKnown = retryAfterSeconds !== undefined
  const next = isKnown ? `Wait ${retryAfterSeconds} s, then try again.` : 'Wait, then try again.'
  const details = isKnown ? { retry_after_seconds: retryAfterSeconds } : {}
  return tell('rate_limited', "the account's quota at Gmail is used up for now", next, { details })
}

function failure({ status, timedOut, neverLeft }: Fault): string {
  if (timedOut) return 'Gmail did not answer in time'
  if (neverLeft) return 'Gmail could not be reached'
  if (status === undefined) return 'the connection to Gmail broke off'
  return status >= 300 && status < 400
    ? `Gmail answered with a redirect (status ${status}), which is not followed`
    : `Gmail answered with status ${status}`
}
