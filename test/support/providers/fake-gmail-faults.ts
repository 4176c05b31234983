/** Everything that can go wrong between a client and Gmail, one name each. */
import type { ServerResponse } from 'node:http'

export type Fault =
  | '400'
  | '401'
  | '403-quota'
  | '403-permission'
  | '404'
  | '429'
  | '500'
  | '502'
  | '503'
  | 'redirect'
  | 'html'
  | 'empty'
  | 'truncated'
  | 'hang'
  | 'reset'
  /** Done, and the reply lost. */
  | 'lost-reply'
  /** Done, and the reply comes late. */
  | 'slow'

export interface FaultRule {
  path?: RegExp
  method?: string
  fault: Fault
  /** How many requests it hits; all of them without it. */
  times?: number
  retryAfter?: string
  location?: string
  delayMs?: number
  /** What Google says in words, which nobody may pass on. */
  message?: string
}

export const googleError = (code: number, reason: string, status: string, message = reason) => ({
  error: { code, message, status, errors: [{ domain: 'global', reason, message }] },
})

const replies: Record<string, [number, string, string]> = {
  '400': [400, 'failedPrecondition', 'FAILED_PRECONDITION'],
  '401': [401, 'authError', 'UNAUTHENTICATED'],
  '403-quota': [403, 'userRateLimitExceeded', 'PERMISSION_DENIED'],
  '403-permission': [403, 'insufficientPermissions', 'PERMISSION_DENIED'],
  '404': [404, 'notFound', 'NOT_FOUND'],
  '429': [429, 'rateLimitExceeded', 'RESOURCE_EXHAUSTED'],
  '500': [500, 'backendError', 'INTERNAL'],
  '502': [502, 'badGateway', 'UNAVAILABLE'],
  '503': [503, 'backendError', 'UNAVAILABLE'],
}

/** Answers in place of Gmail. */
export function breakReply(rule: FaultRule, response: ServerResponse): void {
  const json = { 'content-type': 'application/json' }
  const [status, reason, word] = replies[rule.fault] ?? [0, '', '']
  if (status > 0) {
    const after = rule.retryAfter === undefined ? {} : { 'retry-after': rule.retryAfter }
    response.writeHead(status, { ...json, ...after })
    response.end(JSON.stringify(googleError(status, reason, word, rule.message)))
  } else if (rule.fault === 'redirect') {
    response.writeHead(302, { location: rule.location ?? '/elsewhere' }).end()
  } else if (rule.fault === 'html') {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html>Sign in to the hotel</html>')
  } else if (rule.fault === 'empty') {
    response.writeHead(200, json).end('{}')
  } else if (rule.fault === 'truncated') {
    response.writeHead(200, json).end('{"id": "18c2f", "thre')
  } else if (rule.fault === 'reset') {
    response.destroy()
  }
  // A hanging request is left as it is.
}
