/** The one error type, and the one table of codes that says how each is answered. */

/** Exit code of the command line for each error. */
const exitCodes = {
  already_running: 2,
  auth_required: 1,
  bad_answer: 1,
  bad_config: 1,
  busy: 1,
  conflict: 1,
  database_locked: 4,
  database_unreadable: 5,
  internal: 1,
  invalid_request: 1,
  invalid_status: 1,
  mcp_unavailable: 1,
  message_too_large: 1,
  missing_arguments: 1,
  model_unavailable: 1,
  no_message: 1,
  not_found: 1,
  not_in_repository: 1,
  not_in_tmux: 2,
  not_registered: 1,
  parse_error: 1,
  permission_denied: 1,
  port_in_use: 3,
  rate_limited: 1,
  recipient_not_found: 1,
  self_send: 1,
  send_failed: 1,
  server_config: 2,
  server_refused: 1,
  server_unreachable: 1,
  storage: 1,
  tmux_lost: 2,
  unwritable: 1,
} as const

export type ErrorCode = keyof typeof exitCodes

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(exitCodes, text)

interface ErrorContext extends ErrorOptions {
  details?: Record<string, unknown>
}

/**
 * An error that a caller is meant to read: `message` says what is wrong in the words of the
 * contract, `next` says what to do about it.
 *
 * @example throw new AgentMailError('recipient_not_found', 'recipient not found', 'List the recipients to see who can be reached.')
 */
export class AgentMailError extends Error {
  readonly code: ErrorCode
  readonly next: string | undefined
  /** What a program may want to know of it, for the toolsets that answer errors as JSON. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, message: string, next?: string, options: ErrorContext = {}) {
    super(message, options)
    this.name = 'AgentMailError'
    this.code = code
    this.next = next
    this.details = options.details
  }

  /** What a caller sees: the words, then the next step on a line of its own. */
  get text(): string {
    return this.next ? `${this.message}\n${this.next}` : this.message
  }

  get exitCode(): number {
    return exitCodes[this.code]
  }

  /** Built entries carry a copy of this class each, so `instanceof` would miss a sibling's error. */
  static is(error: unknown): error is AgentMailError {
    return error instanceof Error && error.name === 'AgentMailError'
  }
}

/** `tmux_lost` where a session was there and is gone. */
export const notInTmux = (next: string, code: 'not_in_tmux' | 'tmux_lost' = 'not_in_tmux') =>
  new AgentMailError(code, 'agentmail must run inside a tmux session', next)

/** Whether an error of Node's file system or process calls carries this code. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** It is certain that nothing was sent. */
export const notSent = (
  code: ErrorCode,
  message: string,
  next?: string,
  details: Record<string, unknown> = {},
): AgentMailError =>
  new AgentMailError(code, message, next, { details: { ...details, outcome: 'not_sent' } })

export const isNotSent = (error: unknown): error is AgentMailError =>
  AgentMailError.is(error) && error.details?.outcome === 'not_sent'

export const isUnclear = (error: unknown): error is AgentMailError =>
  AgentMailError.is(error) && error.details?.outcome === 'unknown'

/** Perhaps it was sent, perhaps not. */
export const unclear = (message: string, details: Record<string, unknown> = {}): AgentMailError =>
  new AgentMailError('send_failed', message, undefined, {
    details: { ...details, outcome: 'unknown' },
  })
