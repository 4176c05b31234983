/** The hooks of Qwen Code: Claude's events with Gemini's tools. */
import type { HookAnswer, Moment } from '../sessions/moment.ts'
import { claudeHooks } from './claude.ts'
import { type ClientHooks, goingOn, type HookInput } from './client-hooks.ts'
import { afterTool, beforeTool, failedTool } from './tool-calls.ts'

const tools = {
  edits: ['write_file', 'edit', 'notebook_edit'],
  shells: ['run_shell_command'],
  agents: ['task', 'agent'],
}

export const qwenHooks: ClientHooks = {
  beforeTool: 'PreToolUse',

  momentOf(event: string, input: HookInput): Moment {
    if (event === 'PreToolUse') return beforeTool(input, tools)
    if (event === 'PostToolUse') return afterTool(input, tools)
    if (event === 'PostToolUseFailure') return failedTool(input, tools)
    return claudeHooks.momentOf(event, input)
  },

  answerAt(event: string, { refusal, context, mail }: HookAnswer): object {
    if (event === 'Stop') return goingOn(mail)
    // What is said before a tool reaches nobody, unless it is refused.
    const isHeard = context !== undefined && event !== 'PreToolUse'
    return claudeHooks.answerAt(event, {
      ...(refusal !== undefined && { refusal }),
      ...(isHeard && { context }),
    })
  },
}
