/** Errors as JSON with a code, for toolsets whose callers are programs. */
import type { AgentMailError, ErrorCode } from '../errors.ts'

/** Every other error is one that the caller could not have avoided. */
const toldCodes: ErrorCode[] = [
  'auth_required',
  'conflict',
  'invalid_request',
  'not_found',
  'parse_error',
  'permission_denied',
  'rate_limited',
  'send_failed',
]

export function inJson(error: AgentMailError | undefined): string {
  if (!error) {
    const message = 'internal error: the server has logged the details. Try again.'
    return JSON.stringify({ error: 'internal_error', message, details: null })
  }
  const code = toldCodes.includes(error.code) ? error.code : 'internal_error'
  const message = error.next ? `${error.message}. ${error.next}` : error.message
  return JSON.stringify({ error: code, message, details: error.details ?? null })
}
