/** The hooks of Gemini CLI. */
import type { HookAnswer, Moment } from '../sessions/moment.ts'
import {
  type ClientHooks,
  contextAt,
  type HookInput,
  lifeOf,
  permission,
  signOfLife,
} from './client-hooks.ts'
import { afterTool, beforeTool } from './tool-calls.ts'

const tools = { edits: ['write_file', 'replace'], shells: ['run_shell_command'] }

/** Not before a tool: what is said there reaches nobody. */
const listening = ['SessionStart', 'BeforeAgent', 'AfterTool']

export const geminiHooks: ClientHooks = {
  beforeTool: 'BeforeTool',

  momentOf(event: string, input: HookInput): Moment {
    const { start, prompt, turnEnd, end } = lifeOf(input)
    switch (event) {
      case 'SessionStart':
        return start
      case 'BeforeAgent':
        return prompt
      case 'BeforeTool':
        return beforeTool(input, tools)
      case 'AfterTool':
        return afterTool(input, tools)
      case 'Notification':
        return input.notification_type === 'ToolPermission' ? permission : signOfLife
      case 'AfterAgent':
        return turnEnd
      case 'SessionEnd':
        return end
      default:
        return signOfLife
    }
  },

  answerAt(event: string, { refusal, context, mail }: HookAnswer): object {
    const reason = event === 'AfterAgent' ? mail : event === 'BeforeTool' ? refusal : undefined
    if (reason) return { decision: 'deny', reason }
    return listening.includes(event) ? contextAt(event, context) : {}
  },
}
