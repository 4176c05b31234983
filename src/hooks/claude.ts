/** The hooks of Claude Code. */
import type { HookAnswer, Moment } from '../sessions/moment.ts'
import {
  type ClientHooks,
  contextAt,
  denialAt,
  type HookInput,
  lifeOf,
  permission,
  signOfLife,
} from './client-hooks.ts'
import { afterTool, beforeTool, failedTool } from './tool-calls.ts'

const tools = {
  edits: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  shells: ['Bash'],
  agents: ['Task', 'Agent'],
}

/** Those whose answer may bring something to the model. */
const listening = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  'PostToolBatch',
]

export const claudeHooks: ClientHooks = {
  beforeTool: 'PreToolUse',

  momentOf(event: string, input: HookInput): Moment {
    const { start, prompt, turnEnd, end } = lifeOf(input)
    switch (event) {
      case 'SessionStart':
        return start
      case 'UserPromptSubmit':
        return prompt
      case 'PreToolUse':
        return beforeTool(input, tools)
      case 'PostToolUse':
        return afterTool(input, tools)
      case 'PostToolUseFailure':
        return failedTool(input, tools)
      case 'PermissionRequest':
        return permission
      case 'Notification':
        if (input.notification_type === 'permission_prompt') return permission
        // After Esc no other hook tells that the turn is over.
        return input.notification_type === 'idle_prompt'
          ? { ...turnEnd, isAgain: true }
          : signOfLife
      case 'Stop':
        return turnEnd
      case 'SessionEnd':
        return end
      default:
        return signOfLife
    }
  },

  answerAt(event: string, { refusal, context, mail }: HookAnswer): object {
    // To block the stop would show the mail twice, and as an error.
    if (event === 'Stop') return contextAt(event, mail)
    if (event === 'PreToolUse' && refusal) return denialAt(event, refusal)
    return listening.includes(event) ? contextAt(event, context) : {}
  },
}
