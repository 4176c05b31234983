/** What a failure on the way to a mail server means: certainly not sent, or nobody knows. Its words are never passed on. */
import { type AgentMailError, notSent, unclear } from '../../errors.ts'
import { connectionTrouble, noStartTls } from '../connection-trouble.ts'
import { type MailLogin, refusedLoginAdvice } from '../mail-server.ts'

/** What nodemailer tells of a failure, as far as it is used. */
export interface SmtpFailure {
  code?: string | undefined
  /** The code of the system, where `code` is nodemailer's. */
  originalCode?: string | undefined
  /** The number of the server's reply. */
  responseCode?: number | undefined
}

export interface RefusedRecipient {
  address: string
  smtp_code: number | undefined
}

interface Attempt {
  /** Whether the server may have all of the mail. */
  isHandedOver?: boolean
  login: MailLogin | undefined
}

export function smtpError(
  failure: SmtpFailure,
  { isHandedOver = false, login }: Attempt,
): AgentMailError {
  const { code = '', responseCode = 0 } = failure
  // An answer that is out of turn says nothing about a mail on its way.
  const isInTurn = !(isHandedOver && code === 'EPROTOCOL')
  const isRefusal = isInTurn && responseCode >= 400 && responseCode < 600
  const details = detailsOf(failure)
  if (isHandedOver && !isRefusal) {
    return unclear('the mail server did not say whether it took the mail', details)
  }
  if (isRefusal && asksToWait(responseCode)) return tooMuch(details)
  if (isRefusal && code === 'ETLS') return noConnection(noStartTls, details)
  if (code === 'EAUTH' && !(isRefusal && responseCode < 500)) {
    return notSent(
      'auth_required',
      'the mail server refused the login',
      login && refusedLoginAdvice(login),
      details,
    )
  }
  if (isRefusal) {
    return notSent(
      'send_failed',
      `the mail server refused (SMTP ${responseCode})`,
      undefined,
      details,
    )
  }
  if (code === 'EMESSAGE') {
    return notSent(
      'invalid_request',
      'the mail is larger than the mail server takes',
      undefined,
      details,
    )
  }
  return noConnection(failure.originalCode ?? code, details)
}

function noConnection(code: string, details: Record<string, unknown>): AgentMailError {
  const { says, next } = connectionTrouble(code)
  return notSent('send_failed', says, next, details)
}

/** Nobody gets a mail that not everybody gets. */
export function refusedRecipients(refused: RefusedRecipient[]): AgentMailError {
  const details = { smtp_code: refused[0]?.smtp_code, refused }
  if (refused.every(({ smtp_code = 0 }) => asksToWait(smtp_code))) return tooMuch(details)
  const list = refused
    .slice(0, 10)
    .map(({ address, smtp_code }) => `${address} (SMTP ${smtp_code})`)
  const more = refused.length > 10 ? ` and ${refused.length - 10} more` : ''
  return notSent(
    'send_failed',
    `the mail server refused ${list.join(', ')}${more}; nothing was sent to anybody`,
    'Correct these recipients, or leave them out.',
    details,
  )
}

const tooMuch = (details: Record<string, unknown>) =>
  notSent('rate_limited', 'the mail server asks to try later', 'Wait a few minutes.', details)

const asksToWait = (responseCode: number) => [421, 450, 451, 452].includes(responseCode)

function detailsOf({ code, originalCode = code, responseCode }: SmtpFailure) {
  return {
    ...(responseCode && { smtp_code: responseCode }),
    ...(originalCode && /^\w+$/.test(originalCode) && { reason: originalCode }),
  }
}
