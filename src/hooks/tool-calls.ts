/** The call of a tool that a hook tells of: an edit of files, a shell command, our own register, or any other. */
import type { Moment } from '../sessions/moment.ts'
import { isRecord, jsonOf } from '../system/text.ts'
import { fieldText, type HookInput, signOfLife } from './client-hooks.ts'
import { patchedPaths } from './patched-paths.ts'

/** As many as one call may claim. */
const maxPaths = 1000

/** How a client calls its own tools; those that run commands, in any case. */
export interface ClientTools {
  edits: readonly string[]
  shells: readonly string[]
  /** Those that start another agent: they take long, and their ends are not told, so that they last until the turn ends. */
  agents?: readonly string[]
}

interface ToolCall {
  name: string
  input: HookInput
  result: unknown
}

export function beforeTool(input: HookInput, tools: ClientTools): Moment {
  const call = toolCallOf(input)
  const paths = editedPaths(call, tools)
  if (paths.length > 0) return { kind: 'before-edit', paths }
  const command = shellCommand(call, tools)
  if (command !== undefined) return { kind: 'before-shell', command }
  return tools.agents?.includes(call.name) ? { kind: 'sign-of-life', tool: 'start' } : signOfLife
}

export function afterTool(input: HookInput, tools: ClientTools): Moment {
  const call = toolCallOf(input)
  if (isFailed(call.result)) return failedTool(input, tools)
  const paths = editedPaths(call, tools)
  if (paths.length > 0) return { kind: 'after-edit', paths }
  const command = shellCommand(call, tools)
  if (command !== undefined) return { kind: 'after-shell', command }
  const agentId = isRegister.test(call.name) ? agentIdIn(call.result) : undefined
  return agentId === undefined
    ? { kind: 'sign-of-life', tool: 'end' }
    : { kind: 'registered', agentId }
}

/** A command may have written files before it failed; an edit that failed has not. */
export function failedTool(input: HookInput, tools: ClientTools): Moment {
  const command = shellCommand(toolCallOf(input), tools)
  return command === undefined
    ? { kind: 'sign-of-life', tool: 'end' }
    : { kind: 'after-shell', command }
}

/** As some clients say it with the result, for want of an event. */
function isFailed(result: unknown): boolean {
  if (typeof result === 'string') return /^Exit code: [1-9]/.test(result)
  if (!isRecord(result)) return false
  const outcome = fieldText(result, 'resultType', 'result_type') ?? 'success'
  return outcome !== 'success' || Boolean(result.error)
}

const toolCallOf = (input: HookInput): ToolCall => ({
  name: fieldText(input, 'tool_name', 'toolName') ?? '',
  input: argumentsOf(input.tool_input ?? input.toolArgs ?? input.toolInput),
  result: input.tool_response ?? input.tool_result ?? input.toolResult,
})

/** Some give them as text: JSON, or the one argument itself. */
function argumentsOf(given: unknown): HookInput {
  if (typeof given !== 'string') return isRecord(given) ? given : {}
  const read = jsonOf(given)
  return isRecord(read) ? read : { input: given }
}

function editedPaths({ name, input }: ToolCall, { edits, shells }: ClientTools): string[] {
  const patch = fieldText(input, 'command', 'input', 'patch')
  const isPatch =
    name === 'apply_patch' || (isShell(name, shells) && /^\s*apply_patch\s/.test(patch ?? ''))
  if (isPatch) return patchedPaths(patch ?? '').slice(0, maxPaths)
  if (!edits.includes(name)) return []
  const path = fieldText(input, 'file_path', 'notebook_path', 'path')
  return path === undefined ? [] : [path]
}

const shellCommand = ({ name, input }: ToolCall, { shells }: ClientTools) =>
  isShell(name, shells) ? fieldText(input, 'command') : undefined

const isShell = (name: string, shells: readonly string[]): boolean =>
  shells.some((shell) => shell.toLowerCase() === name.toLowerCase())

/** Each client has its own way to name the tool of a server; a plugin's server has one more. */
const isRegister = /(?:^|[_-])agentmail[_-]+register$/

/** The answer of our tool, in whatever its client has wrapped it. */
function agentIdIn(result: unknown, depth = 0): string | undefined {
  if (typeof result === 'string') {
    return idOf(jsonOf(result.slice(result.indexOf('{'), result.lastIndexOf('}') + 1)))
  }
  if (depth > 5 || typeof result !== 'object' || result === null) return undefined
  const own = idOf(result)
  if (own !== undefined) return own
  for (const value of Object.values(result).slice(0, 20)) {
    const id = agentIdIn(value, depth + 1)
    if (id !== undefined) return id
  }
  return undefined
}

function idOf(answer: unknown): string | undefined {
  const id = isRecord(answer) ? answer.agent_id : undefined
  return typeof id === 'string' && /^[\da-f-]{36}$/i.test(id) ? id : undefined
}
