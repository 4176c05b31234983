/** What a coding client's session tells us of, and what it hears back: the same words for every client. */
import { isRecord } from '../system/text.ts'

/** The clients whose hooks are understood, each by a file in hooks/. */
export const hookClients = ['claude', 'codex', 'gemini', 'qwen', 'copilot'] as const
export type HookClient = (typeof hookClients)[number]

/** Paths as the client gave them: absolute, or relative to `cwd`. */
export type Moment =
  | { kind: 'session-start' }
  | { kind: 'prompt' }
  | { kind: 'before-edit'; paths: string[] }
  | { kind: 'after-edit'; paths: string[] }
  | { kind: 'before-shell'; command: string }
  | { kind: 'after-shell'; command: string }
  /** The tool `register` was answered with this agent, so that is who the session is. */
  | { kind: 'registered'; agentId: string }
  /** A person is asked for something, and the client waits for them. */
  | { kind: 'permission' }
  /** @property isAgain the client says that it goes on because of a hook's answer to the last end. */
  | { kind: 'turn-end'; isAgain: boolean }
  | { kind: 'session-end' }
  /** Anything else: a sign of life. `start` and `end` bracket the call of a tool that may take long. */
  | { kind: 'sign-of-life'; tool?: 'start' | 'end' }

/** A moment in a session. */
export interface SessionMoment {
  client: HookClient
  /** As the client calls its session. */
  session: string
  /** Where the client stands. */
  cwd: string
  moment: Moment
}

/** What is known of the client's process by whoever was started by it; nothing of this comes with a request of the client itself. */
export interface Surroundings {
  /** AGENTMAIL_AGENT. */
  name?: string | undefined
  /** The tmux pane, with the name it or its window has, and whether that was given to it. */
  tmux?: { pane: string; server: number; name: string; isGiven?: boolean } | undefined
  guard?: string | undefined
  autoClaim?: string | undefined
}

/** What the client is to hear. Nothing of it: it goes on as if nobody had been asked. */
export interface HookAnswer {
  /** The edit is not to be made, and why. */
  refusal?: string
  /** For the model to know. */
  context?: string
  /** At the end of a turn: the mail for which the client goes on. */
  mail?: string
}

/** Beside the arguments of a tool: the session in which it was called, where one of our own processes passes a call on. */
export const passedOnAs = 'agentmail/session'

/** What a call carries beside its arguments where a connection makes it to keep an agent alive, and not the agent. */
export const keptMeta = { 'agentmail/keeps-alive': true }
export const isKeptCall = (meta: unknown): boolean =>
  isRecord(meta) && meta['agentmail/keeps-alive'] === true
