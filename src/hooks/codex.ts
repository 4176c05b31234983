/** The hooks of Codex. It refuses an answer that has anything beyond what it knows at an event. */
import type { HookAnswer, Moment } from '../sessions/moment.ts'
import {
  type ClientHooks,
  contextAt,
  denialAt,
  goingOn,
  type HookInput,
  lifeOf,
  permission,
  signOfLife,
} from './client-hooks.ts'
import { afterTool, beforeTool } from './tool-calls.ts'

const tools = { edits: [], shells: ['Bash'] } // and apply_patch

const listening = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse']

export const codexHooks: ClientHooks = {
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
      case 'PermissionRequest':
        return permission
      case 'Stop':
        return turnEnd
      case 'Interrupt': // an end at which nothing can be handed over
        return { ...turnEnd, isAgain: true }
      case 'SessionEnd':
        return end
      default:
        return signOfLife
    }
  },

  answerAt(event: string, { refusal, context, mail }: HookAnswer): object {
    if (event === 'Stop') return goingOn(mail)
    if (event === 'PreToolUse' && refusal) return denialAt(event, refusal)
    return listening.includes(event) ? contextAt(event, context) : {}
  },
}
