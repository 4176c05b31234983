/** What goes wrong with a running server, in words. */
import { AgentMailError } from '../../errors.ts'
import { type HttpReply, NoReply } from '../../system/http-request.ts'
import { isRecord, jsonOf } from '../../system/text.ts'

/** What the server refuses, in its words. */
export function refusal({ status, body }: HttpReply, url: string): AgentMailError {
  const answer = jsonOf(body ?? '')
  const { message: told, data } = isRecord(answer) && isRecord(answer.error) ? answer.error : {}
  const given = typeof told === 'string' ? told : undefined
  if (isRecord(answer) && answer.status === lostCode) return lostAs(answer.message, answer)
  if (isRecord(data) && data.code === lostCode) return lostAs(given)
  const words = given ?? `it answered with HTTP status ${status}`
  if (status === 401) {
    return new AgentMailError(
      'server_refused',
      `the server at ${url} wants another token`,
      'Set AGENTMAIL_TOKEN to the token that the server was started with.',
    )
  }
  if (status >= 400 && status < 500) return new AgentMailError('server_refused', words)
  if (status === 503 && given) {
    const [message = '', next] = given.split('\n')
    return new AgentMailError('storage', message, next)
  }
  return unreachable(url, words)
}

const lostCode = 'database_lost'

/** @param health what its server said of itself, where it was asked that. */
function lostAs(words: unknown, health?: Record<string, unknown>): AgentMailError {
  const [message = '', next] = String(words).split('\n')
  return new AgentMailError(lostCode, message, next, health && { details: health })
}

export function reasonOf(error: unknown): string {
  const cause = error instanceof NoReply ? error.cause : error
  if (error instanceof NoReply && error.isLate) return 'it did not answer in time'
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && cause.code !== 'ABORT_ERR' ? String(cause.code) : cause.message
}

/** @param isUnasked nobody has heard the question. */
export const unreachable = (url: string, why: string, isUnasked = false) =>
  new AgentMailError(
    'server_unreachable',
    `the server at ${url} cannot be reached (${why})`,
    'Check that it runs (agentmail serve) and that the address is right.',
    { details: { isUnasked } },
  )
