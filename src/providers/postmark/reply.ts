/** What a reply of Postmark's, or the lack of one, says about a mail: sent, not sent, or nobody knows. */

import { type AgentMailError, hasCode, notSent, unclear } from '../../errors.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { type HttpReply, NoReply } from '../../system/http-request.ts'
import { redacted } from '../../system/redact.ts'
import { isRecord } from '../../system/text.ts'
import type { Receipt } from '../provider.ts'

export interface PostmarkReply extends Omit<HttpReply, 'body'> {
  /** Nothing where it is no JSON. */
  body: unknown
}

const badToken = 10
const setToken =
  'Set POSTMARK_SERVER_TOKEN to a server API token, from the API Tokens tab of a server at postmarkapp.com.'

export const tokenMissing = (words: string): AgentMailError =>
  notSent('auth_required', words, setToken)

/** Everybody knows it, so it is no secret: it is for trials. */
export const testToken = 'POSTMARK_API_TEST'

const told = (text: string, token: string): string =>
  redacted(text, token === testToken ? [] : [token])

/** Success is one thing only: a 2xx with the id of the mail and the error code 0. */
export function postmarkReceipt(reply: PostmarkReply, token: string): Receipt {
  const { status } = reply
  const body = isRecord(reply.body) ? reply.body : {}
  const code = typeof body.ErrorCode === 'number' ? body.ErrorCode : undefined
  const message = typeof body.Message === 'string' ? told(body.Message, token) : ''
  const details = code ? { postmark_code: code } : {}
  const words = message || `Postmark answered with HTTP ${status}`

  // A proxy may give up, or lead elsewhere, after it has passed the mail on.
  if (status >= 500 || status === 408 || status === 303) throw unclear(words, details)
  if (status === 401 || (code === badToken && message)) {
    throw notSent('auth_required', words, setToken, details)
  }
  if (status === 429) throw rateLimited(words, reply.retryAfterSeconds, details)
  if (status >= 400) throw notSent('send_failed', words, undefined, details)
  if (status >= 300) {
    throw notSent(
      'send_failed',
      words,
      'Set POSTMARK_BASE_URL to where the API itself is.',
      details,
    )
  }
  if (code && message) throw notSent('send_failed', message, undefined, details)
  const id = typeof body.MessageID === 'string' ? told(body.MessageID, token) : ''
  if (code !== 0 || id === '') throw unclear('Postmark answered with something that is no receipt')
  const receipt = receiptOf(id, body.SubmittedAt)
  return /^(ok|test job accepted)?\.?$/i.test(message) ? receipt : { ...receipt, remark: message }
}

/** The mail that was looked for; a service that does not know the filter answers with another one. */
export function foundIn(
  { body }: PostmarkReply,
  token: string,
  isIt: (metadata: Record<string, unknown>) => boolean,
): Receipt | undefined {
  const messages = isRecord(body) && Array.isArray(body.Messages) ? body.Messages : []
  const [found]: unknown[] = messages
  if (!isRecord(found) || !isRecord(found.Metadata) || !isIt(found.Metadata)) return undefined
  if (typeof found.MessageID !== 'string' || found.MessageID === '') return undefined
  return receiptOf(told(found.MessageID, token), found.ReceivedAt)
}

/** Postmark makes the Message-ID of its own id of the mail, whatever it is given. */
const receiptOf = (message_id: string, time: unknown): Receipt => ({
  message_id,
  thread_id: undefined,
  sent_at: timeOf(time),
  header_id: `<${message_id}@mtasv.net>`,
})

/** Postmark's own spelling of the time, if it is one. */
const timeOf = (value: unknown): string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-][\d:]{4,6})?$/.test(value)
    ? value
    : rfc3339(systemClock.now())

function rateLimited(words: string, seconds: number | undefined, details: object): AgentMailError {
  const next = `Send it again ${seconds === undefined ? 'later' : `in ${seconds} seconds`}.`
  return notSent('rate_limited', words, next, {
    ...details,
    ...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
  })
}

/** Why there was no connection, for those who have to mend it. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ABORT_ERR: 'it did not answer in time',
}

/** What an exchange without a reply means. */
export function lost(error: unknown, signal: AbortSignal): AgentMailError {
  if (error instanceof NoReply && !error.mayHaveGoneOut) {
    const { cause } = error
    const why = Object.entries(reasons).find(([code]) => hasCode(cause, code))?.[1]
    return notSent(
      'send_failed',
      `Postmark cannot be reached: ${why ?? 'the connection failed'}`,
      'Check the network and POSTMARK_BASE_URL, then send it again.',
    )
  }
  if (signal.aborted) return unclear('Postmark did not answer in time')
  return unclear('the connection to Postmark was lost before it answered')
}
