/** The one error type, and the one table of codes that says how each is answered. */

/** The exit code of the command line, the status of an HTTP answer, and the name in an answer of JSON. */
const usual = { exit: 1, http: 400, json: 'internal_error' }

/** JSON names what a caller could have avoided, or can do something about. */
const table = {
  already_running: { ...usual, exit: 2 },
  auth_required: { ...usual, json: 'auth_required' },
  bad_answer: usual,
  bad_config: usual,
  busy: usual,
  conflict: { ...usual, http: 409, json: 'conflict' },
  database_locked: { ...usual, exit: 4 },
  database_lost: { ...usual, exit: 5, http: 503 },
  database_unreadable: { ...usual, exit: 5 },
  internal: { ...usual, http: 500 },
  invalid_request: { ...usual, json: 'invalid_request' },
  invalid_status: usual,
  mcp_unavailable: usual,
  message_too_large: usual,
  missing_arguments: usual,
  model_unavailable: usual,
  no_message: usual,
  not_found: { ...usual, http: 404, json: 'not_found' },
  not_in_repository: usual,
  not_in_tmux: { ...usual, exit: 2 },
  not_registered: usual,
  parse_error: { ...usual, json: 'parse_error' },
  permission_denied: { ...usual, json: 'permission_denied' },
  port_in_use: { ...usual, exit: 3 },
  rate_limited: { ...usual, json: 'rate_limited' },
  recipient_not_found: usual,
  self_send: usual,
  send_failed: { ...usual, json: 'send_failed' },
  server_config: { ...usual, exit: 2 },
  server_refused: usual,
  server_unreachable: usual,
  storage: { ...usual, http: 503 },
  tmux_lost: { ...usual, exit: 2 },
  unwritable: usual,
}

export type ErrorCode = keyof typeof table

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(table, text)

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
    return table[this.code].exit
  }

  get httpStatus(): number {
    return table[this.code].http
  }

  /** As a program reads it, for the toolsets that answer errors as JSON. */
  get json(): { error: string; message: string; details: unknown } {
    const stop = /[.?!]$/.test(this.message) ? '' : '.'
    const message = this.next ? `${this.message}${stop} ${this.next}` : this.message
    return { error: table[this.code].json, message, details: this.details ?? null }
  }

  /**
   * Whether it is one of ours, with one of these codes if any are named. Built entries carry a copy
   * of this class each, so `instanceof` would miss a sibling's error.
   */
  static is(error: unknown, ...codes: ErrorCode[]): error is AgentMailError {
    if (!(error instanceof Error) || error.name !== 'AgentMailError') return false
    return codes.length === 0 || ('code' in error && codes.some((code) => code === error.code))
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
