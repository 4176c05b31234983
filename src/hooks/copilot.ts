/** The hooks of Copilot CLI: its own, whose input does not name the event, and Claude's, which it runs in its own way. */
import type { HookAnswer, Moment } from '../sessions/moment.ts'
import {
  type ClientHooks,
  denialAt,
  fieldText,
  goingOn,
  type HookInput,
  lifeOf,
  permission,
  signOfLife,
} from './client-hooks.ts'
import { afterTool, beforeTool, failedTool } from './tool-calls.ts'

const tools = {
  edits: ['create', 'edit', 'str_replace_editor', 'Write', 'Edit'],
  shells: ['Bash'],
}

const listening = [
  ...['sessionStart', 'userPromptSubmitted', 'postToolUse', 'postToolUseFailure'],
  ...['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'],
]

export const copilotHooks: ClientHooks = {
  beforeTool: 'preToolUse',
  eventOf: (input: HookInput) => fieldText(input, 'hookName') ?? eventByFields(input),

  momentOf(event: string, input: HookInput): Moment {
    const { start, prompt, turnEnd, end } = lifeOf(input)
    switch (event) {
      case 'sessionStart':
      case 'SessionStart':
        return start
      case 'userPromptSubmitted':
      case 'UserPromptSubmit':
        return prompt
      case 'preToolUse':
      case 'PreToolUse':
        return beforeTool(input, tools)
      case 'postToolUse':
      case 'PostToolUse':
        return afterTool(input, tools)
      case 'postToolUseFailure':
      case 'PostToolUseFailure':
        return failedTool(input, tools)
      case 'permissionRequest':
      case 'PermissionRequest':
        return permission
      case 'agentStop':
      case 'Stop':
        return turnEnd
      case 'sessionEnd':
      case 'SessionEnd':
        return end
      default:
        return signOfLife
    }
  },

  answerAt(event: string, { refusal, context, mail }: HookAnswer): object {
    if (event === 'agentStop' || event === 'Stop') return goingOn(mail)
    if (event === 'PreToolUse' && refusal) return denialAt(event, refusal)
    if (event === 'preToolUse' && refusal) {
      return { permissionDecision: 'deny', permissionDecisionReason: refusal }
    }
    return context && listening.includes(event) ? { additionalContext: context } : {}
  },
}

/** For a hook that was set up without saying which it is. */
function eventByFields(input: HookInput): string | undefined {
  if ('toolResult' in input) return 'postToolUse'
  if ('toolArgs' in input) return 'preToolUse'
  if ('stopReason' in input) return 'agentStop'
  if ('source' in input) return 'sessionStart'
  if ('prompt' in input) return 'userPromptSubmitted'
  return 'reason' in input ? 'sessionEnd' : undefined
}
