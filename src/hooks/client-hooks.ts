/** The shape of a client's hooks, and the forms in which clients read an answer. */
import type { HookAnswer, Moment } from '../sessions/moment.ts'

/** The JSON that a client gave, as it came: every field may be anything. */
export type HookInput = Readonly<Record<string, unknown>>

/** One client: its events and tools, and what it listens to. */
export interface ClientHooks {
  /** The event, where the input does not name it as most do. */
  eventOf?(input: HookInput): string | undefined
  /** The event before a tool is used. */
  beforeTool: string
  momentOf(event: string, input: HookInput): Moment
  /** Empty where nothing is to be said, or nothing could be heard at this event. */
  answerAt(event: string, answer: HookAnswer): object
}

/** The first of these fields that is a text and not empty. */
export function fieldText(input: HookInput, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = input[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** The events that begin and end a session and a turn mean the same to all who have them. */
export const lifeOf = (input: HookInput) => ({
  start: { kind: 'session-start' } as const,
  prompt: { kind: 'prompt' } as const,
  turnEnd: { kind: 'turn-end', isAgain: input.stop_hook_active === true } as const,
  end: { kind: 'session-end' } as const,
})

export const signOfLife: Moment = { kind: 'sign-of-life' }
export const permission: Moment = { kind: 'permission' }

/** For the model to know; nothing where there is no text. */
export const contextAt = (event: string, text: string | undefined): object =>
  text ? { hookSpecificOutput: { hookEventName: event, additionalContext: text } } : {}

/** The tool is not to run. */
export const denialAt = (event: string, reason: string): object => ({
  hookSpecificOutput: {
    hookEventName: event,
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
})

/** The turn is not to end yet. */
export const goingOn = (reason: string | undefined): object =>
  reason ? { decision: 'block', reason } : {}
