/** Reads what a client's hook was given, whatever that is, into a moment of its session. */
import { AgentMailError } from '../errors.ts'
import {
  type HookAnswer,
  type HookClient,
  hookClients,
  type SessionMoment,
} from '../sessions/moment.ts'
import { isRecord, jsonOf } from '../system/text.ts'
import { claudeHooks } from './claude.ts'
import { type ClientHooks, fieldText, type HookInput } from './client-hooks.ts'
import { codexHooks } from './codex.ts'
import { copilotHooks } from './copilot.ts'
import { geminiHooks } from './gemini.ts'
import { qwenHooks } from './qwen.ts'

/** What is larger is not read: an input holds whole files, and a server has many clients. */
export const maxHookBytes = 16 << 20

const clients: Record<HookClient, ClientHooks> = {
  claude: claudeHooks,
  codex: codexHooks,
  gemini: geminiHooks,
  qwen: qwenHooks,
  copilot: copilotHooks,
}

export interface ReadHook {
  told: SessionMoment
  /** The answer in the client's own form; `{}` where it could not hear any of it now. */
  inForm(answer: HookAnswer): string
  /** What somebody has answered in that form, made anew of what we say in it; nothing where it is none of ours. */
  asOurs(answer: Record<string, unknown>): string | undefined
}

export const nothingToSay = '{}'

/** @param event where the client does not say it in its input. Throws words for what is no input of a hook. */
export function readHook(client: string, text: string, event?: string): ReadHook {
  const name = hookClients.find((one) => one === client)
  if (name === undefined) {
    throw bad(`there are no hooks of ${JSON.stringify(client.slice(0, 40))}`, clientsKnown)
  }
  const input = jsonOf(text)
  if (!isRecord(input)) throw bad('the input of the hook is no JSON object', asGiven)
  const hooks = clients[name]
  const named = fieldText(input, 'hook_event_name') ?? event ?? hooks.eventOf?.(input)
  if (named === undefined) throw bad('the input of the hook names no event', asGiven)
  const moment = hooks.momentOf(named, input)
  const inForm = (answer: HookAnswer) => JSON.stringify(hooks.answerAt(named, answer))
  return {
    inForm,
    asOurs(answer) {
      const said = answerIn(answer)
      const form = said && inForm(said)
      return form === nothingToSay && Object.keys(answer).length > 0 ? undefined : form
    },
    told: { client: name, session: sessionIn(input), cwd: folderIn(input), moment },
  }
}

const eventNamed = /"(?:hook_event_name|hookName)"\s*:\s*"(\w{1,40})"/
const sessionNamed = /"(?:session_id|sessionId)"\s*:\s*"([^"\\]{1,200})"/

/** The session of an input that could not be read, as far as that can be told. */
export const sessionInUnread = (text: string): string | undefined => sessionNamed.exec(text)?.[1]

/**
 * For AGENTMAIL_GUARD=closed: an input that could not be read, and may be that of an edit, is refused.
 * @param text its beginning, where it is too large: then it is that of a tool.
 */
export function refusalOfUnread(
  client: string,
  { text, event, isTooLarge }: { text: string; event?: string | undefined; isTooLarge: boolean },
  why: string,
): string {
  const name = hookClients.find((one) => one === client)
  if (name === undefined) return nothingToSay
  const hooks = clients[name]
  const named = event ?? eventNamed.exec(text)?.[1] ?? (isTooLarge ? hooks.beforeTool : undefined)
  const refusal = `AgentMail could not read what is to be done (${why}), and AGENTMAIL_GUARD=closed refuses it then. agentmail doctor tells what is wrong.`
  return named === undefined ? nothingToSay : JSON.stringify(hooks.answerAt(named, { refusal }))
}

/** What it says; nothing where it would let something happen: we only ever refuse. */
function answerIn(answer: Record<string, unknown>): HookAnswer | undefined {
  const inner = isRecord(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {}
  const decisions = [answer, inner].flatMap((one) => [one.permissionDecision, one.decision])
  const isRefusing = (one: unknown) => one === undefined || one === 'deny' || one === 'block'
  if (!decisions.every(isRefusing)) return undefined
  const context = fieldText(inner, 'additionalContext') ?? fieldText(answer, 'additionalContext')
  if (decisions.every((one) => one === undefined)) {
    return context === undefined ? {} : { context, mail: context }
  }
  const reason =
    fieldText(inner, 'permissionDecisionReason') ??
    fieldText(answer, 'permissionDecisionReason', 'reason')
  return reason === undefined ? {} : { refusal: reason, mail: reason }
}

const clientsKnown = `Those of ${hookClients.join(', ')} are known.`
const asGiven = 'Give it what the client gave, unchanged.'

function sessionIn(input: HookInput): string {
  const session = fieldText(input, 'session_id', 'sessionId')
  if (session !== undefined && session.length <= 200 && !/\p{Cc}/u.test(session)) return session
  throw bad('the input of the hook names no session', asGiven)
}

function folderIn({ cwd }: HookInput): string {
  if (typeof cwd === 'string' && cwd.length <= 4096 && /^(?:\/|[a-z]:[\\/])[^\0]*$/i.test(cwd)) {
    return cwd
  }
  throw bad('the input of the hook names no folder as its cwd', asGiven)
}

const bad = (message: string, next: string) => new AgentMailError('invalid_request', message, next)
